/** Where the pointer means: a point or a shape of the sketch that is near, or the grid. */
import { outlineOf } from "../kernel/profile.js";

/** @typedef {import("../kernel/profile.js").Vec2} Vec2 */

const SNAP_REACH = 9; // CSS px
const PICK_REACH = 6;
const FINEST = 0.1; // mm between points of the grid
const GRID_PX = 3; // at least so many pixels between points of the grid

/**
 * @param {any} sketch
 * @param {Vec2} free where the pointer is, mm
 * @param {number} mmPerPx
 * @returns {Vec2}
 */
export function snapped(sketch, free, mmPerPx) {
  const reach = SNAP_REACH * mmPerPx;
  const near = fixedPoints(sketch).find(([u, v]) => Math.hypot(u - free[0], v - free[1]) < reach);
  if (near) return near;
  const step = gridStep(mmPerPx);
  return free.map((value) => Number((Math.round(value / step) * step).toFixed(6)) + 0);
}

/** The id of the nearest shape, if one is near. @param {any} sketch @param {Vec2} point */
export function shapeAt(sketch, [u, v], mmPerPx) {
  let best = { gap: PICK_REACH * mmPerPx, id: null };
  for (const entity of sketch.entities) {
    for (const { a, b } of outlineOf(entity, sketch)) {
      const gap = gapTo(a, b, u, v);
      if (gap < best.gap) best = { gap, id: entity.id };
    }
  }
  return best.id;
}

/** Points, centres and the origin. @returns {Vec2[]} */
function fixedPoints({ points, entities }) {
  const centres = entities.filter(({ type }) => type === "circle");
  return [...points, ...centres, { x: 0, y: 0 }].map(({ x, y }) => [x, y]);
}

/** The smallest of 1, 2, 5, 10... tenths of a millimetre that is wide enough on the screen. */
function gridStep(mmPerPx) {
  let step = FINEST;
  for (let k = 0; step < GRID_PX * mmPerPx; k += 1) step *= k % 3 === 1 ? 2.5 : 2;
  return step;
}

function gapTo(a, b, u, v) {
  const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
  const size = dx * dx + dy * dy;
  const t = size ? Math.min(1, Math.max(0, ((u - a[0]) * dx + (v - a[1]) * dy) / size)) : 0;
  return Math.hypot(u - a[0] - t * dx, v - a[1] - t * dy);
}
