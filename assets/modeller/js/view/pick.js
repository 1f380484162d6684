/** What lies under a pixel: a corner, an edge or a face. Nothing is read back from the screen. */
import { along, cross, dot, scale, sub } from "../kernel/vec.js";

/** @typedef {import("../kernel/vec.js").Vec3} Vec3 */
/**
 * @typedef {object} Hit
 * @property {"face" | "edge"} kind
 * @property {string} id face key or edge id
 * @property {string} body
 * @property {Vec3} point
 * @property {boolean} [isCorner] the point is a corner of the part
 */

const EDGE_REACH = 5; // CSS pixels from an edge that still mean the edge
const CORNER_REACH = 8;
const DEPTH_SLACK = 4; // CSS pixels: an edge lies in its faces, give or take a slope

/**
 * @param {import("./camera.js").Camera} camera
 * @param {import("./shapes.js").BodyShape[]} shapes
 * @returns {Hit | null}
 */
export function pick(camera, shapes, x, y) {
  const face = pickFace(camera, shapes, x, y);
  return pickEdge(camera, shapes, x, y, face) ?? face;
}

/** The hit, moved to a corner of the part if one is near. @returns {Hit | null} */
export function pickPoint(camera, shapes, x, y) {
  const hit = pick(camera, shapes, x, y);
  if (!hit) return null;
  const { topology } = shapes.find((shape) => shape.id === hit.body);
  const edges = [...topology.edges.values()].filter(
    (edge) => edge.isSharp && !edge.isClosed && (edge.id === hit.id || edge.faces.includes(hit.id)),
  );
  const corners = edges.flatMap(({ path }) => [path[0], path[path.length - 1]]);
  let best = null;
  for (const corner of corners) {
    const at = camera.project(topology.points[corner]);
    const gap = Math.hypot(at.x - x, at.y - y);
    if (gap <= (best?.gap ?? CORNER_REACH)) best = { gap, point: topology.points[corner] };
  }
  return best ? { ...hit, point: best.point, isCorner: true } : hit;
}

/** @returns {(Hit & {depth: number}) | null} */
function pickFace(camera, shapes, x, y) {
  const start = camera.unproject(x, y);
  const towards = camera.eye;
  let best = null;
  for (const { id, topology } of shapes) {
    topology.triangles.forEach((corners, t) => {
      const depth = meet(start, towards, ...corners.map((k) => topology.points[k]));
      if (depth === null || (best && depth <= best.depth)) return;
      best = {
        kind: "face",
        id: topology.faceOf[t],
        body: id,
        depth,
        point: along(start, towards, depth),
      };
    });
  }
  return best;
}

/** Distance along the line of sight at which it meets a triangle (Möller and Trumbore). */
function meet(start, direction, a, b, c) {
  const [u, v] = [sub(b, a), sub(c, a)];
  const p = cross(direction, v);
  const det = dot(u, p);
  if (det === 0) return null;
  const s = sub(start, a);
  const q = cross(s, u);
  const [f, g] = [dot(s, p) / det, dot(direction, q) / det];
  return f < 0 || g < 0 || f + g > 1 ? null : dot(v, q) / det;
}

/** The nearest edge on the screen that is not hidden by the face under the pixel. */
function pickEdge(camera, shapes, x, y, face) {
  let best = null;
  for (const shape of shapes) {
    for (const edge of shape.edges) {
      const near = nearest(camera, shape.topology, edge, x, y);
      const isHidden = face && near.depth < face.depth - DEPTH_SLACK * 2 * camera.mmPerPx;
      if (near.gap > (best?.gap ?? EDGE_REACH) || isHidden) continue;
      best = { kind: "edge", id: edge.id, body: shape.id, point: near.point, gap: near.gap };
    }
  }
  return best;
}

function nearest(camera, topology, edge, x, y) {
  let best = { gap: Infinity };
  for (let k = 1; k < edge.path.length; k += 1) {
    const [from, to] = [topology.points[edge.path[k - 1]], topology.points[edge.path[k]]];
    const [a, b] = [camera.project(from), camera.project(to)];
    const [dx, dy] = [b.x - a.x, b.y - a.y];
    const size = dx * dx + dy * dy;
    const t = size ? Math.min(1, Math.max(0, ((x - a.x) * dx + (y - a.y) * dy) / size)) : 0;
    const gap = Math.hypot(x - a.x - t * dx, y - a.y - t * dy);
    if (gap < best.gap) {
      best = {
        gap,
        depth: a.depth + t * (b.depth - a.depth),
        point: along(from, sub(to, from), t),
      };
    }
  }
  return best;
}

/** A point just off a face's middle that lies on the face, for those who have no mouse. */
export function pointOnFace(topology, face) {
  const largest = [...face.triangles].sort((s, t) => area(topology, t) - area(topology, s))[0];
  const [a, b, c] = topology.triangles[largest].map((k) => topology.points[k]);
  return scale(
    a.map((value, k) => value + b[k] + c[k]),
    1 / 3,
  );
}

function area({ normals }, t) {
  return Math.hypot(...normals[t]);
}
