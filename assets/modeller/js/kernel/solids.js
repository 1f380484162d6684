/** Solids from nothing and from profiles, every face named. Lengths in mm, angles in degrees. */
import { ModelError } from "../errors.js";
import { matrixOf, raised, toWorld } from "./frames.js";
import { named } from "./faces.js";
import { nearestName } from "./profile.js";
import { apply, basis, inverse, multiply } from "./vec.js";
import { chordsOf } from "./wasm.js";

/** @typedef {import("./wasm.js").Kernel} Kernel */

const TOUCH = 1e-4; // mm: 32 bit positions of parts of some metres

/** A block from its lowest corner. */
export function box(kernel, id, { width, depth, height, x, y, z }) {
  const lowest = [x, y, z];
  const solid = kernel.moved(
    kernel.track(kernel.Manifold.cube([width, depth, height])),
    basis([1, 0, 0], [0, 1, 0], [0, 0, 1], lowest),
  );
  const highest = [x + width, y + depth, z + height];
  const sides = ["left", "front", "bottom", "right", "back", "top"];
  return named(kernel, solid, (corners) => {
    const axis = [0, 1, 2].find((k) =>
      corners.every((c) => Math.abs(c[k] - corners[0][k]) < TOUCH),
    );
    const isHigh =
      Math.abs(corners[0][axis] - highest[axis]) < Math.abs(corners[0][axis] - lowest[axis]);
    return `${id}:${sides[axis + (isHigh ? 3 : 0)]}`;
  });
}

/** A cylinder or a cone from the centre of its bottom. */
export function cone(kernel, id, { bottom, top, height, x, y, z }) {
  if (bottom === 0 && top === 0) {
    throw new ModelError("A cone needs a diameter at one end: both are 0.");
  }
  // A tip at the bottom is not made by the kernel: build it upside down.
  const isFlipped = bottom === 0;
  const [low, high] = isFlipped ? [top, bottom] : [bottom, top];
  const raw = kernel.track(
    kernel.Manifold.cylinder(height, low / 2, high / 2, chordsOf(Math.max(low, high) / 2)),
  );
  const turn = isFlipped
    ? basis([1, 0, 0], [0, -1, 0], [0, 0, -1], [x, y, z + height])
    : basis([1, 0, 0], [0, 1, 0], [0, 0, 1], [x, y, z]);
  return named(
    kernel,
    kernel.moved(raw, turn),
    capped(id, z, z + height, () => "side"),
  );
}

export function sphere(kernel, id, { diameter, x, y, z }) {
  const raw = kernel.track(kernel.Manifold.sphere(diameter / 2, chordsOf(diameter / 2)));
  const solid = kernel.moved(raw, basis([1, 0, 0], [0, 1, 0], [0, 0, 1], [x, y, z]));
  return named(kernel, solid, () => `${id}:surface`);
}

/**
 * Sweep a profile along the normal of its plane.
 *
 * @param {Kernel} kernel
 * @param {string} id
 * @param {import("./profile.js").Profile} profile
 * @param {import("./frames.js").Frame} frame
 * @param {{from: number, to: number}} span heights over the plane
 */
export function extrude(kernel, id, profile, frame, { from, to }) {
  const raw = kernel.track(profile.section.extrude(to - from));
  const side = (corners) => nearestName(profile.segments, corners);
  return placed(kernel, raw, raised(frame, from), capped(id, 0, to - from, side));
}

/**
 * Turn a profile about a line of its plane.
 *
 * @param {Kernel} kernel
 * @param {string} id
 * @param {import("./profile.js").Profile} profile
 * @param {import("./frames.js").Frame} frame
 * @param {{origin: number[], direction: number[]}} axis in the plane
 * @param {number} angle
 */
export function revolve(kernel, id, profile, frame, axis, angle) {
  const { section, segments, flip } = besideAxis(kernel, profile, axis);
  const widest = Math.max(...segments.map(({ a }) => a[0]));
  const chords = Math.max(3, Math.ceil((chordsOf(widest) * angle) / 360));
  const raw = kernel.track(section.revolve(chords, angle));
  const end = (angle * Math.PI) / 180;
  const nameOf = (corners) => {
    if (angle < 360 && corners.every(([x, y]) => Math.abs(y) < TOUCH && x > -TOUCH))
      return `${id}:start`;
    const across = ([x, y]) => Math.abs(x * Math.sin(end) - y * Math.cos(end));
    if (angle < 360 && corners.every((corner) => across(corner) < TOUCH)) return `${id}:end`;
    return `${id}:${nearestName(segments, corners.map(turned))}`;
  };
  const [dx, dy] = axis.direction;
  const out = [dy * flip, -dx * flip]; // in the plane, away from the axis
  const normal = [0, 0, -flip]; // the third axis of (out, ?, direction)
  const turn = basis([...out, 0], normal, [dx, dy, 0], [...axis.origin, 0]);
  return placedBy(kernel, raw, multiply(matrixOf(frame), turn), nameOf);
}

