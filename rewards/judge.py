"""Ask a judge worker for a score, and decide whose fault it is when the worker dies.

A metric that hangs or crashes costs its limit and this one sample. It is not the policy's fault
by itself, so it must not become a 0; nor may a part that kills every judge become a free mask.
So the part is tried again in a fresh worker, then without the exact boolean, and if it still
kills the worker, the reference is scored against itself: only when that works is the part to
blame. A job of ours that raises is never blamed on the part.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cadwright.rewards.score import Score, Verdict
from cadwright.rewards.scorer import failure_score, infra_score
from cadwright.rewards.scoring import Scoring
from cadwright.tools.errors import InfraError, Outcome, WorkerCrash, WorkerTimeout
from cadwright.tools.geometry.client import GeometryClient
from cadwright.tools.geometry.part import Part
from cadwright.tools.geometry.wire import encode_part

SCORE_TIMEOUT_S = 20.0
# Whether each try may use the exact boolean. The second is for a worker that died by chance.
TRIES = (True, True, False)


class Judge(GeometryClient):
    """A geometry client that scores as well.

    Args:
        worker: A worker whose jobs are those of ``cadwright.rewards.jobs``.
    """

    def score(
        self,
        part: Part | None,
        reference: Part | None,
        scoring: Scoring,
        *,
        timeout_s: float = SCORE_TIMEOUT_S,
    ) -> Score:
        """Return the score of a part; a worker of ours that fails becomes a verdict.

        Args:
            part: What the policy made, or None where it made nothing.
            reference: What it should have been, or None where the task has no reference.
            scoring: How to score it.
            timeout_s: Wall-clock limit of each try.

        Returns:
            The score. ``invalid`` with value 0 for a part that cannot be measured though the
            reference can; ``infra_error`` without a value where the judge itself failed.
        """
        if part is None:
            return failure_score(Outcome.NO_RESULT, "there is no part to score", scoring)
        if reference is None:
            reason = "the task has no reference to score against"
            return Score(None, Verdict.UNSCORABLE, reason)
        request = _Request(part, reference, scoring, timeout_s)
        failure = InfraError("not tried")
        for is_exact_allowed in TRIES:
            try:
                return self._ask(request, is_exact_allowed=is_exact_allowed)
            except InfraError as err:
                failure = err
        return self._blame(request, failure)

    def _ask(self, request: _Request, *, is_exact_allowed: bool) -> Score:
        header, blobs = request.encode()
        reply, _ = self._worker.call(
            "score",
            header | {"is_exact_allowed": is_exact_allowed},
            blobs,
            timeout_s=request.timeout_s,
        )
        return Score.from_json(reply["score"])

    def _blame(self, request: _Request, failure: InfraError) -> Score:
        """Say whether part or judge is at fault, by scoring the reference against itself."""
        scoring = request.scoring
        if not isinstance(failure, WorkerTimeout | WorkerCrash):
            return infra_score(f"the judge failed: {failure}", scoring)
        try:
            self._ask(request.of_reference(), is_exact_allowed=True)
        except InfraError as err:
            return infra_score(f"the judge failed on part and reference alike: {err}", scoring)
        message = f"part cannot be measured within limits ({failure})"
        return failure_score(Outcome.RESOURCE_LIMIT, message, scoring)


@dataclass(frozen=True, slots=True, eq=False)
class _Request:
    """One pair to score."""

    part: Part
    reference: Part
    scoring: Scoring
    timeout_s: float

    def of_reference(self) -> _Request:
        """Return the same request with the reference in the part's place."""
        return _Request(self.reference, self.reference, self.scoring, self.timeout_s)

    def encode(self) -> tuple[dict[str, Any], list[bytes]]:
        """Return the frame to send."""
        part, blobs = encode_part(self.part)
        reference, more = encode_part(self.reference, first_blob=len(blobs))
        header = {"part": part, "reference": reference, "scoring": self.scoring.to_dict()}
        return header, [*blobs, *more]
