"""What Gymnasium and its users may count on in ``cadwright/Cad-v0``."""

import copy
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import pytest
from cad_episode import EPISODE, TASK, act
from gymnasium.vector import AutoresetMode
from vector_modes import plays_in_a_vector

from cadwright.envs.cad import CadEnv
from cadwright.envs.checker import CheckFailure, check_env, check_hostile, check_replay
from cadwright.envs.registration import register_envs
from cadwright.envs.runtime import Runtime
from cadwright.envs.tool_env import ToolEnv
from cadwright.tools.errors import UsageError

register_envs()


def test_a_finished_episode_wants_a_reset(env: CadEnv) -> None:
    env.step(EPISODE[0])
    env.step(EPISODE[-1])
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(EPISODE[0])


def test_both_checkers_pass_whole() -> None:
    def make() -> ToolEnv:
        env = gymnasium.make(
            "cadwright/Cad-v0", task=TASK, image_px=96, render_mode="rgb_array"
        ).unwrapped
        assert isinstance(env, ToolEnv)
        return env

    assert len(check_env(make, EPISODE)) == 6


def test_the_checker_sees_a_reward_for_a_hostile_action(runtime: Runtime) -> None:
    class Generous(CadEnv):
        def step(self, action: str) -> Any:
            observation, _, *rest = super().step(action)
            return observation, 0.5, *rest

    with pytest.raises(CheckFailure, match=r"rewarded with 0.5"):
        check_hostile(lambda: Generous(task=TASK, image_px=96, runtime=runtime))


def test_the_checker_sees_observations_that_differ(runtime: Runtime) -> None:
    class Restless(CadEnv):
        def _observe(self, blocks: Any) -> Any:
            observation = super()._observe(blocks)
            return {**observation, "text": f"{observation['text']} {id(self)}"}

    with pytest.raises(CheckFailure, match="reset: the text differs"):
        check_replay(lambda: Restless(task=TASK, image_px=96, runtime=runtime), EPISODE)


def test_copies_and_pickles_start_afresh(env: CadEnv) -> None:
    env.step(EPISODE[0])
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        with pytest.raises(gymnasium.error.ResetNeeded):
            twin.step(EPISODE[0])
        twin.close()


@pytest.mark.parametrize("settings", [{}, {"task": TASK, "suite": "smoke"}], ids=["none", "both"])
def test_task_and_suite_exclude_each_other(settings: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="exactly one of"):
        CadEnv(**settings)


def test_an_unknown_render_mode_is_refused() -> None:
    with pytest.raises(UsageError, match="human"):
        CadEnv(task=TASK, render_mode="human")


def test_render_gives_picture_and_text(runtime: Runtime) -> None:
    env = CadEnv(task=TASK, image_px=96, runtime=runtime, render_mode="ansi")
    env.reset(seed=0)
    assert env.render().startswith(TASK.brief)
    env.close()


def test_a_suite_is_drawn_from_by_the_seed(runtime: Runtime) -> None:
    env = CadEnv(suite="smoke", image_px=96, runtime=runtime)
    ids = [env.reset(seed=seed)[1]["task_id"] for seed in (0, 1, 2, 3, 0)]
    assert ids[0] == ids[4]
    assert len(set(ids)) > 1
    env.close()


def test_dropped_without_close_it_leaves_nothing(tmp_path: Path) -> None:
    code = (
        "import os\n"
        "from cadwright.envs.cad import CadEnv, CadWorkspace\n"
        "env = CadEnv(suite='smoke', image_px=96); env.reset(seed=0)\n"
        "print(env._runtime.sandbox.zygote_pid)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    pid = int(done.stdout)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert done.stderr == ""


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["sync", "async"])
@pytest.mark.parametrize("autoreset", list(AutoresetMode), ids=lambda m: m.name)
def test_both_vector_modes(mode: str, autoreset: AutoresetMode) -> None:
    turns = (EPISODE[0], EPISODE[2], act("measure"), act("submit"))
    plays_in_a_vector("cadwright/Cad-v0", mode, autoreset, TASK, turns)


def test_registration_is_idempotent_and_importable_by_id() -> None:
    register_envs()
    env = gymnasium.make("cadwright.envs.registration:cadwright/Cad-v0", task=TASK)
    assert isinstance(env.unwrapped, CadEnv)
    env.close()
