"""Ask a judge worker for a score, and decide whose fault it is when the worker dies.

A metric that hangs or crashes costs its limit and this one sample. It is not the policy's fault
by itself, so it must not become a 0; nor may a part that kills every judge become a free mask.
So the part is tried again in a fresh worker, then without the exact boolean, and if it still
kills the worker, the reference is scored against itself: only when that works is the part to
blame. A job of ours that raises is never blamed on the part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from cadwright.rewards.baseline import gained, may_gain
from cadwright.rewards.constraints.kinds_space import region_of
from cadwright.rewards.constraints.parse import parse_constraints, to_plain
from cadwright.rewards.constraints.record import Constraint
from cadwright.rewards.constraints.result import ConstraintReport
from cadwright.rewards.score import Score, Verdict
from cadwright.rewards.scorer import failure_score, infra_score
from cadwright.rewards.scoring import Scoring
from cadwright.tools.errors import InfraError, Outcome, WorkerCrash, WorkerTimeout
from cadwright.tools.geometry.client import GeometryClient, Worker
from cadwright.tools.geometry.part import Mesh, Part
from cadwright.tools.geometry.wire import decode_part, encode_part
from cadwright.tools.kept import Kept

SCORE_TIMEOUT_S = 20.0
KEPT_STARTS, KEPT_MESHES = 64, 4
# Whether each try may use the exact boolean. The second is for a worker that died by chance.
TRIES = (True, True, False)
# A tetrahedron: any judge that works can measure it.
PLAIN_BODY = Mesh(
    np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]),
    np.array([(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)], np.int32),
    np.arange(4, dtype=np.int32),
)


class Judge(GeometryClient):
    """A geometry client that scores as well.

    Args:
        worker: A worker whose jobs are those of ``cadwright.rewards.jobs``.
    """

    def __init__(self, worker: Worker) -> None:
        super().__init__(worker)
        self._starts: Kept[Score] = Kept(KEPT_STARTS)
        self._meshes: Kept[Mesh | None] = Kept(KEPT_MESHES)

    def score(
        self,
        part: Part | None,
        reference: Part | None,
        scoring: Scoring,
        *,
        constraints: Sequence[Constraint] = (),
        start: Part | None = None,
        timeout_s: float = SCORE_TIMEOUT_S,
    ) -> Score:
        """Return the score of a part; a worker of ours that fails becomes a verdict.

        Args:
            part: What the policy made, or None where it made nothing.
            reference: What it should have been, or None where the task has no reference.
            scoring: How to score it.
            constraints: What the task asks of the part by name, with ids of their own.
            start: What the part was made from, where the task is an edit. A relative scoring
                counts what was gained over it; a part of triangles, over the better of the start
                and its triangles.
            timeout_s: Wall-clock limit of each try.

        Returns:
            The score. ``invalid`` with value 0 for a part that cannot be measured though the
            reference can; ``infra_error`` without a value where the judge itself failed.
        """
        checks = tuple(constraints)
        if start is None or not scoring.is_relative or scoring.needs_start:
            return self._score(part, reference, scoring, checks, start, timeout_s)
        given = (reference, scoring, checks, start, timeout_s)
        is_start = part is not None and (part.digest, part.name) == (start.digest, start.name)
        score = self._unedited(start, *given) if is_start else self._score(part, *given)
        unedited = self._unedited(start, *given)
        is_mesh = part is not None and part.brep is None and start.brep is not None
        if is_mesh and may_gain(score, unedited):
            facets = self._unedited(self._triangles_of(start), *given)
            unedited = max(unedited, facets, key=lambda one: one.value or 0.0)
        return gained(score, unedited)

    def _unedited(
        self,
        form: Part,
        reference: Part | None,
        scoring: Scoring,
        constraints: tuple[Constraint, ...],
        start: Part,
        timeout_s: float,
    ) -> Score:
        """Return the score of the start in one of its forms, kept."""
        key = (form.digest, reference and reference.digest, repr(scoring), repr(constraints))
        request = (reference, scoring, constraints, start, timeout_s)
        score = self._starts.get(key, lambda: self._score(form, *request))
        if score.verdict is Verdict.INFRA_ERROR:  # our own failure: another try may succeed
            self._starts.drop(key)
        return score

    def _triangles_of(self, start: Part) -> Part:
        """Return a start as triangles: facets take a little off it, which is no edit."""
        try:
            mesh = self._meshes.get(start.digest, lambda: self.inspect(start).mesh)
        except InfraError:
            return start
        return start if mesh is None else Part(mesh=mesh, name=start.name)

    def _score(
        self,
        part: Part | None,
        reference: Part | None,
        scoring: Scoring,
        constraints: tuple[Constraint, ...],
        start: Part | None,
        timeout_s: float,
    ) -> Score:
        """Return the score of a part as it is."""
        if part is None:
            return failure_score(Outcome.NO_RESULT, "there is no part to score", scoring)
        if reference is None and scoring.needs_reference:
            reason = "the task has no reference to score against"
            return Score(None, Verdict.UNSCORABLE, reason)
        if start is None and scoring.needs_start:
            return Score(None, Verdict.UNSCORABLE, "the task has no start to compare with")
        is_asked = "constraints" in scoring.weights or scoring.needs_start
        checks = self._asked(constraints, start) if is_asked else None
        request = _Request(part, reference, scoring, timeout_s, checks)
        failure = InfraError("not tried")
        for is_exact_allowed in TRIES:
            try:
                return self._ask(request, is_exact_allowed=is_exact_allowed)
            except InfraError as err:
                failure = err
        return self._blame(request, failure)

    def check(
        self,
        part: Part,
        constraints: Sequence[Constraint],
        *,
        start: Part | None = None,
        reference: Part | None = None,
        timeout_s: float = SCORE_TIMEOUT_S,
    ) -> ConstraintReport:
        """Return how a part stands to constraints, one result for each, as a score counts them.

        Args:
            part: The part.
            constraints: What is asked, with ids of their own, as the parser returns them.
            start: What the part was made from, for constraints on edits.
            reference: The right answer: what cannot be checked in it either is held against no
                part.
            timeout_s: Wall-clock limit.

        Raises:
            UsageError: A file that a region names cannot be opened.
            ImportFailure: Such a file holds no part.
            InfraError: The worker failed; that says nothing about the part.
        """
        asked = self._asked(constraints, start)
        reply = self._constraints_reply("constraints", part, asked, timeout_s, reference)
        return ConstraintReport.from_json(reply["report"])

    def derive(self, part: Part, *, timeout_s: float = SCORE_TIMEOUT_S) -> tuple[Constraint, ...]:
        """Return constraints that a part meets, as a proposal for a task.

        Raises:
            GeometryError: The part is no valid solid.
            InfraError: The worker failed.
        """
        header, blobs = encode_part(part)
        reply, _ = self._worker.call("derive", {"part": header}, blobs, timeout_s=timeout_s)
        return parse_constraints(reply["constraints"])

    def interface(
        self,
        part: Part,
        constraints: Sequence[Constraint],
        *,
        timeout_s: float = SCORE_TIMEOUT_S,
    ) -> dict[str, Any]:
        """Return how well a part mates in its best pose, as ``InterfaceScore.to_json`` says it.

        Raises:
            GeometryError: The part is no valid solid, or a mating feature lacks a place or a
                direction.
            InfraError: The worker failed.
        """
        asked = self._asked(constraints, None)
        reply = self._constraints_reply("interface", part, asked, timeout_s)
        found: dict[str, Any] = reply["interface"]
        return found

    def hack(
        self,
        name: str,
        reference: Part,
        *,
        start: Part | None = None,
        timeout_s: float = SCORE_TIMEOUT_S,
    ) -> Part:
        """Return the part of one hack of the red team, made from the right answer.

        Args:
            name: The hack.
            reference: The right answer.
            start: What the task starts from, for hacks that are made from it.
            timeout_s: Wall-clock limit.

        Raises:
            GeometryError: This answer or start cannot be hacked that way.
            InfraError: The worker failed.
        """
        header, blobs = encode_part(reference)
        request: dict[str, Any] = {"part": header, "hack": name}
        if start is not None:
            request["start"], more = encode_part(start, first_blob=len(blobs))
            blobs = [*blobs, *more]
        reply, out = self._worker.call("hack", request, blobs, timeout_s=timeout_s)
        return decode_part(reply["part"], out)

    def _constraints_reply(
        self,
        job: str,
        part: Part,
        asked: _Asked,
        timeout_s: float,
        reference: Part | None = None,
    ) -> dict[str, Any]:
        header, blobs = encode_part(part)
        checks, more = asked.encode(len(blobs))
        request, blobs = {"part": header, **checks}, [*blobs, *more]
        if reference is not None:
            request["reference"], more = encode_part(reference, first_blob=len(blobs))
            blobs = [*blobs, *more]
        reply, _ = self._worker.call(job, request, blobs, timeout_s=timeout_s)
        return reply

    def _asked(self, constraints: Sequence[Constraint], start: Part | None) -> _Asked:
        """Read the files that regions name: a worker sees no files."""
        files = {region.file for region in map(region_of, constraints) if region and region.file}
        bodies = {file: self.read(Path(file)) for file in sorted(files)}
        return _Asked(tuple(constraints), start, bodies)

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
        """Say whether part or judge is at fault, by scoring the reference against itself.

        Without a reference a plain body stands for it: what is measured is then the part alone.
        """
        scoring = request.scoring
        if not isinstance(failure, WorkerTimeout | WorkerCrash):
            return infra_score(f"the judge failed: {failure}", scoring)
        try:
            self._ask(request.of_reference(), is_exact_allowed=True)
        except InfraError as err:
            return infra_score(f"the judge failed on part and reference alike: {err}", scoring)
        message = f"part cannot be measured within limits ({failure})"
        return failure_score(Outcome.RESOURCE_LIMIT, message, scoring, is_graded=False)


@dataclass(frozen=True, slots=True, eq=False)
class _Request:
    """One pair to score."""

    part: Part
    reference: Part | None
    scoring: Scoring
    timeout_s: float
    asked: _Asked | None = None

    def of_reference(self) -> _Request:
        """Return the same request with the reference in the part's place."""
        return replace(self, part=self.reference or Part(mesh=PLAIN_BODY))

    def encode(self) -> tuple[dict[str, Any], list[bytes]]:
        """Return the frame to send."""
        part, blobs = encode_part(self.part)
        header: dict[str, Any] = {"part": part, "scoring": self.scoring.to_dict()}
        if self.reference is not None:
            header["reference"], more = encode_part(self.reference, first_blob=len(blobs))
            blobs = [*blobs, *more]
        if self.asked is not None:
            checks, more = self.asked.encode(len(blobs))
            header, blobs = header | checks, [*blobs, *more]
        return header, blobs


@dataclass(frozen=True, slots=True, eq=False)
class _Asked:
    """Constraints with the geometry that they refer to."""

    constraints: tuple[Constraint, ...]
    start: Part | None
    bodies: Mapping[str, Part]

    def encode(self, first_blob: int) -> tuple[dict[str, Any], list[bytes]]:
        """Return the fields of a frame, and its blobs counted from ``first_blob``."""
        header: dict[str, Any] = {"constraints": [to_plain(one) for one in self.constraints]}
        blobs: list[bytes] = []
        if self.start is not None:
            header["start"], more = encode_part(self.start, first_blob=first_blob)
            blobs += more
        header["bodies"] = {}
        for name, body in self.bodies.items():
            encoded, more = encode_part(body, first_blob=first_blob + len(blobs))
            header["bodies"][name] = encoded
            blobs += more
        return header, blobs
