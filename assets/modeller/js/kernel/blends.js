/**
 * Rounded and chamfered straight edges between flat faces: a bar along the edge is cut away at an
 * outer edge and added in an inner one. Where blended edges meet in a corner they are mitred.
 */
import { ModelError } from "../errors.js";
import { named } from "./faces.js";
import { nearestName } from "./profile.js";
import {
  add,
  along,
  apply,
  basis,
  cross,
  distance,
  dot,
  inverse,
  length,
  normalize,
  scale,
  sub,
} from "./vec.js";
import { chordsOf } from "./wasm.js";

const STRAIGHT = 1e-4; // mm that a straight edge may deviate
const OVERLAP = 0.01; // mm over a flush surface; never more than a hundredth of the size

/**
 * Bars for one edge: what to cut away, or what to add.
 *
 * @param {import("./wasm.js").Kernel} kernel
 * @param {string} name key of the new face
 * @param {import("./topology.js").Topology} topology of the body
 * @param {import("./topology.js").Edge} edge
 * @param {{kind: "round" | "chamfer", size: number}} blend
 * @returns {{bar: any, isCut: boolean}}
 */
export function blendBar(kernel, name, topology, edge, { kind, size }) {
  const corner = cornerOf(topology, edge);
  const overlap = Math.min(OVERLAP, size / 100);
  const flat = section(corner, kind, size, overlap);
  const reach = Math.max(...flat.corners.map(([u, v]) => Math.hypot(u, v)));
  const [before, after] = corner.ends.map((end) => extension(end, corner, reach, overlap));
  const contour = counterclockwise(flat.corners);
  const cross2d = kernel.track(new kernel.CrossSection([contour], "EvenOdd"));
  const raw = kernel.track(cross2d.extrude(corner.length + before + after));
  const start = along(corner.start, corner.direction, -before);
  const matrix = basis(corner.u, corner.v, corner.direction, start);
  const back = inverse(matrix);
  const bar = named(kernel, kernel.moved(raw, matrix), (points) => {
    const local = points.map((point) => apply(back, point));
    const isEnd = local.every((p) => Math.abs(p[2] - local[0][2]) < STRAIGHT);
    return isEnd ? `${name}.end` : `${name}${nearestName(flat.segments, local)}`;
  });
  return { bar, isCut: corner.isOuter };
}

/**
 * The edge's own frame: v along it points from start to end; t1 and t2 lie in the faces and point
 * away from the edge; n1 and n2 are the faces' normals.
 */
function cornerOf(topology, edge) {
  const path = edge.path.map((k) => topology.points[k]);
  const [start, end] = [path[0], path[path.length - 1]];
  const direction = normalize(sub(end, start));
  const isStraight = path.every((p) => length(cross(sub(p, start), direction)) < STRAIGHT);
  const faces = edge.faces.map((key) => topology.faces.get(key));
  if (edge.isClosed || !isStraight || !faces.every((face) => face.isPlanar)) {
    throw new ModelError(`Edge ${edge.id} is curved: choose straight edges between flat faces.`);
  }
  const [n1, n2] = faces.map((face) => face.normal);
  const [t1, t2] = faces.map((face) => inFace(topology, face, edge, direction));
  const u = t1;
  const v = cross(direction, u);
  const ends = [
    { slope: endSlope(topology, edge, edge.path[0], scale(direction, -1)) },
    { slope: endSlope(topology, edge, edge.path.at(-1), direction) },
  ];
  const isOuter = dot(t1, n2) < 0;
  return { start, direction, length: distance(start, end), t1, t2, n1, n2, u, v, isOuter, ends };
}

/** The direction in a face, square to the edge, that leads into the face. */
function inFace(topology, face, edge, direction) {
  const [a, b] = edge.path;
  const t = face.triangles.find(
    (k) => topology.triangles[k].includes(a) && topology.triangles[k].includes(b),
  );
  const third = topology.triangles[t].find((k) => k !== a && k !== b);
  const inward = sub(topology.points[third], topology.points[a]);
  const across = normalize(cross(face.normal, direction));
  return dot(across, inward) > 0 ? across : scale(across, -1);
}

/** How squarely the body ends here: 1 at a square end face, -1 at a wall, 0 if nothing ends it. */
function endSlope(topology, edge, corner, outward) {
  let steepest = 0;
  topology.triangles.forEach((corners, t) => {
    if (!corners.includes(corner) || edge.faces.includes(topology.faceOf[t])) return;
    const slope = dot(topology.faces.get(topology.faceOf[t]).normal, outward);
    if (Math.abs(slope) > Math.abs(steepest)) steepest = slope;
  });
  return steepest;
}

/** A cut runs out of an end face, a filling runs into a wall; elsewhere they stop flush. */
function extension({ slope }, corner, reach, overlap) {
  const runsOn = corner.isOuter ? slope > 0.1 : slope < -0.1;
  if (!runsOn) return 0;
  const lean = Math.abs(slope);
  return overlap + (reach * Math.sqrt(Math.max(0, 1 - lean * lean))) / lean;
}

/** The bar's outline in (u, v), its blend first and the flanks behind it. */
function section(corner, kind, size, overlap) {
  const flat = (w) => [dot(w, corner.u), dot(w, corner.v)];
  const opening = Math.acos(Math.min(1, Math.max(-1, dot(corner.t1, corner.t2))));
  const reach = kind === "round" ? size / Math.tan(opening / 2) : size;
  const [a, b] = [scale(corner.t1, reach), scale(corner.t2, reach)];
  const middle = normalize(add(corner.t1, corner.t2));
  const centre = scale(middle, size / Math.sin(opening / 2));
  const blend = kind === "round" ? arc(a, b, centre, Math.PI - opening) : [a, b];
  const outside = corner.isOuter ? overlap : -overlap; // filled edges reach into the material
  const back = [
    along(b, corner.n2, outside),
    scale(add(corner.n1, corner.n2), outside / (1 + dot(corner.n1, corner.n2))),
    along(a, corner.n1, outside),
  ];
  const corners = [...blend, ...back].map(flat);
  const segments = corners.map((p, k) => ({ a: p, b: corners[(k + 1) % corners.length] }));
  const name = (k) => (k < blend.length - 1 ? "" : ".flank");
  return { corners, segments: segments.map((segment, k) => ({ ...segment, name: name(k) })) };
}

/** Points from a to b on the circle about the centre. */
function arc(a, b, centre, sweep) {
  const steps = Math.max(2, Math.ceil((sweep / (2 * Math.PI)) * chordsOf(length(sub(a, centre)))));
  const [from, to] = [sub(a, centre), sub(b, centre)];
  const points = [];
  for (let k = 0; k <= steps; k += 1) {
    const t = (k / steps) * sweep;
    const [p, q] = [Math.sin(sweep - t) / Math.sin(sweep), Math.sin(t) / Math.sin(sweep)];
    points.push(add(centre, add(scale(from, p), scale(to, q))));
  }
  return points;
}

function counterclockwise(corners) {
  const area = corners.reduce((sum, [x, y], k) => {
    const [nx, ny] = corners[(k + 1) % corners.length];
    return sum + x * ny - nx * y;
  }, 0);
  return area > 0 ? corners : [...corners].reverse();
}
