/**
 * Sketch planes. A frame is an origin, two axes in the plane and the normal, all in millimetres.
 *
 * The origin of a plane is the world origin dropped onto it, and x is horizontal. On the faces of
 * an upright part, plane coordinates are therefore world coordinates.
 */
import { ModelError } from "../errors.js";
import { add, along, basis, cross, dot, normalize, scale, sub } from "./vec.js";

/** @typedef {import("./vec.js").Vec3} Vec3 */
/** @typedef {{origin: Vec3, x: Vec3, y: Vec3, normal: Vec3}} Frame */

/** Normals of the base planes. The front plane faces the person who looks along +Y. */
export const BASE_PLANES = { XY: [0, 0, 1], XZ: [0, -1, 0], YZ: [1, 0, 0] };
export const AXES = { X: [1, 0, 0], Y: [0, 1, 0], Z: [0, 0, 1] };

const STEEP = 0.999; // a plane this flat has no horizontal direction of its own
const AXIS_SNAP = 1e-5; // mesh positions are 32 bit: their normals are this wrong
const OFFSET_DIGITS = 1e5;

/** @param {Vec3} normal @param {number} offset along the normal @returns {Frame} */
export function frameOf(normal, offset) {
  const n = snap(normal);
  const x = Math.abs(n[2]) > STEEP ? [1, 0, 0] : normalize(cross([0, 0, 1], n));
  return { origin: scale(n, offset).map((v) => v + 0), x, y: cross(n, x), normal: n };
}

/**
 * The frame of a planar face of a mesh.
 *
 * @param {import("./topology.js").Face} face
 * @returns {Frame}
 */
export function frameOfFace(face) {
  if (!face.isPlanar) {
    throw new ModelError(`Face ${face.key} is curved: choose a flat face.`);
  }
  const offset = Math.round(dot(face.normal, face.centre) * OFFSET_DIGITS) / OFFSET_DIGITS;
  return frameOf(face.normal, offset);
}

/** @param {Frame} frame @param {number} u @param {number} v @returns {Vec3} */
export const toWorld = (frame, u, v, w = 0) =>
  along(along(along(frame.origin, frame.x, u), frame.y, v), frame.normal, w);

/** @param {Frame} frame @param {Vec3} point @returns {import("./profile.js").Vec2} */
export function toPlane(frame, point) {
  const from = sub(point, frame.origin);
  return [dot(from, frame.x), dot(from, frame.y)];
}

/** The transform from plane coordinates (u, v, height) to the world. @param {Frame} frame */
export const matrixOf = (frame) => basis(frame.x, frame.y, frame.normal, frame.origin);

/** @param {Frame} frame @param {number} height @returns {Frame} */
export const raised = (frame, height) => ({
  ...frame,
  origin: add(frame.origin, scale(frame.normal, height)),
});

/** @param {Vec3} n @returns {Vec3} */
function snap(n) {
  const clean = n.map((v) => {
    if (Math.abs(v) < AXIS_SNAP) return 0;
    return Math.abs(Math.abs(v) - 1) < AXIS_SNAP ? Math.sign(v) : v;
  });
  return normalize(clean);
}
