"""Published scores by name: the scoring that carries each out, with its source and its faults.

Marks: [P] read in a primary source (code, paper or documentation of the authors), [S] taken from
a third party's reading notes of a paper, to be checked before it is cited. What a protocol gets
wrong is kept, because a number is only comparable with numbers made the same way; what it leaves
open is decided here and said. A failed part has the value 0 and stays in every mean.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping

from cadwright.rewards.alignment import Alignment
from cadwright.rewards.score import Score, Verdict
from cadwright.rewards.scoring import Scoring

CADRILLE_ANGLE_DEG = 5.73  # 0.1 rad


def cadrille() -> Scoring:
    """IoU in a unit cube, as cadrille and CADEvolve train and report it.

    Formula:
        R = 10 IoU where the program makes a solid, else -10 (`published_reward`). Reported beside
        it: CD = 1000 (mean d^2 + mean d^2) on 8,192 points each, the median over a test set.
        Centres of the bounding boxes put together, largest extents made equal; pose is kept.

    Source:
        cadrille evaluate.py and the training fork's train_cadrille_grpo.py [P];
        CADEvolve 2602.16317, section 4.4 [P].

    Known faults:
        The chamfer of a perfect part is not 0: about 0.13 on CADPrompt's shapes, the size of the
        published medians (0.15 to 0.18); the noise floor stands on the card. Absolute size does
        not count. The authors' script drops a part whose boolean fails from the mean instead of
        counting 0, picks the best candidate for CD and for IoU independently, and prints means
        with the worst shapes deleted: none of that is done here. Its limit of 3 s a program and
        its IoU summed body by body are not imitated either; here overlapping bodies are united.
    """
    return Scoring(
        protocol="cadrille",
        alignment=Alignment.TRANSLATE_SCALE,
        weights={"iou": 1.0, "chamfer_sq_unit_x1000": 0.0},
        num_points=8192,
        facet_deg=CADRILLE_ANGLE_DEG,
        is_relative=False,
    )


def cadevolve() -> Scoring:
    """The reward of CADEvolve: cadrille's, under a name of its own.

    Formula:
        R = 10 IoU if the code compiles, otherwise -10.

    Source:
        CADEvolve 2602.16317, section 4.4 [P].

    Known faults:
        Those of ``cadrille``.
    """
    base = cadrille()
    return Scoring(
        protocol="cadevolve",
        alignment=base.alignment,
        weights={"iou": 1.0, "chamfer_sq_unit_x1000": 0.0},
        num_points=base.num_points,
        facet_deg=base.facet_deg,
        is_relative=False,
    )


def cad_coder() -> Scoring:
    """The geometry reward of CAD-Coder (Beihang).

    Formula:
        R = a R_geo + b R_format; R_geo = 1 for CD < 1e-5, 0 for CD >= 0.5 or a failure, in
        between a straight line from 1 down to 0.01; R_format = 1 iff the answer has a think block
        and a code block.

    Source:
        Reading notes of CAD-Coder, NeurIPS 2025 [S]; a, b, the chamfer's normalisation and the
        number of points are not in them. Here: squared, both ways summed, unit cube, 8,192 points.

    Known faults:
        The format reward needs the policy's text, which no judge of parts sees: only R_geo is
        given. With two independent samples even a perfect part has CD of about 1e-4, so full
        credit cannot be reached. Almost every part earns more than 0.9: the line is flat where
        parts differ. CD is blind to thin walls and inner cavities, and the authors report that a
        reward of CD alone collapses after about 200 steps.
    """
    return Scoring(
        protocol="cad_coder",
        alignment=Alignment.TRANSLATE_SCALE,
        weights={"cad_coder_geometry": 1.0, "iou": 0.0},
        num_points=8192,
        is_relative=False,
    )


def cadgenbench() -> Scoring:
    """The CAD score of CADGenBench for generation tasks.

    Formula:
        0 if invalid, else 0.4 shape + 0.4 interface + 0.2 topology. shape = mean of the surface
        F1 (0.5 % of the diagonal, 20 degrees, sign of the normal ignored) and the volume IoU;
        topology = product over bodies, handles and voids of ((smaller + 1) / (larger + 1))^2.
        Rotation and translation are forgiven, scale never.

    Source:
        huggingface/cadgenbench: docs/metrics.md, topo_match.py, shape_similarity.py [P]. Stored
        versions of the code differ in the F1: 1 % and 30 degrees between samples in earlier ones.

    Known faults:
        Interface volumes of the benchmark are private: a task's own constraints stand for them, and
        where it has none the other two share the weight, so such scores are not the benchmark's: a
        hole of the wrong diameter then costs 0.006 on its own fixture. The original scores every
        mating group in its own best pose. Flipped normals pass. Topology is blind to where a
        feature is. Alignment is a deterministic search here, Open3D's registration there.
    """
    return _cadgenbench(
        "cadgenbench", {"shape_mean": 0.4, "constraints": 0.4, "topology_product": 0.2}
    )


def cadgenbench_edit() -> Scoring:
    """The CAD score of CADGenBench for editing tasks.

    Formula:
        0 if invalid, else 0.6 s' + 0.3 interface + 0.1 topology; s' = max(0, (s - b) / (1 - b)),
        s the shape score of ``cadgenbench`` and b that of the unedited start.

    Source:
        huggingface/cadgenbench: edit_baseline.py, docs/metrics.md [P].

    Known faults:
        Those of ``cadgenbench``. Handing in the start unchanged keeps up to 0.4. Where b is close
        to 1, s' magnifies the noise of the F1. An invalid start makes even the original score 0
        for a no-op, so b means something else on such tasks.
    """
    return _cadgenbench(
        "cadgenbench_edit", {"shape_over_start": 0.6, "constraints": 0.3, "topology_product": 0.1}
    )


def cadrecon() -> Scoring:
    """The reward of the cadrecon package.

    Formula:
        clip(0.5 IoU_tol + 0.3 (1 - CD / diagonal)+ F + 0.2 F, 0, 1), 0 if invalid.
        IoU_tol = m / (|A| + |B| - m) on solid voxels of 1 mm, m the mean of the two counts of
        cells with a partner at most one face away; F1 at 3 % of the diagonal; CD the mean distance
        both ways halved; 4,000 points each.

    Source:
        cadrecon 0.1.3, scoring/core.py, scoring/fill.py and config.py [P]. Six pairs scored by
        both differ by 0.006 at most, which is the noise of the samples.

    Known faults:
        Voxels of 1 mm and the tolerance forgive a millimetre on a part of any size: a plate of
        2 mm may be 4 mm thick. Sealed cavities are filled. A part of more than 512 voxels along
        an axis has no overlap. F at 3 % hides most wrong holes. The original samples both shapes
        with one seed, so a file equal to the target has a chamfer of 0 and an equal part from
        another tessellation has not; here the samples are independent, and a copy earns about
        0.99.
    """
    return Scoring(
        protocol="cadrecon",
        weights={"iou_tolerant_1mm": 0.5, "chamfer_gated": 0.3, "f1_samples": 0.2},
        num_points=4000,
        is_relative=False,
    )


def benchcad() -> Scoring:
    """The IoU of BenchCAD.

    Formula:
        |A and B| / |A or B| on filled voxels, 64 to the largest extent, each shape in a unit cube
        of its own; 0 on any failure. Edits: clip((s - b) / (1 - b), 0, 1) with b the unedited
        input's IoU (`cadwright.rewards.protocols.formulas.over_start`).

    Source:
        BenchCAD/BenchCAD-main, CodeEdit/scoring/iou.py and the Vision2Code environment [P].

    Known faults:
        Every cell that the surface touches is filled, so walls come out up to a voxel thicker and
        small gaps close; cavities are filled. Each grid is put in the middle by whole cells, which
        forgives small shifts. A failed measurement is 0, the same as a bad part: here it is
        masked. The same model scores differently with views of 128 and of 256 pixels (issue 54).
    """
    return Scoring(
        protocol="benchcad",
        alignment=Alignment.TRANSLATE_SCALE,
        weights={"voxel_iou_64": 1.0, "iou": 0.0},
        is_relative=False,
    )


def normal_auc() -> Scoring:
    """The area under the normals' angle distribution, an optional reward of cadrille's fork.

    Formula:
        For each of 8,192 points of the reference the angle to the best normal among the part's
        points within 1 % of the part's largest extent, pi where there are none; area under the
        distribution of the angles over pi.

    Source:
        marinabar/cadrille-rl, normal_consistency.py [P].

    Known faults:
        A perfect part is far from 1: of 8,192 points on a cube 65 % have no partner within 1 %,
        so a copy earns about 0.35, on a plate of 30 x 20 x 10 it earns 0.65. One way only:
        whatever the part has too much costs nothing. The best normal in reach is taken, so edges
        and thin walls always agree. The original gives the full 1.0 to a part without any
        partner; here that is 0, as the formula says. The reach grows with the part.
    """
    return Scoring(
        protocol="normal_auc",
        alignment=Alignment.TRANSLATE_SCALE,
        weights={"normal_auc": 1.0, "iou": 0.0},
        num_points=8192,
        is_relative=False,
    )


def published_reward(score: Score) -> float | None:
    """Return a score in the units that its authors print: -10 to 10 for cadrille's family.

    Returns:
        The reward, or None where the score is masked. Protocols in [0, 1] are returned as they
        are.
    """
    name = score.card.protocol if score.card is not None else ""
    if score.value is None or name not in ("cadrille", "cadevolve"):
        return score.value
    return -10.0 if score.verdict is Verdict.INVALID else 10.0 * score.value


def description(name: str) -> str:
    """Return what is known about a published protocol: formula, source, faults."""
    return inspect.getdoc(_MAKERS[name]) or ""


def _cadgenbench(name: str, weights: Mapping[str, float]) -> Scoring:
    return Scoring(
        protocol=name,
        alignment=Alignment.RIGID,
        weights={**weights, "surface_f1_normals": 0.0, "iou": 0.0},
        num_points=8192,
        is_relative=False,
    )


_MAKERS = {
    maker.__name__: maker
    for maker in (
        cadrille,
        cadevolve,
        cad_coder,
        cadgenbench,
        cadgenbench_edit,
        cadrecon,
        benchcad,
        normal_auc,
    )
}
PUBLISHED: Mapping[str, Scoring] = {name: make() for name, make in _MAKERS.items()}
