/** Figures of bodies, faces and edges. Lengths in mm, areas in mm², volumes in mm³. */
import { cross, distance, dot, length, normalize, sub } from "./vec.js";

const PARALLEL = 1e-4;
const ROUND = 1e-3; // of the radius, by which a circle's corners may differ

/** @param {any[]} solids */
export function figures(solids) {
  const boxes = solids.map((solid) => solid.boundingBox());
  const over = (pick, key) => [0, 1, 2].map((k) => pick(...boxes.map((box) => box[key][k])));
  const [min, max] = [over(Math.min, "min"), over(Math.max, "max")];
  return {
    volume: solids.reduce((sum, solid) => sum + solid.volume(), 0),
    area: solids.reduce((sum, solid) => sum + solid.surfaceArea(), 0),
    size: solids.length ? max.map((high, k) => high - min[k]) : [0, 0, 0],
    min,
    max,
  };
}

/**
 * The circle on which a closed or open edge lies, if it does.
 *
 * @param {import("./topology.js").Topology} topology
 * @param {import("./topology.js").Edge} edge
 * @returns {{radius: number, centre: number[]} | null}
 */
export function circleOf(topology, edge) {
  const path = edge.path.map((k) => topology.points[k]);
  if (path.length < 4) return null;
  const third = Math.floor(path.length / 3);
  const [a, b, c] = [path[0], path[third], path[2 * third]];
  const circle = through(a, b, c);
  if (!circle) return null;
  const isRound = path.every(
    (p) => Math.abs(distance(p, circle.centre) - circle.radius) < ROUND * circle.radius,
  );
  return isRound ? circle : null;
}

function through(a, b, c) {
  const [u, v] = [sub(b, a), sub(c, a)];
  const n = cross(u, v);
  const size = dot(n, n);
  if (size === 0) return null;
  const [uu, vv] = [dot(u, u), dot(v, v)];
  const toCentre = cross(n, u).map((value, k) => (value * vv + cross(v, n)[k] * uu) / (2 * size));
  return { centre: a.map((value, k) => value + toCentre[k]), radius: length(toCentre) };
}

/**
 * The radius of a cylindrical face, if it is one.
 *
 * @returns {number | null}
 */
export function cylinderRadius(topology, face) {
  if (face.isPlanar) return null;
  const axis = axisOf(topology, face);
  if (!axis) return null;
  const rims = [...topology.edges.values()].filter((edge) => edge.faces.includes(face.key));
  for (const rim of rims) {
    const circle = circleOf(topology, rim);
    const lies =
      circle &&
      rim.path.every(
        (k) => Math.abs(dot(sub(topology.points[k], circle.centre), axis)) < PARALLEL * 100,
      );
    if (lies) return circle.radius;
  }
  return null;
}

/** The direction that is square to all normals of a face. */
function axisOf({ normals }, face) {
  const units = face.triangles.map((t) => normalize(normals[t]));
  const other = units.find((n) => length(cross(n, units[0])) > 0.1);
  if (!other) return null;
  const axis = normalize(cross(units[0], other));
  return units.every((n) => Math.abs(dot(n, axis)) < 0.01) ? axis : null;
}

/** Distance between two flat faces that are parallel. @returns {number | null} */
export function planeGap(a, b) {
  if (!a.isPlanar || !b.isPlanar || length(cross(a.normal, b.normal)) > PARALLEL) return null;
  return Math.abs(dot(sub(b.centre, a.centre), a.normal));
}

/** Angle between the normals of two flat faces in degrees. @returns {number | null} */
export function planeAngle(a, b) {
  if (!a.isPlanar || !b.isPlanar) return null;
  return (Math.acos(Math.min(1, Math.max(-1, dot(a.normal, b.normal)))) * 180) / Math.PI;
}
