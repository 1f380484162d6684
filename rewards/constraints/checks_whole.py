"""Checks of the part as a whole."""

from __future__ import annotations

import numpy as np

from cadwright.rewards.constraints import kinds_whole as kinds
from cadwright.rewards.constraints.own_image import own_image
from cadwright.rewards.constraints.places import place_distance, shown
from cadwright.rewards.constraints.registry import checks
from cadwright.rewards.constraints.result import Finding, Hidden, plain_aspect
from cadwright.rewards.constraints.subject import Subject
from cadwright.tools.geometry.part import FloatArray
from cadwright.tools.geometry.section import section_cut, solid_section
from cadwright.tools.geometry.symmetry import mirroring, turning

G_PER_MM3 = 1e-3  # one g/cm3 in g/mm3
# Share of an area that facets of 17 degrees cut off, at most: what differs by more from the area
# of the triangles is no section, for the kernel fails without a word.
FACETS_CUT = 0.05


@checks(kinds.BoundingBox)
def bounding_box(asked: kinds.BoundingBox, subject: Subject) -> Finding:
    """Compare extents, and the middle where it is asked for."""
    wanted, got = np.array(asked.size), np.array(subject.measures.size_mm)
    if asked.order == "any":
        wanted, got = np.sort(wanted), np.sort(got)
    aspects = [plain_aspect(asked, float(np.abs(wanted - got).max()), "size")]
    text = f"{_box(got)} mm"
    if asked.centre is not None:
        middle = np.mean(subject.measures.bbox_mm, axis=0)
        aspects.append(plain_aspect(asked, place_distance(asked.centre, middle), "middle"))
        text += f" around {shown(middle.tolist())}"
    return Finding(text, tuple(aspects))


@checks(kinds.FitsInBox)
def fits_in_box(asked: kinds.FitsInBox, subject: Subject) -> Finding:
    """Measure what sticks out of the box."""
    allowed, got = np.array(asked.size), np.array(subject.measures.size_mm)
    excess = got - allowed
    if asked.order == "any":
        excess = np.sort(got) - np.sort(allowed)
    if asked.centre is not None:
        excess = _sticks_out(asked, subject)
    aspect = plain_aspect(asked, max(0.0, float(excess.max())), "sticks out, size")
    return Finding(f"{_box(got)} mm", (aspect,))


def _sticks_out(asked: kinds.FitsInBox, subject: Subject) -> FloatArray:
    centre = np.array([np.nan if v is None else v for v in asked.centre or ()])
    low, high = np.array(subject.measures.bbox_mm)
    half = np.array(asked.size) / 2
    beyond = np.maximum(high - centre - half, centre - half - low)
    free = high - low - 2 * half
    result: FloatArray = np.where(np.isnan(centre), free, beyond)
    return result


@checks(kinds.Volume)
def volume(asked: kinds.Volume, subject: Subject) -> Finding:
    """Compare volumes."""
    return _amount(asked, _volume(subject))


@checks(kinds.Area)
def area(asked: kinds.Area, subject: Subject) -> Finding:
    """Compare areas."""
    return _amount(asked, subject.measures.area_mm2)


@checks(kinds.Mass)
def mass(asked: kinds.Mass, subject: Subject) -> Finding:
    """Compare masses."""
    return _amount(asked, _volume(subject) * asked.density * G_PER_MM3)


@checks(kinds.SectionArea)
def section_area(asked: kinds.SectionArea, subject: Subject) -> Finding:
    """Cut the part and compare the area of the cut: of exact surfaces where the triangles agree."""
    point = np.array(asked.at) - subject.solid.centre
    area = solid_section(subject.manifold, point, np.array(asked.normal)).area_mm2
    part = subject.part_in_place
    exact = None if part is None else section_cut(part, asked.at, asked.normal).area_mm2
    if exact is not None and abs(exact - area) <= FACETS_CUT * max(exact, area):
        area = exact
    return _amount(asked, area)


@checks(kinds.CentreOfMass)
def centre_of_mass(asked: kinds.CentreOfMass, subject: Subject) -> Finding:
    """Compare places."""
    _volume(subject)
    got = subject.measures.centre_mm
    return Finding(f"{shown(got)} mm", (plain_aspect(asked, place_distance(asked.at, got)),))


@checks(kinds.Inertia)
def inertia(asked: kinds.Inertia, subject: Subject) -> Finding:
    """Compare principal moments, sorted."""
    if subject.measures.inertia_mm5 is None:
        raise Hidden("the part is not closed, so it has no moments of inertia")
    got = np.sort(np.linalg.eigvalsh(np.array(subject.measures.inertia_mm5)))
    wanted = np.sort(np.array(asked.moments))
    share = 100.0 * float((np.abs(got - wanted) / wanted).max())
    text = ", ".join(f"{value:.5g}" for value in got)
    return Finding(f"{text} mm5", (plain_aspect(asked, share),))


@checks(kinds.Bodies)
def bodies(asked: kinds.Bodies, subject: Subject) -> Finding:
    """Compare numbers of bodies."""
    got = subject.measures.bodies
    return Finding(f"{got}", (plain_aspect(asked, float(abs(got - asked.count))),))


@checks(kinds.Genus)
def genus(asked: kinds.Genus, subject: Subject) -> Finding:
    """Compare handles, from the Euler numbers of the surfaces."""
    got = subject.num_handles
    return Finding(f"{got}", (plain_aspect(asked, float(abs(got - asked.count))),))


@checks(kinds.Watertight)
def watertight(asked: kinds.Watertight, subject: Subject) -> Finding:
    """Count open edges; a surface that is tangled instead counts as one."""
    got = subject.measures
    residual = max(got.open_edges, int(not got.is_watertight))
    return Finding(f"{got.open_edges}", (plain_aspect(asked, float(residual)),))


@checks(kinds.Symmetry)
def symmetry(asked: kinds.Symmetry, subject: Subject) -> Finding:
    """Compare the solid with its image."""
    _ = subject.manifold  # refuses what is not closed
    point = np.array(subject.measures.centre_mm if asked.at is None else asked.at)
    place = point - subject.solid.centre
    found = own_image(subject.shape, _motion(asked), place, asked.slack.tolerance)
    about = "" if found.is_exact else "about "
    return Finding(f"{about}{found.differs:.3g} % differ", (plain_aspect(asked, found.differs),))


def _motion(asked: kinds.Symmetry) -> FloatArray:
    if asked.mirror is not None:
        return mirroring(np.array(asked.mirror))
    return turning(np.array(asked.axis), 2.0 * np.pi / asked.fold)


def _amount(asked: kinds.Amount, got: float) -> Finding:
    return Finding(f"{got:.6g} {asked.unit}", (plain_aspect(asked, abs(got - asked.value)),))


def _volume(subject: Subject) -> float:
    if subject.measures.volume_mm3 is None:
        raise Hidden("the part is not closed, so it has no volume")
    solid = subject.solid
    if solid.volume_mm3 is not None and solid.has("crosses_itself"):
        return solid.volume_mm3  # the kernel counts twice what is enclosed twice
    return subject.measures.volume_mm3


def _box(sizes: FloatArray) -> str:
    return " x ".join(f"{size:.6g}" for size in sizes)
