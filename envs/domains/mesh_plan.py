"""What every mesh operation starts from and what it plans, before it becomes a task."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cadwright.envs.domains.domain import Constraints, Domain, Request, Source
from cadwright.envs.domains.mesh_shapes import Numbers, Shape, mesh_from
from cadwright.envs.domains.randomness import generator
from cadwright.envs.domains.seeds import MOST_DRAWS, split_by_hash
from cadwright.envs.sources import GeometrySource
from cadwright.envs.task import Task
from cadwright.rewards.normalise import count_tangled
from cadwright.tools.errors import GeometryError, UsageError
from cadwright.tools.geometry.part import Mesh
from cadwright.tools.geometry.stl import read_stl, write_stl

VERSION = "2"
_MOST_REFUSED = 100  # shapes that an operation may turn down

Call = dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """One drawn shape, and the chance and difficulty of the operation on it.

    Attributes:
        shape: Its kind.
        numbers: Its numbers, mm.
        mesh: Its triangles, as they come out of the file of the task.
        rng: Chance of the operation.
        difficulty: 1 to 5.
    """

    shape: Shape
    numbers: Numbers
    mesh: Mesh
    rng: np.random.Generator
    difficulty: int

    def one_of(self, *wordings: str) -> str:
        """Return one of several wordings."""
        return wordings[int(self.rng.integers(len(wordings)))]


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """A task before it has an id.

    Attributes:
        brief: What to do.
        start: The mesh to begin with.
        calls: The calls that do it; ``submit`` is added where none of them ends the task.
        reference: What should come out, a mesh or a program; None where constraints or an answer
            decide.
        constraints: What the result meets.
        scoring: As in a task.
        answer: As in a task.
        features: How much there is to get right.
        meta: More hidden notes.
    """

    brief: str
    start: Mesh
    calls: tuple[Call, ...] = ()
    reference: Mesh | str | None = None
    constraints: Constraints = ()
    scoring: Mapping[str, Any] = field(default_factory=dict)
    answer: Mapping[str, Any] | None = None
    features: int = 1
    meta: Mapping[str, Any] = field(default_factory=dict)


Maker = Callable[[Given], Plan]


def call(name: str, /, **arguments: Any) -> Call:
    """Return one gold call."""
    return {"name": name, "arguments": arguments}


def stored(mesh: Mesh) -> Mesh:
    """Return a mesh as it comes back from its file, whose numbers have 32 bits."""
    return read_stl(write_stl(mesh), "mesh")


def source_for(operation: str, shape: Shape, make: Maker, *, env: str = "mesh") -> Source:
    """Return the domain of an operation on a shape."""
    made = Domain(env, operation, "start", shape.name, version=VERSION)
    return Source(made, functools.partial(_task, made, shape, make))


def _task(made: Domain, shape: Shape, make: Maker, request: Request) -> Task:
    """Return one task: shapes are drawn until one belongs to the split and can be worked on."""
    words = (made.id, made.version, request.split, request.seed, request.difficulty)
    rng = generator(*words)
    num_refused = 0
    for _ in range(MOST_DRAWS):
        numbers = shape.draw(rng, request.difficulty)
        if split_by_hash(_named(shape, numbers)) != request.split:
            continue
        mesh = stored(mesh_from(shape.build(numbers)))
        try:
            plan = make(Given(shape, numbers, mesh, rng, request.difficulty))
            check_reference(plan.reference)
        except GeometryError:  # these numbers do not go together with what is asked
            num_refused += 1
            if num_refused > _MOST_REFUSED:
                break
            continue
        return _task_of(made, request, plan, numbers)
    raise UsageError(f"{made.id} has no task of difficulty {request.difficulty}")


def check_reference(reference: Mesh | str | None) -> None:
    """Refuse a result that touches itself: the judge can hold no part against it."""
    if isinstance(reference, Mesh) and count_tangled(stored(reference)):
        raise GeometryError("edges of the result are shared by more than two triangles")


def _named(shape: Shape, numbers: Numbers) -> bytes:
    """Return the numbers that say what a part is; bits of its mesh differ between processors."""
    return json.dumps([shape.name, dict(numbers)], sort_keys=True).encode()


def _task_of(made: Domain, request: Request, plan: Plan, numbers: Numbers) -> Task:
    return Task(
        id=f"{made.id}/{request.name}",
        brief=plan.brief,
        domain=made.id,
        env=made.env,
        start=GeometrySource(write_stl(plan.start), "stl"),
        reference=_reference(plan.reference),
        constraints=plan.constraints,
        scoring=plan.scoring,
        answer=plan.answer,
        difficulty=request.difficulty,
        seed=request.seed,
        meta={
            "source": "cadwright",
            "licence": "Apache-2.0",
            "units": "mm",
            "family": made.family,
            "version": made.version,
            "split": request.split,
            "features": plan.features,
            "numbers": dict(numbers),
            "gold": _gold(plan),
            **plan.meta,
        },
    )


def _reference(given: Mesh | str | None) -> GeometrySource | None:
    if isinstance(given, Mesh):
        return GeometrySource(write_stl(given), "stl")
    return None if given is None else GeometrySource(given)


def _gold(plan: Plan) -> Any:
    if not plan.calls:
        return "reference"
    is_ended = plan.calls[-1]["name"] in ("submit", "answer")
    return {"calls": [*plan.calls, *([] if is_ended else [call("submit")])]}
