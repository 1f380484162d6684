"""One episode, from task to score. Start reading here.

    perceive   the workspace answers with text and pictures; they join the conversation as they are
    decide     the policy returns one turn: words and tool calls
    execute    each call runs against the workspace, in order
    verify     results join the conversation, with a fresh picture and what changed; the rules say
               whether the episode goes on

When it is over, trajectory and part are on disk before anything is scored, so a judge that fails
costs a number and never an episode. Whatever breaks is caught here, once, and put at one door
(policy, tool, sandbox, render or reward); other episodes go on. Calls that a model got wrong are
not faults: they are answered, and the model reads the answer. Nor is a conversation that has
outgrown its budget, or a person who presses Ctrl-C: the record is finished as at any other end.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from cadwright.agent import artifacts, events
from cadwright.agent.context import ContextOverflow
from cadwright.agent.episode_result import Area, EpisodeResult, Fault
from cadwright.agent.events import Observer, nobody
from cadwright.agent.header import header, walls_around
from cadwright.agent.messages import AssistantTurn, Conversation, Message
from cadwright.agent.policies.policy import DecisionFailed, DecisionStopped, Policy, visible_to
from cadwright.agent.tally import Tally
from cadwright.agent.trajectory import TrajectoryWriter
from cadwright.envs import workspaces
from cadwright.envs.core import (
    MAX_CALLS_PER_TURN,
    EndReason,
    EpisodeRules,
    Submission,
    Workspace,
)
from cadwright.tools.errors import InfraError, Outcome, UsageError
from cadwright.tools.tool import ImageBlock, TextBlock, ToolCall, ToolResult

if TYPE_CHECKING:
    from cadwright.envs.runtime import Runtime
    from cadwright.envs.task import GeometrySource, Task
    from cadwright.rewards.score import Score


_HELD_BACK = ToolResult("skip", "a person held the turn back")  # no failure of the policy


class EpisodeBroken(Exception):
    """Carries a fault from where it happened to where the episode ends."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


@dataclass(slots=True)
class _Episode:
    """What the steps of one episode share."""

    task: Task
    policy: Policy
    runtime: Runtime
    workspace: Workspace
    log: TrajectoryWriter
    tell: Observer
    seed: int
    variant: str
    rules: EpisodeRules
    conversation: Conversation = field(default_factory=Conversation)
    tally: Tally = field(default_factory=Tally)
    handed_in: Submission | None = None
    is_interrupted: bool = False
    note: str = ""  # why it ended, where the reason alone says too little

    def say(self, message: Message) -> None:
        self.conversation.append(message)
        self.log.message(message)


def run_episode(
    task: Task,
    policy: Policy,
    runtime: Runtime,
    folder: Path,
    *,
    seed: int | None = None,
    variant: str = "",
    suite: str = "",
    wanted: artifacts.Wanted = artifacts.ALL,
    on_event: Observer = nobody,
    workspace: Workspace | None = None,
) -> EpisodeResult:
    """Run one episode and leave all of it in ``folder``.

    Args:
        task: What to make; the policy gets its public half unless it is privileged.
        policy: Decides.
        runtime: Sandbox, judge and renderer.
        folder: Fresh folder for trajectory, pictures and part.
        seed: Seed of workspace and policy; the task's own where it is None.
        variant: Which of the policy's attempts to run.
        suite: Where the task came from, so that a replay can find it.
        wanted: Files to leave behind besides the trajectory.
        on_event: Told what happens while it happens.
        workspace: What to work on; made for the task's environment where it is None.

    Returns:
        The result. A fault of ours is in it (``fault``), never raised.

    Raises:
        KeyboardInterrupt: Somebody pressed Ctrl-C. The record is complete and scored before this
            goes on, as an episode that was ``stopped``; a second Ctrl-C does not wait for that.
    """
    start = time.monotonic()
    seed = task.seed if seed is None else seed
    events.listen(policy, on_event)
    with (
        TrajectoryWriter(folder) as log,
        _closing(workspace or workspaces.make_workspace(task, runtime)) as ws,
    ):
        log.record("header", header(task, policy, seed, variant, suite))
        rules = EpisodeRules(task.limits)
        episode = _Episode(task, policy, runtime, ws, log, on_event, seed, variant, rules)
        reason, submission, fault = _attempt(episode)
        on_event(events.Ended(reason))
        files = _keep(episode, submission, wanted)
        score, fault = _judge(episode, submission, fault)
        result = _result(episode, reason, submission, score, fault, files, start)
        _put_on_record(log, result)
    on_event(events.Scored(result))
    if episode.is_interrupted:
        raise KeyboardInterrupt
    return result


