/**
 * From the entities of a sketch to closed profiles in the plane, every segment with a name.
 *
 * Lines and arcs that share points are chained; rectangles and circles are closed by themselves.
 * A loop inside a loop is a hole.
 */
import { ModelError } from "../errors.js";
import { chordsOf } from "./wasm.js";

/** @typedef {number[]} Vec2 two of them, mm */
/** @typedef {{a: Vec2, b: Vec2, name: string}} Segment */
/** @typedef {{segments: Segment[], section: any}} Profile */

/**
 * @param {import("./wasm.js").Kernel} kernel
 * @param {any} sketch parameters of a sketch
 * @returns {Profile}
 */
export function profileOf(kernel, sketch) {
  const loops = loopsOf(sketch);
  if (loops.length === 0) {
    throw new ModelError("The sketch has no closed outline: close its lines, or draw a shape.");
  }
  const contours = loops.map((loop) => loop.map((segment) => segment.a));
  const section = kernel.track(new kernel.CrossSection(contours, "EvenOdd"));
  if (section.isEmpty()) throw new ModelError("The outline of the sketch encloses no area.");
  return { segments: loops.flat(), section };
}

/** @returns {Segment[][]} */
export function loopsOf(sketch) {
  const closed = sketch.entities.filter((e) => e.type === "rectangle" || e.type === "circle");
  const open = sketch.entities.filter((e) => e.type === "line" || e.type === "arc");
  return [...closed.map((entity) => outlineOf(entity, sketch)), ...chain(open, sketch)];
}

/** Points of one entity, as drawn. @returns {Segment[]} */
export function outlineOf(entity, sketch) {
  if (entity.type === "circle") return circle(entity);
  if (entity.type === "rectangle") return rectangle(entity);
  const [a, b] = [entity.a, entity.b].map((id) => pointOf(sketch, id));
  return entity.type === "line"
    ? path([a, b], entity.id)
    : path(arc(a, b, entity.bulge), entity.id);
}

/** @returns {Vec2} */
export function pointOf(sketch, id) {
  const point = sketch.points.find((candidate) => candidate.id === id);
  return [point.x, point.y];
}

/**
 * Centre, radius and start angle of an arc.
 *
 * @param {Vec2} a
 * @param {Vec2} b
 * @param {number} bulge tangent of a quarter of the angle, positive counter-clockwise
 */
export function arcOf(a, b, bulge) {
  const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
  const chord = Math.hypot(dx, dy);
  const radius = (chord * (1 + bulge * bulge)) / (4 * Math.abs(bulge));
  const rise = (1 - bulge * bulge) / (4 * bulge); // from the chord's middle to the centre, in chords
  const centre = [(a[0] + b[0]) / 2 - dy * rise, (a[1] + b[1]) / 2 + dx * rise];
  const start = Math.atan2(a[1] - centre[1], a[0] - centre[0]);
  return { centre, radius, start, sweep: 4 * Math.atan(bulge) };
}

/** @returns {Vec2[]} */
function arc(a, b, bulge) {
  const { centre, radius, start, sweep } = arcOf(a, b, bulge);
  const steps = Math.max(2, Math.ceil((Math.abs(sweep) / (2 * Math.PI)) * chordsOf(radius)));
  const points = [a];
  for (let k = 1; k < steps; k += 1) {
    const angle = start + (sweep * k) / steps;
    points.push([centre[0] + radius * Math.cos(angle), centre[1] + radius * Math.sin(angle)]);
  }
  return [...points, b];
}

/** @param {Vec2[]} points @param {string} name @returns {Segment[]} */
function path(points, name) {
  return points.slice(1).map((b, k) => ({ a: points[k], b, name }));
}

function circle({ id, x, y, diameter }) {
  const points = [];
  const chords = chordsOf(diameter / 2);
  for (let k = 0; k <= chords; k += 1) {
    const angle = (2 * Math.PI * (k % chords)) / chords;
    points.push([x + (diameter / 2) * Math.cos(angle), y + (diameter / 2) * Math.sin(angle)]);
  }
  return path(points, id);
}

/** A rectangle from its lower left corner, its own corners rounded if it has a radius. */
function rectangle({ id, x, y, width, height, radius = 0 }) {
  if (2 * radius > Math.min(width, height)) {
    throw new ModelError(
      `A corner radius of ${radius} mm does not fit a rectangle of ${width} × ${height} mm.`,
    );
  }
  const [x1, y1] = [x + width, y + height];
  const r = radius;
  const sides = [
    { name: "bottom", a: [x + r, y], b: [x1 - r, y], corner: [x1, y + r] },
    { name: "right", a: [x1, y + r], b: [x1, y1 - r], corner: [x1 - r, y1] },
    { name: "top", a: [x1 - r, y1], b: [x + r, y1], corner: [x, y1 - r] },
    { name: "left", a: [x, y1 - r], b: [x, y + r], corner: [x + r, y] },
  ];
  const quarter = Math.tan(Math.PI / 8);
  return sides.flatMap(({ name, a, b, corner }, k) => {
    const isLong = a[0] !== b[0] || a[1] !== b[1];
    const side = isLong ? path([a, b], `${id}.${name}`) : [];
    return r > 0 ? [...side, ...path(arc(b, corner, quarter), `${id}.corner${k + 1}`)] : side;
  });
}

/** Chain lines and arcs that share points; loose ends are left out. @returns {Segment[][]} */
function chain(entities, sketch) {
  const left = [...entities];
  const loops = [];
  while (left.length > 0) {
    const first = left.shift();
    const loop = outlineOf(first, sketch);
    let end = first.b;
    for (let next = take(left, end); next && end !== first.a; next = take(left, end)) {
      const outline = outlineOf(next, sketch);
      loop.push(...(next.a === end ? outline : reversed(outline)));
      end = next.a === end ? next.b : next.a;
      if (end === first.a) break;
    }
    if (end === first.a && loop.length > 2) loops.push(loop);
  }
  return loops;
}

function take(left, point) {
  const at = left.findIndex((entity) => entity.a === point || entity.b === point);
  return at < 0 ? null : left.splice(at, 1)[0];
}

/** @param {Segment[]} segments */
function reversed(segments) {
  return [...segments].reverse().map(({ a, b, name }) => ({ a: b, b: a, name }));
}

/** The name of the segment on which all these points lie, or the nearest. */
export function nearestName(segments, points) {
  let best = segments[0];
  let least = Infinity;
  for (const segment of segments) {
    const far = Math.max(...points.map((point) => gap(segment, point)));
    if (far < least) [best, least] = [segment, far];
  }
  return best.name;
}

function gap({ a, b }, [x, y]) {
  const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
  const size = dx * dx + dy * dy;
  const t = size === 0 ? 0 : Math.min(1, Math.max(0, ((x - a[0]) * dx + (y - a[1]) * dy) / size));
  return Math.hypot(x - a[0] - t * dx, y - a[1] - t * dy);
}
