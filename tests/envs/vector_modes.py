"""An episode in both vector modes of Gymnasium, two environments at once."""

from collections.abc import Sequence

import gymnasium
from gymnasium.vector import AutoresetMode

from cadwright.envs.task import Task


def plays_in_a_vector(
    name: str, mode: str, autoreset: AutoresetMode, task: Task, turns: Sequence[str]
) -> None:
    """Hold an episode against the contract of a vector environment.

    Args:
        name: Registered id.
        mode: ``sync`` or ``async``.
        autoreset: What follows an end.
        task: For both.
        turns: First, second, a harmless one, and the one that ends the episode with score 1.
    """
    first, second, harmless, last = turns
    extra = {"context": "spawn", "shared_memory": False} if mode == "async" else {}
    vector = gymnasium.make_vec(
        name,
        num_envs=2,
        vectorization_mode=mode,
        vector_kwargs={"autoreset_mode": autoreset, **extra},
        task=task,
        image_px=96,
    )
    try:
        vector.reset(seed=[1, 2])
        vector.step((first, first))
        vector.step((second, harmless))
        _, rewards, terminated, _, info = vector.step((last, harmless))
        assert rewards[0] == 1.0
        assert list(terminated) == [True, False]
        final = info["final_info"] if autoreset is AutoresetMode.SAME_STEP else info
        assert final["end_reason"][0] == "submitted"
        if autoreset is AutoresetMode.DISABLED:
            vector.reset(options={"reset_mask": terminated})
        observation, *_ = vector.step((first, second))
        assert len(observation["text"]) == 2
    finally:
        vector.close()
