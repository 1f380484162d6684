"""Pages in a real Chromium: what is seen, where clicks land, what never gets out."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time

import numpy as np
import pytest

from cadwright.tools.browser import BrowserTools, Sight
from cadwright.tools.browsing.elements import element_list
from cadwright.tools.browsing.host import BrowserHost
from cadwright.tools.browsing.page import Viewport
from cadwright.tools.browsing.processes import descendants
from cadwright.tools.errors import InfraError, ToolError, WorkerTimeout
from cadwright.tools.tool import ToolCall, Toolset

pytestmark = pytest.mark.browser


def names(page, host) -> list[str]:
    return [one.name for one in host.run(page.elements)]


def test_a_font_that_never_comes_delays_no_picture(host, open_page):
    start = time.monotonic()
    page = open_page("u01_font_never_loads.html")
    pixels = host.run(page.screenshot)
    assert time.monotonic() - start < 10
    assert pixels.std() > 1
    assert host.run(page.has_webgl)
    assert host.run(page.page.title) == "webgl"


def test_a_canvas_that_never_rests_is_shown_and_named(host, open_page):
    tools = BrowserTools(host, open_page("u01_font_never_loads.html"))
    result = tools.look()
    assert "not_settled" in {notice.code for notice in result.notices}


def test_dialogs_and_pop_ups_are_told_and_wait_for_nobody(host, open_page):
    tools = BrowserTools(host, open_page("u03_blocking_dialog.html"))
    tools.look()
    assert "a dialog (alert) said 'Unsaved part'" in tools.click_ref(1).text
    assert "a pop-up" in tools.click_ref(2).text


def test_words_of_a_page_are_marked_as_its_own(host, open_page):
    tools = BrowserTools(host, open_page("u04_injected_instruction.html"))
    result = tools.look()
    assert "not of your user" in result.text
    assert not result.is_final
    assert not tools.is_submitted


def test_numbers_stay_with_their_elements(host, open_page):
    page = open_page("targets.html")
    before = {one.name: one.ref for one in host.run(page.elements)}
    host.run(lambda: page.click(*page.find(before["One"]).middle))
    after = {one.name: one.ref for one in host.run(page.elements)}
    assert {name: after[name] for name in before} == before
    assert after["New"] not in before.values()


def test_the_page_cannot_see_the_numbers(host, open_page):
    page = open_page("targets.html")
    host.run(page.elements)
    assert host.run(lambda: page.evaluate("typeof window.cadwright")) == "undefined"
    assert "ref" not in host.run(lambda: page.page.content())


def test_what_is_covered_is_not_listed(host, open_page):
    assert "Covered" not in names(open_page("targets.html"), host)


def test_a_disabled_field_and_a_number_that_is_gone_are_named(host, open_page):
    page = open_page("targets.html")
    two = next(one for one in host.run(page.elements) if one.name == "Two")
    with pytest.raises(ToolError, match="is disabled"):
        BrowserTools(host, page).set_ref(two.ref, "5")
    with pytest.raises(ToolError, match=r"\[99\] is gone"):
        BrowserTools(host, page).click_ref(99)


def test_a_field_takes_a_new_value(host, open_page):
    page = open_page("targets.html")
    tools = BrowserTools(host, page)
    field = next(one for one in host.run(page.elements) if one.name == "Length")
    assert "= '42.5'" in tools.set_ref(field.ref, "42.5").text


@pytest.mark.parametrize("scale", [1.0, 1.5, 2.0, 3.0])
def test_a_click_lands_within_two_css_pixels(host, open_page, scale):
    page = open_page("targets.html", Viewport(scale=scale))
    pixels = host.run(page.screenshot)
    assert pixels.shape[:2] == (768 * scale, 1024 * scale)
    tools, shown = BrowserTools(host, page), 640  # the policy's picture is 640 px wide
    for x, y in ((600.0, 300.0), (3.0, 760.0), (1021.0, 500.0)):
        seen = round(x / 1024 * shown), round(y / 768 * (shown * 3 / 4))
        tools.click((seen[0] + 0.0) / shown, (seen[1] + 0.0) / (shown * 3 / 4))
        hit = host.run(lambda: page.evaluate("seen.at(-1)"))
        assert abs(hit[0] - x) <= 2
        assert abs(hit[1] - y) <= 2


def test_a_drag_moves_in_steps_and_holds_its_keys(host, open_page):
    page = open_page("targets.html")
    tools = BrowserTools(host, page)
    tools.drag([[0.5, 0.5], [0.7, 0.6]])
    assert host.run(lambda: page.evaluate("moves")) >= 10
    tools.click(0.6, 0.6, count=2, held=["Shift"])
    assert host.run(lambda: page.evaluate("seen.at(-1).slice(2)")) == [0, True, 2]


def test_nothing_but_the_own_server_is_reached(host, open_page):
    page = open_page("greedy.html")
    deadline = time.monotonic() + 5
    while len(page.events.blocked) < 3 and time.monotonic() < deadline:
        host.run(lambda: page.page.wait_for_timeout(50))
    blocked = " ".join(page.events.blocked)
    assert "203.0.113.9/x" in blocked
    assert "example.invalid" in blocked
    assert "ws://203.0.113.9/s" in blocked
    assert host.run(lambda: len(page._context.service_workers)) == 0


def test_marks_leave_the_inside_of_fields_alone(host, open_page):
    page = open_page("targets.html")
    plain = BrowserTools(host, page, Sight(pointer=False)).look().images[0].pixels
    marked = BrowserTools(host, page, Sight(marks=True, pointer=False)).look().images[0].pixels
    assert not np.array_equal(plain, marked)
    field = next(one for one in host.run(page.elements) if one.name == "Length")
    left, top, width, height = (round(v) for v in field.box)
    inside = np.s_[top + 2 : top + height - 2, left + 2 : left + width - 2]
    assert np.array_equal(plain[inside], marked[inside])


def test_the_same_page_has_the_same_pixels_in_every_context(host, open_page):
    shots = [host.run(open_page("targets.html").screenshot) for _ in range(2)]
    assert np.array_equal(*shots)


def test_the_tools_refuse_what_lies_off_the_screen(host, open_page):
    toolset = Toolset(BrowserTools(host, open_page("targets.html")))
    result = toolset.call(ToolCall("click", {"x": 1.2, "y": 0.5}))
    assert "x is 1.2, allowed: 0 to 1" in result.text
    assert "goto" not in {spec.name for spec in toolset.specs}


def test_the_browser_works_inside_an_event_loop_and_from_four_threads(host, open_page):
    page = open_page("targets.html")

    async def within_loop() -> int:
        return len(host.run(page.elements))

    counts = [asyncio.run(within_loop())]
    threads = [
        threading.Thread(target=lambda: counts.append(len(host.run(page.elements))))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(counts)) == 1
    assert len(counts) == 5


def test_a_killed_browser_costs_one_call_and_leaves_no_process(origin, tmp_path):
    host = BrowserHost()
    version = host.run(lambda: host.browser().version)
    os.kill(host.pids[0], signal.SIGKILL)
    with pytest.raises(InfraError):
        host.run(lambda: [host._browser.new_context(), time.sleep(0.2)])
    assert host.run(lambda: host.browser().version) == version
    pids = host.pids
    host.close()
    assert not set(pids) & set(descendants(os.getpid()))


def test_a_page_that_hangs_is_ended_at_the_limit(host, open_page):
    page = open_page("targets.html")
    with pytest.raises(WorkerTimeout, match=r"0\.5 s"):
        host.run(lambda: page.evaluate("for (;;) ;"), timeout_s=0.5)
    assert host.run(lambda: host.browser().is_connected())


def test_a_long_list_says_how_much_is_left_out(host, open_page):
    one = host.run(open_page("targets.html").elements)[0]
    assert element_list([one] * 205, 1024, 768).endswith("... and 5 more")
