"""Cut a part open and look at the cut.

A closed mesh is trimmed by manifold3d, so the cut is closed with caps, which are hatched. An open
mesh has no inside: its triangles are clipped and the picture says that there are no caps.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from cadwright.tools.errors import ToolError
from cadwright.tools.geometry.part import Mesh
from cadwright.tools.rendering import topology
from cadwright.tools.rendering.camera import Camera, aligned_camera, camera_at, direction_of
from cadwright.tools.rendering.clip import Plane, clip_lines, clip_triangles, cut_lines, joined
from cadwright.tools.rendering.frame import MAX_PX, Renderer
from cadwright.tools.rendering.layout import Layout, check_size
from cadwright.tools.rendering.scene import Scene
from cadwright.tools.rendering.topology import Flags, Floats, Ints
from cadwright.tools.rendering.views import finished
from cadwright.tools.tool import ImageBlock

Axis = Literal["x", "y", "z"]
Look = Literal["flat", "iso"]

# For each axis: the view that looks at the cut, and the sign of the side that is cut away.
_VIEW_OF_AXIS = {"x": ("right", 1.0), "y": ("front", -1.0), "z": ("top", 1.0)}
ON_PLANE = 1e-9  # distance in radii of the part within which a vertex lies on the plane


def section_view(
    renderer: Renderer,
    scene: Scene,
    *,
    axis: str = "x",
    offset_mm: float | None = None,
    size: int = 512,
    look: str = "flat",
) -> ImageBlock:
    """Draw the part cut open across an axis.

    Args:
        renderer: Backend.
        scene: What to cut.
        axis: ``x`` shows the cut from the right, ``y`` from the front, ``z`` from the top.
        offset_mm: Where along the axis, in the part's coordinates; None for the middle.
        size: Edge length of the picture in pixels.
        look: ``flat`` looks straight at the cut, ``iso`` at an angle.

    Raises:
        ToolError: The plane misses the part; the message gives the range that hits it.
    """
    check_size(size, MAX_PX)
    plane = _plane(scene, axis, offset_mm)
    cut, is_capped = cut_scene(scene, plane)
    layout = Layout.single(_camera(scene, axis, look), (size, size))
    frame = layout.frames(renderer, cut)[0]
    where = f"section {axis} = {plane.offset_mm:.6g} mm"
    warnings = () if is_capped else ("open surface: the cut has no caps",)
    seen = f"from the {_VIEW_OF_AXIS[axis][0]}" if look == "flat" else "at an angle"
    caption = f"{where}, seen {seen}"
    return finished(
        renderer,
        layout,
        cut,
        [frame.colour],
        caption,
        warnings=warnings,
        labels=(where.capitalize(),),
    )


def cut_scene(scene: Scene, plane: Plane) -> tuple[Scene, bool]:
    """Return what is left of ``scene``, and whether the cut is closed with caps."""
    mesh = _trimmed(scene, plane)
    if mesh is None:
        lines = joined(clip_lines(scene, plane), cut_lines(scene, plane))
        return Scene(clip_triangles(scene, plane), lines), False
    cap = int(scene.face_ids.max()) + 1
    vertices = np.asarray(mesh.vertices)
    is_near = np.abs(plane.above(vertices[mesh.faces])) < ON_PLANE * scene.box.radius
    is_cap: Flags = np.asarray(is_near.all(axis=1))
    face_ids = np.where(is_cap, np.int32(cap), mesh.face_ids).astype(np.int32)
    edges = joined(clip_lines(scene, plane), _outline(mesh, is_cap))
    return Scene(Mesh(mesh.vertices, mesh.faces, face_ids), edges, caps=frozenset([cap])), True


def _plane(scene: Scene, axis: str, offset_mm: float | None) -> Plane:
    if axis not in get_args(Axis):
        raise ToolError(f"section axis is {axis!r}: use x, y or z")
    index = "xyz".index(axis)
    low, high = float(scene.box.low[index]), float(scene.box.high[index])
    offset = (low + high) / 2.0 if offset_mm is None else float(offset_mm)
    if not low < offset < high:
        raise ToolError(
            f"a section at {axis} = {offset:g} mm misses the part: "
            f"use a value between {low:g} and {high:g}"
        )
    return Plane(index, offset, _VIEW_OF_AXIS[axis][1])


def _camera(scene: Scene, axis: str, look: str) -> Camera:
    if look not in get_args(Look):
        raise ToolError(f"look is {look!r}: use flat or iso")
    if look == "flat":
        return aligned_camera(scene.box, _VIEW_OF_AXIS[axis][0])
    return camera_at(scene.box, scene.framed_points, *direction_of("iso"), name="iso")


def _trimmed(scene: Scene, plane: Plane) -> Mesh | None:
    """Trim with manifold3d; None where the mesh is not closed."""
    import manifold3d

    used, faces = np.unique(topology.weld(scene.vertices)[scene.faces], return_inverse=True)
    faces = faces.reshape(-1, 3)
    source = manifold3d.Mesh64(
        np.ascontiguousarray(scene.vertices[used] - scene.box.centre),
        np.ascontiguousarray(_outward(scene, faces), dtype=np.uint64),
        face_id=scene.face_ids.astype(np.uint64),
    )
    solid = manifold3d.Manifold(source)
    if solid.status() != manifold3d.Error.NoError or solid.is_empty():
        return None
    offset = (plane.offset_mm - float(scene.box.centre[plane.axis])) * -plane.side
    left = solid.trim_by_plane(tuple(map(float, plane.normal)), offset).to_mesh64()
    vertices = np.asarray(left.vert_properties)[:, :3] + scene.box.centre
    vertices[:, plane.axis] = _snapped(vertices[:, plane.axis], plane, scene)
    left_faces = _outward(scene, np.asarray(left.tri_verts, dtype=np.int64))
    face_ids = np.asarray(left.face_id, dtype=np.int32)
    if not len(left_faces):
        return None
    return Mesh(vertices, left_faces.astype(np.int32), face_ids)


def _snapped(values: Floats, plane: Plane, scene: Scene) -> Floats:
    """Put what lies on the plane exactly on it, whatever recentring cost."""
    near = np.abs(values - plane.offset_mm) < 1e-6 * scene.box.radius
    return np.where(near, plane.offset_mm, values)


def _outward(scene: Scene, faces: Ints) -> Ints:
    """Turn the triangles of an inside-out part, which would be an infinite solid with a hole."""
    return faces[:, ::-1] if scene.is_inside_out else faces


def _outline(mesh: Mesh, is_cap: Flags) -> Floats:
    """Return (k, 2, 3) where caps meet the rest."""
    faces = mesh.faces.astype(np.int64)
    normals = topology.normalise(topology.cross_products(mesh.vertices, faces))
    table = topology.edge_table(topology.weld(mesh.vertices)[faces], normals)
    is_border = (table.right < 0) | (is_cap[table.left] != is_cap[table.right])
    outline: Floats = mesh.vertices[table.ends[is_border]]
    return outline