/**
 * The profile in (distance from the axis, height along it); `flip` tells the side it is on.
 *
 * @param {{origin: number[], direction: number[]}} axis
 */
function besideAxis(kernel, profile, axis) {
  const {
    origin,
    direction: [dx, dy],
  } = axis;
  const local = ([x, y]) => {
    const [px, py] = [x - origin[0], y - origin[1]];
    return [px * dy - py * dx, px * dx + py * dy];
  };
  const distances = profile.segments.map(({ a }) => local(a)[0]);
  const [low, high] = [Math.min(...distances), Math.max(...distances)];
  if (low < -TOUCH && high > TOUCH) {
    throw new ModelError(
      "The outline crosses the axis: keep it on one side, or take another axis.",
    );
  }
  const flip = high > TOUCH ? 1 : -1;
  const map = (point) => [Math.max(0, local(point)[0] * flip), local(point)[1]];
  const segments = profile.segments.map(({ a, b, name }) => ({ a: map(a), b: map(b), name }));
  const section = kernel.track(
    new kernel.CrossSection(
      profile.section.toPolygons().map((loop) => loop.map(map)),
      "EvenOdd",
    ),
  );
  return { section, segments, flip };
}

/** A cutter for a hole, from the surface down; its mouth reaches a little above the surface. */
export function holeCutter(kernel, id, hole, frame) {
  const r = hole.diameter / 2;
  const mouth = Math.max(hole.diameter, 1);
  const steps = {
    plain: [[r, mouth]],
    counterbore: [
      [r, -hole.boreDepth],
      [hole.boreDiameter / 2, -hole.boreDepth],
      [hole.boreDiameter / 2, mouth],
    ],
    countersink: countersink(r, hole, mouth),
  }[hole.kind];
  const names = {
    plain: ["wall"],
    counterbore: ["wall", "seat", "bore"],
    countersink: ["wall", "sink", "mouth"],
  };
  const outline = [[0, -hole.depth], [r, -hole.depth], ...steps, [0, mouth]];
  const labels = ["bottom", ...names[hole.kind], "lid", "axis"];
  const segments = outline.map((a, k) => ({
    a,
    b: outline[(k + 1) % outline.length],
    name: labels[k],
  }));
  const section = kernel.track(new kernel.CrossSection([outline], "EvenOdd"));
  const raw = kernel.track(section.revolve(chordsOf(Math.max(r, mouthRadius(hole)))));
  const nameOf = (corners) => `${id}:${nearestName(segments, corners.map(turned))}`;
  return placed(kernel, raw, { ...frame, origin: toWorld(frame, hole.x, hole.y) }, nameOf);
}

const mouthRadius = ({ kind, boreDiameter }) => (kind === "plain" ? 0 : boreDiameter / 2);

/** A 90 degree sink: as deep as it is wider than the hole. */
function countersink(r, hole, mouth) {
  const wide = hole.boreDiameter / 2;
  return [
    [r, r - wide],
    [wide, 0],
    [wide, mouth],
  ];
}

/** Distance from the z axis, and height. */
const turned = ([x, y, z]) => [Math.hypot(x, y), z];

const placed = (kernel, solid, frame, nameOf) => placedBy(kernel, solid, matrixOf(frame), nameOf);

/**
 * Move a solid from its own coordinates to the world and name its faces by its own coordinates.
 * Naming rounds positions to 32 bits. Rounded once, in the world, faces that should be flush are.
 */
function placedBy(kernel, solid, matrix, nameOf) {
  const back = inverse(matrix);
  const world = kernel.moved(solid, matrix);
  return named(kernel, world, (corners) => nameOf(corners.map((corner) => apply(back, corner))));
}

/** Names for the two flat ends across z, and something else for the sides. */
function capped(id, low, high, side) {
  const isAt = (corners, z) => corners.every((corner) => Math.abs(corner[2] - z) < TOUCH);
  return (corners) => {
    if (isAt(corners, low)) return `${id}:bottom`;
    if (isAt(corners, high)) return `${id}:top`;
    return `${id}:${side(corners)}`;
  };
}
