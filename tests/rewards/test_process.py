from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cadwright.rewards.process import (
    discounted,
    improvement,
    process_readings,
    shaping_rewards,
    spare_prefix,
    viable_prefix,
)
from cadwright.tools.errors import Outcome, UsageError

FEW = settings(max_examples=25, deadline=None)
UNIT = st.floats(0.0, 1.0)
Floats = npt.NDArray[np.float64]

OK, BROKEN, SLIP = Outcome.OK, Outcome.INVALID_GEOMETRY, Outcome.PYTHON_ERROR


@given(st.lists(UNIT, min_size=2, max_size=9), st.floats(0.5, 1.0), st.floats(0.0, 2.0))
@FEW
def test_shaping_telescopes_to_the_first_potential(
    potentials: list[float], gamma: float, scale: float
) -> None:
    rewards = shaping_rewards(potentials, gamma=gamma, scale=scale)
    assert len(rewards) == len(potentials) - 1
    assert discounted(rewards, gamma) == pytest.approx(-scale * potentials[0], abs=1e-12)


def test_what_happens_in_between_cannot_change_the_sum() -> None:
    early, late = shaping_rewards([0.0, 0.9, 0.9, 1.0]), shaping_rewards([0.0, 0.1, 0.2, 0.3])
    assert sum(early) == pytest.approx(sum(late), abs=1e-12)


def test_a_step_that_comes_closer_earns_at_once() -> None:
    assert shaping_rewards([0.1, 0.6, 0.6, 1.0])[:2] == pytest.approx((0.5, 0.0))


def test_an_unmeasured_state_earns_nothing() -> None:
    assert shaping_rewards([0.2, None, 0.7, 1.0])[:2] == pytest.approx((0.0, 0.5))


def test_a_potential_out_of_range_is_refused() -> None:
    with pytest.raises(UsageError, match="potential 1 is 2"):
        shaping_rewards([0.0, 2.0, 0.0])


@pytest.mark.parametrize("gamma", [0.0, 1.5])
def test_a_discount_out_of_range_is_refused(gamma: float) -> None:
    with pytest.raises(UsageError, match="gamma"):
        shaping_rewards([0.0, 1.0], gamma=gamma)


def test_the_optimal_policy_of_an_mdp_survives_shaping() -> None:
    """Five states, three actions, the last state terminal; potentials drawn at random."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        transitions = rng.dirichlet(np.ones(5), size=(4, 3))  # (state, action, next state)
        rewards, phi = rng.random((4, 3, 5)), 5.0 * rng.random(5)
        phi[-1] = 0.0
        gamma = 0.9
        shaping = gamma * phi[None, None, :] - phi[:4, None, None]
        plain = optimal_policy(transitions, rewards, gamma)
        assert plain == optimal_policy(transitions, rewards + shaping, gamma)


def test_a_shaping_that_is_no_potential_does_move_the_optimum() -> None:
    """The same check, on a bonus for one action: it would notice."""
    rng = np.random.default_rng(0)
    transitions, rewards = rng.dirichlet(np.ones(5), size=(4, 3)), rng.random((4, 3, 5))
    bonus = np.zeros((4, 3, 5))
    bonus[:, (optimal_policy(transitions, rewards, 0.9)[0] + 1) % 3] = 5.0
    assert optimal_policy(transitions, rewards + bonus, 0.9) != (
        optimal_policy(transitions, rewards, 0.9)
    )


def test_a_terminal_potential_would_move_the_optimum() -> None:
    """Two ways to end, worth 1.0 and 0.9: counted at the end, potential can turn them round."""
    returns = {"right": 1.0, "wrong": 0.9}
    phi = {"right": 0.0, "wrong": 0.5}
    unsound = {way: returns[way] + phi[way] - 0.2 for way in returns}
    sound = {way: returns[way] + sum(shaping_rewards([0.2, phi[way]])) for way in returns}
    assert max(unsound, key=lambda way: unsound[way]) == "wrong"
    assert max(sound, key=lambda way: sound[way]) == "right"


@given(st.lists(st.sampled_from([OK, SLIP, BROKEN]), max_size=8))
@FEW
def test_the_prefix_holds_no_geometric_failure(outcomes: list[Outcome]) -> None:
    prefix = viable_prefix(outcomes)
    assert BROKEN not in outcomes[:prefix]
    assert prefix == len(outcomes) or outcomes[prefix] is BROKEN


def test_steps_before_the_first_failure_are_not_punished() -> None:
    assert spare_prefix([-1.0, 0.5, -1.0, -1.0], [OK, OK, BROKEN, OK]) == (0.0, 0.5, -1.0, -1.0)


def test_an_episode_without_failure_keeps_its_advantages() -> None:
    assert spare_prefix([-1.0, -0.5], [OK, SLIP]) == (-1.0, -0.5)


def test_a_part_handed_back_unchanged_has_not_improved() -> None:
    assert improvement([0.8, 0.8], 0.8) == 0.0


def test_a_repaired_part_has_improved_fully() -> None:
    readings = process_readings([OK, OK], [0.4, 0.7, 1.0], 1.0)
    assert {name: reading.value for name, reading in readings.items()} == {
        "improvement": 1.0,
        "viable_steps": 1.0,
    }


def test_a_part_made_worse_scores_below_half() -> None:
    readings = process_readings([BROKEN, OK], [0.4, 0.2], 0.2)
    assert all((reading.value or 0.0) < 0.5 for reading in readings.values())


@pytest.mark.parametrize(("before", "final"), [(None, 0.5), (0.5, None), (1.0, 1.0)])
def test_improvement_on_the_unknown_has_no_value(before: float | None, final: float | None) -> None:
    assert improvement([before], final) is None


def test_unknown_improvement_masks() -> None:
    assert process_readings([OK], [], 0.5)["improvement"].is_masked


def optimal_policy(transitions: Floats, rewards: Floats, gamma: float) -> tuple[int, ...]:
    """Return the best action of each state, by trying every deterministic policy."""
    expected = (transitions * rewards).sum(axis=2)  # (state, action)

    def values(policy: tuple[int, ...]) -> Floats:
        chosen = transitions[range(4), policy, :4]
        solved: Floats = np.linalg.solve(np.eye(4) - gamma * chosen, expected[range(4), policy])
        return solved

    best: tuple[int, ...] = max(
        itertools.product(range(3), repeat=4), key=lambda policy: float(values(policy).sum())
    )
    return best