def _attempt(episode: _Episode) -> tuple[EndReason, Submission, Fault | None]:
    """Converse until the episode ends, then take what there is to score."""
    try:
        reason = _converse(episode)
        return reason, _take(episode), None
    except KeyboardInterrupt:
        episode.is_interrupted, episode.note = True, "interrupted"
        episode.log.record("interrupted", {})
        return EndReason.STOPPED, _salvage(episode), None
    except EpisodeBroken as broken:
        is_policy = broken.fault.area == "policy" and not broken.fault.is_infra
        reason = EndReason.POLICY_ERROR if is_policy else EndReason.INFRA_ERROR
        return reason, _salvage(episode), broken.fault


def _take(episode: _Episode) -> Submission:
    with _blamed_on("tool"):
        return episode.handed_in or episode.workspace.finish()


def _salvage(episode: _Episode) -> Submission:
    """Take what a broken episode has made so far: it is kept, though never scored."""
    try:
        return _take(episode)
    except EpisodeBroken:
        return Submission(None, Outcome.NO_RESULT, "no part was made")


def _converse(episode: _Episode) -> EndReason:
    """Perceive, decide, execute, verify, until the rules end it."""
    _perceive(episode)
    while True:
        try:
            turn = _decide(episode)
        except ContextOverflow as full:
            episode.log.overflow(full)
            episode.tally.drop(full.report)
            episode.note = str(full)
            return EndReason.CONTEXT_LIMIT
        if turn.is_stop:
            return EndReason.STOPPED
        results = _hand_in(episode, turn.gold) if turn.gold else _execute(episode, turn)
        _refuse(episode, turn)
        reason = episode.rules.after_turn((_HELD_BACK,) if turn.is_skipped else results)
        if reason is not None:
            return reason
        if not results and not turn.problems:
            _prompt_for_a_call(episode)


def _perceive(episode: _Episode) -> None:
    """Open the task and put the first observation into the conversation."""
    with _blamed_on("tool"):
        blocks = episode.workspace.reset(episode.task, episode.seed)
        episode.log.record("confinement", {"walls": list(walls_around(episode.workspace))})
    episode.say(Message("user", blocks))
    shown = tuple(episode.log.save_image(b) for b in blocks if isinstance(b, ImageBlock))
    episode.tell(events.Began(episode.task.id, blocks, shown))
    episode.log.tools(episode.workspace.tools())
    with _blamed_on("policy"):
        visible = visible_to(episode.policy, episode.task)
        episode.policy.reset(visible, episode.seed, episode.variant)


def _decide(episode: _Episode) -> AssistantTurn:
    """Ask the policy for its next turn."""
    start = time.monotonic()
    with _blamed_on("policy"), _paid_by(episode):
        turn = episode.policy.act(episode.conversation, episode.workspace.tools())
        if turn.gold is not None and not episode.policy.is_privileged:
            raise UsageError(f"policy {episode.policy.name} is not privileged to hand in gold")
    seconds = time.monotonic() - start
    episode.tally.add(turn)
    episode.say(turn.as_message())
    episode.log.decision(turn, seconds)
    episode.tell(events.Decided(episode.conversation.num_turns, turn, seconds))
    return turn


def _execute(episode: _Episode, turn: AssistantTurn) -> tuple[ToolResult, ...]:
    """Run the calls of one turn in order, up to the one that ends the episode."""
    results: list[ToolResult] = []
    for number, call in enumerate(turn.tool_calls):
        result = _too_many(call) if number >= MAX_CALLS_PER_TURN else _call(episode, call)
        _answer(episode, call, result)
        episode.rules.note_call(call, result)
        results.append(result)
        if result.is_final:
            break
    return tuple(results)


def _call(episode: _Episode, call: ToolCall) -> ToolResult:
    episode.tally.calls += 1
    with _blamed_on("tool"):
        result = episode.workspace.call(call)
        if result.outcome is Outcome.INFRA_ERROR:
            raise InfraError(result.text)
    return result


def _answer(episode: _Episode, call: ToolCall, result: ToolResult) -> None:
    """Put a result into the conversation and on record."""
    episode.log.result(call, result)
    episode.say(Message("tool", result.blocks(), call_id=call.id))
    images = tuple(episode.log.save_image(image) for image in result.images)
    episode.tell(events.Executed(episode.conversation.num_turns, call, result, images))


def _refuse(episode: _Episode, turn: AssistantTurn) -> None:
    """Answer each call that could not be run, so that the policy can write it again."""
    for problem in turn.problems:
        if problem.is_failure:
            episode.rules.note_refusal(f"{problem.code} {problem.message}")
        episode.tell(events.Refused(episode.conversation.num_turns, problem))
        if problem.call is not None:  # a server insists on an answer to every id
            text = TextBlock(f"error: {problem.message}")
            episode.say(Message("tool", (text,), call_id=problem.call.id))
    words = [problem.message for problem in turn.problems if problem.call is None]
    if words:
        episode.say(Message("user", (TextBlock("\n".join(words)),)))


