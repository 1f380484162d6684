"""A runtime for the module, and the environment of the block with a hole."""

from collections.abc import Iterator

import pytest
from cad_episode import TASK

from cadwright.envs.cad import CadEnv
from cadwright.envs.runtime import Runtime


@pytest.fixture(scope="module")
def runtime() -> Iterator[Runtime]:
    with Runtime.open() as opened:
        yield opened


@pytest.fixture
def env(runtime: Runtime) -> Iterator[CadEnv]:
    made = CadEnv(task=TASK, image_px=128, runtime=runtime)
    made.reset(seed=1)
    yield made
    made.close()
