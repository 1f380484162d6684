"""``cadwright/Browser-v0`` over the modeller, in a real Chromium."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from cadwright.agent.episode import run_episode
from cadwright.agent.policies.expert import ExpertPolicy
from cadwright.envs.bench import played
from cadwright.envs.browser import BrowserEnv
from cadwright.envs.checker import check_env
from cadwright.envs.computer_use import ComputerUse, call_of
from cadwright.envs.core import EndReason
from cadwright.envs.domains.browser_tasks import DOMAINS
from cadwright.envs.domains.domain import Request
from cadwright.envs.registration import register_envs
from cadwright.envs.runtime import Runtime
from cadwright.envs.task import EpisodeLimits, Task
from cadwright.envs.tool_env import ToolEnv
from cadwright.tools.browsing.processes import descendants
from cadwright.tools.errors import TaskError

pytestmark = pytest.mark.browser
register_envs()

BY_ID = {source.domain.id: source for source in DOMAINS}


def task(domain: str, seed: int = 0, difficulty: int = 3) -> Task:
    return BY_ID[domain].make(Request(seed, difficulty))


PRESS = task("browser.press.text.sphere")
SPHERE = 15  # the number of its button on a fresh page


def act(tool: str, **arguments: object) -> str:
    return json.dumps({"name": tool, "arguments": arguments})


EPISODE = [act("screenshot"), act("click_ref", ref=SPHERE), act("submit")]


@pytest.mark.parametrize("domain", sorted(BY_ID))
def test_the_gold_sequence_of_every_domain_scores_one(domain, runtime, tmp_path):
    result = run_episode(task(domain, 1, 2), ExpertPolicy(), runtime, tmp_path / "run")
    assert result.score.value == 1.0


@pytest.mark.parametrize(
    "domain", ["browser.create.text.bracket", "browser.create.text.plate", "browser.set.text.rod"]
)
def test_gold_sequences_work_through_pixels_alone(domain, runtime, tmp_path):
    policy = ExpertPolicy(by_place=True)
    result = run_episode(task(domain), policy, runtime, tmp_path / "run")
    assert result.score.value == 1.0


def test_a_document_never_shown_before_needs_no_new_page(runtime):
    env = BrowserEnv(task=PRESS, runtime=runtime)
    env.reset(seed=0)
    before = runtime.desk.resets["context"]
    flanges = [task("browser.set.text.flange", seed, 5) for seed in (20, 21)]
    shown = [BrowserEnv(task=one, runtime=runtime).reset(seed=0)[0]["image"] for one in flanges]
    assert runtime.desk.resets["context"] == before
    with Runtime.open() as other:  # where it is the first that a page shows
        first = BrowserEnv(task=flanges[1], runtime=other).reset(seed=0)[0]["image"]
    assert np.array_equal(shown[1], first)


def test_gold_calls_reach_the_same_part_without_pictures(runtime):
    made = task("browser.create.text.plate")
    assert made.gold is not None
    submission = played(runtime, made, made.gold.calls)
    assert runtime.score(made, submission).value == 1.0


def test_an_untouched_part_earns_nothing(runtime, tmp_path):
    made = task("browser.set.text.flange")
    env = BrowserEnv(task=made, runtime=runtime)
    env.reset(seed=0)
    *_, info = env.step(act("submit"))
    assert info["score"].value < 0.05


def test_two_hundred_random_actions_break_nothing(runtime):
    limits = EpisodeLimits(turns=500, repeated_failures=500)
    made = Task(**{f: getattr(PRESS, f) for f in PRESS.__slots__} | {"limits": limits})
    env = ComputerUse(BrowserEnv(task=made, runtime=runtime), allow_submit=False)
    env.action_space.seed(7)
    env.reset(seed=7)
    for _ in range(200):
        observation, _, terminated, truncated, info = env.step(env.action_space.sample())
        assert env.observation_space.contains(observation)
        assert (terminated, truncated) == (False, False), info


def test_every_sampled_action_is_a_call_of_the_tools():
    env = BrowserEnv(task=PRESS)
    wrapped = ComputerUse(env)
    wrapped.action_space.seed(0)
    for _ in range(50):
        call = call_of(wrapped.action_space.sample())
        assert json.loads(json.dumps(call)) == call


def test_the_contract_of_environments_is_kept():
    def make() -> ToolEnv:
        made = gymnasium.make("cadwright/Browser-v0", task=PRESS, render_mode="rgb_array")
        assert isinstance(made.unwrapped, ToolEnv)
        return made.unwrapped

    assert len(check_env(make, EPISODE)) == 6


@pytest.mark.parametrize("autoreset", [AutoresetMode.SAME_STEP, AutoresetMode.DISABLED])
def test_two_environments_at_once_do_not_see_each_other(autoreset):
    envs = gymnasium.make_vec(
        "cadwright/Browser-v0",
        num_envs=2,
        vectorization_mode="async",
        vector_kwargs={"context": "spawn", "shared_memory": False, "autoreset_mode": autoreset},
        task=PRESS,
    )
    try:
        first, _ = envs.reset(seed=0)
        after, *_ = envs.step((act("click_ref", ref=SPHERE), act("screenshot")))
        assert np.array_equal(first["image"][0], first["image"][1])
        assert np.array_equal(after["image"][1], first["image"][1])
        assert not np.array_equal(after["image"][0], first["image"][0])
    finally:
        envs.close()


def test_a_browser_killed_in_mid_episode_is_our_fault_and_the_next_one_works(runtime):
    env = BrowserEnv(task=PRESS, runtime=runtime)
    env.reset(seed=0)
    os.kill(runtime.desk.host.pids[0], signal.SIGKILL)
    _, reward, terminated, truncated, info = env.step(act("screenshot"))
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert info["end_reason"] == EndReason.INFRA_ERROR.value
    assert info["is_masked"]
    env.reset(seed=0)
    env.step(act("click_ref", ref=SPHERE))
    *_, info = env.step(act("submit"))
    assert info["score"].value == 1.0


def test_the_same_state_has_the_same_pixels_in_every_launch():
    shots = []
    for _ in range(2):
        with Runtime.open() as opened:
            env = BrowserEnv(task=task("browser.set.text.flange"), runtime=opened)
            shots.append(env.reset(seed=0)[0]["image"])
    assert np.array_equal(*shots)


def test_an_unknown_field_of_the_stage_is_named(runtime):
    wrong = Task(id="x", brief="x", env="browser", meta={"browser": {"ap": "modeller"}})
    with pytest.raises(TaskError, match="unknown field 'ap'"):
        BrowserEnv(task=wrong, runtime=runtime).reset(seed=0)


def test_nothing_is_left_running_after_close():
    env = BrowserEnv(task=PRESS)
    env.reset(seed=0)
    pids = env._runtime.desk.host.pids
    assert pids
    env.close()
    env.close()
    assert not set(pids) & set(descendants(os.getpid()))


@pytest.mark.slow
def test_three_hundred_resets_and_a_hundred_episodes_leave_memory_where_it_was(runtime):
    env = BrowserEnv(task=PRESS, runtime=runtime)
    sizes: list[float] = []
    for number in range(300):
        env.reset(seed=number)
        if number < 100:
            for action in EPISODE[1:]:
                env.step(action)
        if number % 50 == 49:
            sizes.append(runtime.desk.host.memory_mb)
    assert sizes[-1] < sizes[1] * 1.3 + 50
    assert _zombies() == 0


def _zombies() -> int:
    states = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            states.append(entry.read_text().rpartition(")")[2].split()[:2])
        except OSError:
            continue
    return sum(state == "Z" and int(parent) == os.getpid() for state, parent in states)