def _hand_in(episode: _Episode, gold: GeometrySource) -> tuple[ToolResult, ...]:
    """Take a privileged policy's part past the workspace, and say so on record."""
    with _blamed_on("tool"):
        part = episode.runtime.part_of(gold)
        inspection = episode.runtime.judge.inspect(part)
    episode.handed_in = Submission(
        part, inspection.outcome, inspection.message, inspection, is_submitted=True
    )
    episode.log.record("privileged_submit", {"digest": part.digest, "source": gold.name})
    return (ToolResult("submit", f"handed in {gold.name} past the workspace", is_final=True),)


def _prompt_for_a_call(episode: _Episode) -> None:
    """Answer a turn that called nothing."""
    names = ", ".join(spec.name for spec in episode.workspace.tools())
    is_asked = episode.task.answer is not None
    last = "Call answer with the number." if is_asked else "Call submit when the part is finished."
    text = f"No tool was called. Call one of: {names}. {last}"
    episode.say(Message("user", (TextBlock(text),)))


def _keep(episode: _Episode, submission: Submission, wanted: artifacts.Wanted) -> dict[str, str]:
    """Save part and pictures; what cannot be written is noted and costs nothing else."""
    files, problems = artifacts.save(submission, episode.runtime, episode.log.folder, wanted)
    for problem in problems:
        episode.log.record("artifact_problem", {"message": problem})
    return files


def _judge(
    episode: _Episode, submission: Submission, fault: Fault | None
) -> tuple[Score | None, Fault | None]:
    """Score what was left behind, unless the episode broke before."""
    if fault is not None:
        return None, fault
    try:
        with _blamed_on("reward"):
            score = episode.runtime.score(episode.task, submission)
            if score.verdict == "infra_error":
                raise InfraError(score.reason)
    except EpisodeBroken as broken:
        return None, broken.fault
    return score, None


def _result(
    episode: _Episode,
    reason: EndReason,
    submission: Submission,
    score: Score | None,
    fault: Fault | None,
    files: dict[str, str],
    start: float,
) -> EpisodeResult:
    outcome, message = _outcome(episode, submission, fault)
    tally = episode.tally
    return EpisodeResult(
        task_id=episode.task.id,
        variant=episode.variant,
        policy=episode.policy.name,
        seed=episode.seed,
        outcome=outcome,
        end_reason=reason,
        message=episode.note or message or (score.reason if score is not None else ""),
        turns=episode.conversation.num_turns,
        calls=tally.calls,
        score=score,
        part_digest=submission.part.digest if submission.part is not None else "",
        seconds=time.monotonic() - start,
        folder=episode.log.folder,
        files=files,
        fault=fault,
        problems=tally.problems,
        repairs=tally.repairs,
        usage=tally.usage,
        context=tally.context,
    )


def _outcome(episode: _Episode, submission: Submission, fault: Fault | None) -> tuple[Outcome, str]:
    """Return ``ok`` for a part, else the failure that left the policy without one, and why."""
    if fault is not None:
        return Outcome.INFRA_ERROR, f"{fault.area}: {fault.error}: {fault.message}"
    return submission.outcome, submission.message


def _put_on_record(log: TrajectoryWriter, result: EpisodeResult) -> None:
    """Write the score file and the last records."""
    if result.score is not None:
        artifacts.write_json(log.folder / "score.json", result.score.to_json())
    if result.fault is not None:
        log.record("fault", {**result.fault.to_json(), "trace": result.fault.trace})
    data = result.to_json()
    seconds = data.pop("seconds")
    log.record("end", data, seconds=seconds)


def _too_many(call: ToolCall) -> ToolResult:
    text = f"error: not run: one turn may hold {MAX_CALLS_PER_TURN} calls; make it again next turn"
    return ToolResult(call.name, text, outcome=Outcome.BAD_CALL, call_id=call.id)


@contextmanager
def _paid_by(episode: _Episode) -> Iterator[None]:
    """Put on the bill what a decision cost that never came."""
    try:
        yield
    except DecisionStopped as stopped:
        episode.tally.spend(stopped.usage)
        raise
    except DecisionFailed as failed:
        episode.tally.spend(failed.usage)
        episode.log.record("decision_failed", {"message": str(failed)})
        raise


@contextmanager
def _blamed_on(area: Area) -> Iterator[None]:
    """Turn whatever is raised inside into one attributed fault."""
    try:
        yield
    except (EpisodeBroken, ContextOverflow):
        raise
    except Exception as error:
        raise EpisodeBroken(Fault.of(error, area)) from error


@contextmanager
def _closing(workspace: Workspace) -> Iterator[Workspace]:
    """Free the workspace at the end; one that cannot be freed harms nobody but itself."""
    try:
        yield workspace
    finally:
        with suppress(EpisodeBroken), _blamed_on("sandbox"):
            workspace.close()
