"""``cadwright tasks show``: one task as a policy sees it, in the terminal or as a web page."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cadwright.agent.cli.common import JsonOption, Output, QuietOption, one_task

if TYPE_CHECKING:
    from cadwright.envs.task import Task
    from cadwright.tools.tool import Block

PICTURE_PX = 640

_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>{{ task.id }}</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem }
pre { background: #f4f4f2; padding: .8rem; overflow-x: auto; white-space: pre-wrap }
table { border-collapse: collapse } td, th { padding: .2rem .8rem .2rem 0; text-align: left }
th { font-weight: 600 } figure { margin: 1rem 0 } img { max-width: 100%; border: 1px solid #ddd }
figcaption, .quiet { color: #666 }
</style>
<h1>{{ task.id }}</h1>
<p class="quiet">{{ task.domain }} · difficulty {{ task.difficulty or "–" }}</p>
{% for block in seen %}
{% if block.picture %}<figure><img src="{{ block.picture }}" alt="{{ block.text }}">
<figcaption>{{ block.text }}</figcaption></figure>
{% else %}<pre>{{ block.text }}</pre>{% endif %}
{% endfor %}
{% if hidden %}
<h2>Hidden from the policy</h2>
{% if hidden.reference %}<figure><img src="{{ hidden.reference }}" alt="reference">
<figcaption>the wanted part</figcaption></figure>{% endif %}
{% if constraints %}<table><tr><th>constraint</th><th>asked</th></tr>
{% for one in constraints %}<tr><td>{{ one.kind }}</td><td>{{ one.asked }}</td></tr>
{% endfor %}</table>{% endif %}
<pre>{{ hidden.notes }}</pre>
{% endif %}
</html>
"""


@dataclass(frozen=True, slots=True)
class Seen:
    """A piece of the first observation: words, or a picture (as a data URL) and its caption."""

    text: str
    picture: str = ""


def show_task(
    task: Annotated[
        str, typer.Argument(metavar="TASK", help="A task: demo, SUITE#ID, DOMAIN/3-17.")
    ],
    with_hidden: Annotated[
        bool, typer.Option("--hidden", help="Also what a policy never sees.")
    ] = False,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write a page with its pictures.")
    ] = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Show one task as a policy sees it, or all of it."""
    from cadwright.agent.header import public_part

    output = Output(as_json=as_json, quiet=quiet)
    chosen = one_task(task)
    data: dict[str, Any] = chosen.to_json() if with_hidden else public_part(chosen)
    if html is not None:
        html.write_text(page_of(chosen, with_hidden=with_hidden), encoding="utf-8")
        output.line(f"wrote {html}")
    else:
        for line in _lines(chosen, with_hidden=with_hidden):
            output.line(line)
    output.finish(data)
    return 0


def _lines(task: Task, *, with_hidden: bool) -> Iterator[str]:
    level = f", difficulty {task.difficulty}" if task.difficulty is not None else ""
    yield f"{task.id}  ({task.domain}{level})"
    yield ""
    yield task.brief.strip()
    yield ""
    for image in task.images:
        yield f"picture: {image.view or 'file'}  {image.caption}".rstrip()
    if task.start is not None:
        yield "begins with a part, in `result`"
    limits = task.limits
    yield f"limits: {limits.turns} turns, {limits.wall_s:g} s; tools: {_tools(task)}"
    if with_hidden:
        yield from _hidden_lines(task)


def _tools(task: Task) -> str:
    return "all" if task.tools is None else ", ".join(task.tools)


def _hidden_lines(task: Task) -> Iterator[str]:
    from cadwright.agent.cli.tasks import as_yaml

    yield ""
    for one in _constraints(task):
        yield f"constraint {one['kind']}: {one['asked']}"
    yield as_yaml(_notes(task))


def _notes(task: Task) -> dict[str, Any]:
    data = task.to_json()
    names = ("reference", "start", "answer", "scoring", "seed", "meta")
    return {name: data[name] for name in names if data[name] not in (None, {}, [])}


def _constraints(task: Task) -> list[dict[str, str]]:
    from cadwright.rewards.constraints.parse import parse_constraints
    from cadwright.rewards.constraints.wording import asked_text

    found = parse_constraints(task.constraints)
    return [{"kind": one.kind, "asked": asked_text(one)} for one in found]


def page_of(task: Task, *, with_hidden: bool) -> str:
    """Return a page that shows the first observation of a task, pictures included."""
    from jinja2 import Environment

    from cadwright.envs.runtime import Runtime

    with Runtime.open() as runtime:
        seen = [_seen(block) for block in _first_observation(task, runtime)]
        hidden = _hidden(task, runtime) if with_hidden else None
    template = Environment(autoescape=True).from_string(_PAGE)
    return template.render(
        task=task, seen=seen, hidden=hidden, constraints=_constraints(task) if with_hidden else []
    )


def _first_observation(task: Task, runtime: Any) -> tuple[Block, ...]:
    from cadwright.envs.workspaces import make_workspace

    workspace = make_workspace(task, runtime)
    try:
        return workspace.reset(task, task.seed)
    finally:
        workspace.close()


def _seen(block: Block) -> Seen:
    from cadwright.tools.tool import TextBlock

    if isinstance(block, TextBlock):
        return Seen(block.text)
    return Seen(block.caption, _data_url(block))


def _hidden(task: Task, runtime: Any) -> dict[str, str]:
    from cadwright.agent.cli.tasks import as_yaml

    found = {"notes": as_yaml(_notes(task)), "reference": ""}
    if task.reference is not None:
        part = runtime.part_of(task.reference)
        found["reference"] = _data_url(runtime.renderer.sheet(runtime.judge.inspect(part)))
    return found


def _data_url(image: Any) -> str:
    from cadwright.agent.trajectory import png

    return "data:image/png;base64," + base64.b64encode(png(image)).decode()
