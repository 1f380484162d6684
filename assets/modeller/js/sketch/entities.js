/**
 * The entities of a sketch and how they are edited: pure functions from sketch parameters to sketch
 * parameters. Lengths in mm, angles in degrees.
 */
import { ModelError } from "../errors.js";
import { arcOf, pointOf } from "../kernel/profile.js";
import { checkNumber } from "../schema.js";
import { solve } from "./solver.js";

/** @typedef {import("../kernel/profile.js").Vec2} Vec2 */

const SAME = 1e-6; // mm between points that are one point
const LEVEL_DEG = 3; // a line drawn this close to level is meant to be level
const MOST = 100000;
const DIGITS = 1e6;

const at = (name, label) => ({ name, label, kind: "length", least: -MOST, most: MOST });
const size = (name, label) => ({ name, label, kind: "length", above: 0, most: MOST });

/** Fields of each type of entity. */
export const ENTITY_FIELDS = {
  rectangle: [
    at("x", "Corner X"),
    at("y", "Corner Y"),
    size("width", "Width"),
    size("height", "Height"),
    { name: "radius", label: "Corner radius", kind: "length", least: 0, most: MOST },
  ],
  circle: [at("x", "Centre X"), at("y", "Centre Y"), size("diameter", "Diameter")],
  line: [
    at("x1", "Start X"),
    at("y1", "Start Y"),
    at("x2", "End X"),
    at("y2", "End Y"),
    size("length", "Length"),
    {
      name: "constraint",
      label: "Constraint",
      kind: "choice",
      options: { none: "None", horizontal: "Horizontal", vertical: "Vertical" },
    },
    { name: "fixed", label: "Keep length", kind: "flag" },
  ],
  arc: [
    at("x1", "Start X"),
    at("y1", "Start Y"),
    at("x2", "End X"),
    at("y2", "End Y"),
    size("radius", "Radius"),
  ],
};
export const ENTITY_LABELS = { rectangle: "Rectangle", circle: "Circle", line: "Line", arc: "Arc" };

const round = (value) => Math.round(value * DIGITS) / DIGITS + 0;

/** An id that no entity and no point has. */
function freeId(sketch, letter) {
  const used = [...sketch.entities, ...sketch.points].map(({ id }) => Number(id.slice(1)));
  return `${letter}${Math.max(0, ...used) + 1}`;
}

/** @param {Vec2} a @param {Vec2} b opposite corners */
export function addRectangle(sketch, a, b) {
  const [x, y] = [Math.min(a[0], b[0]), Math.min(a[1], b[1])];
  const [width, height] = [Math.abs(a[0] - b[0]), Math.abs(a[1] - b[1])];
  if (width < SAME || height < SAME)
    throw new ModelError("A rectangle needs two corners apart in X and Y.");
  const id = freeId(sketch, "e");
  const entity = {
    id,
    type: "rectangle",
    x: round(x),
    y: round(y),
    width: round(width),
    height: round(height),
    radius: 0,
  };
  return { ...sketch, entities: [...sketch.entities, entity] };
}

/** @param {Vec2} centre @param {Vec2} rim */
export function addCircle(sketch, centre, rim) {
  const radius = Math.hypot(rim[0] - centre[0], rim[1] - centre[1]);
  if (radius < SAME)
    throw new ModelError("A circle needs a point on its rim, away from its centre.");
  const id = freeId(sketch, "e");
  const entity = {
    id,
    type: "circle",
    x: round(centre[0]),
    y: round(centre[1]),
    diameter: round(2 * radius),
  };
  return { ...sketch, entities: [...sketch.entities, entity] };
}

/** A line; nearly level lines become level, ends on points of the sketch share them. */
export function addLine(sketch, a, b) {
  if (Math.hypot(b[0] - a[0], b[1] - a[1]) < SAME)
    throw new ModelError("A line needs two points apart.");
  const [withA, idA] = pointAt(sketch, a);
  const [withB, idB] = pointAt(withA, b);
  const entity = {
    id: freeId(withB, "e"),
    type: "line",
    a: idA,
    b: idB,
    constraint: levelOf(a, b),
  };
  return solved({ ...withB, entities: [...withB.entities, entity] });
}

/** An arc from a to b through a third point. */
export function addArc(sketch, a, b, through) {
  const bulge = bulgeOf(a, b, through);
  const [withA, idA] = pointAt(sketch, a);
  const [withB, idB] = pointAt(withA, b);
  const entity = { id: freeId(withB, "e"), type: "arc", a: idA, b: idB, bulge };
  return { ...withB, entities: [...withB.entities, entity] };
}

/** Tangent of a quarter of the angle of the arc from a to b through a point. */
export function bulgeOf(a, b, [x, y]) {
  const cross = (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
  const inscribed = Math.atan2(cross, (a[0] - x) * (b[0] - x) + (a[1] - y) * (b[1] - y));
  // The angle at the third point is half of what is left of the circle.
  const sweep = -Math.sign(cross) * (2 * Math.PI - 2 * Math.abs(inscribed));
  if (Math.abs(cross) < SAME)
    throw new ModelError("An arc needs a third point off the line of its ends.");
  return Number(Math.tan(sweep / 4).toPrecision(12));
}

export function removeEntity(sketch, id) {
  const entities = sketch.entities.filter((entity) => entity.id !== id);
  const used = new Set(entities.flatMap(({ a, b }) => [a, b]));
  return { ...sketch, entities, points: sketch.points.filter((point) => used.has(point.id)) };
}

/** Move a shape; lines and arcs that share its points follow. */
export function shiftEntity(sketch, id, dx, dy) {
  const entity = sketch.entities.find((candidate) => candidate.id === id);
  if ("x" in entity)
    return change(sketch, id, { ...entity, x: round(entity.x + dx), y: round(entity.y + dy) });
  const moved = [entity.a, entity.b];
  const points = sketch.points.map((point) =>
    moved.includes(point.id) ? { ...point, x: round(point.x + dx), y: round(point.y + dy) } : point,
  );
  return solved({ ...sketch, points }, moved);
}

/** What the fields of an entity show. */
export function valuesOf(sketch, entity) {
  if (entity.type === "rectangle" || entity.type === "circle") return entity;
  const [a, b] = [pointOf(sketch, entity.a), pointOf(sketch, entity.b)];
  const ends = { x1: a[0], y1: a[1], x2: b[0], y2: b[1] };
  if (entity.type === "arc") return { ...ends, radius: arcOf(a, b, entity.bulge).radius };
  const length = Math.hypot(b[0] - a[0], b[1] - a[1]);
  return {
    ...ends,
    length,
    constraint: entity.constraint ?? "none",
    fixed: Boolean(entity.length),
  };
}

/**
 * Change one field of an entity.
 *
 * @param {any} value in mm, or of a choice or a flag
 * @param {(value: any) => string} write for messages
 */
export function editEntity(sketch, id, name, value, write = String) {
  const entity = sketch.entities.find((candidate) => candidate.id === id);
  const field = ENTITY_FIELDS[entity.type].find((candidate) => candidate.name === name);
  if (typeof value === "number") checkNumber(field, value, write);
  if (entity.type === "rectangle")
    return change(sketch, id, checkedRectangle({ ...entity, [name]: value }, write));
  if (entity.type === "circle") return change(sketch, id, { ...entity, [name]: value });
  if (/^[xy][12]$/.test(name)) return movePoint(sketch, entity, name, value);
  return entity.type === "line"
    ? editLine(sketch, entity, name, value)
    : editArc(sketch, entity, value, write);
}

function checkedRectangle(entity, write) {
  const most = Math.min(entity.width, entity.height) / 2;
  if (entity.radius > most) {
    throw new ModelError(
      `Corner radius: ${write(entity.radius)} was given: enter at most ${write(most)}.`,
    );
  }
  return entity;
}

function change(sketch, id, entity) {
  return {
    ...sketch,
    entities: sketch.entities.map((other) => (other.id === id ? entity : other)),
  };
}

function movePoint(sketch, entity, name, value) {
  const point = name[1] === "1" ? entity.a : entity.b;
  const points = sketch.points.map((other) =>
    other.id === point ? { ...other, [name[0]]: value } : other,
  );
  return solved({ ...sketch, points }, [point]);
}

function editLine(sketch, entity, name, value) {
  const { length } = valuesOf(sketch, entity);
  const next = {
    constraint: () => ({ ...entity, constraint: value }),
    fixed: () => ({ ...entity, length: value ? length : undefined }),
    length: () => ({ ...entity, length: value }),
  }[name]();
  const held = name === "length" ? [entity.a] : [];
  const found = solved(change(sketch, entity.id, next), held);
  // A typed length sets the line once; it stays driven only if it is to be kept.
  const kept = name === "length" && !entity.length ? { ...next, length: undefined } : next;
  return change(found, entity.id, kept);
}

function editArc(sketch, entity, radius, write) {
  const [a, b] = [pointOf(sketch, entity.a), pointOf(sketch, entity.b)];
  const chord = Math.hypot(b[0] - a[0], b[1] - a[1]);
  if (radius < chord / 2) {
    throw new ModelError(
      `Radius: ${write(radius)} was given: enter at least ${write(chord / 2)}, half the chord.`,
    );
  }
  const isMinor = Math.abs(entity.bulge) <= 1;
  const half = Math.asin(Math.min(1, chord / (2 * radius)));
  const sweep = isMinor ? 2 * half : 2 * Math.PI - 2 * half;
  const bulge = Math.sign(entity.bulge) * Math.tan(sweep / 4);
  return change(sketch, entity.id, { ...entity, bulge: Number(bulge.toPrecision(12)) });
}

function solved(sketch, held = []) {
  return { ...sketch, points: solve(sketch, held) };
}

/** The point at a place, made if there is none. @returns {[any, string]} */
function pointAt(sketch, [x, y]) {
  const known = sketch.points.find((point) => Math.hypot(point.x - x, point.y - y) < SAME);
  if (known) return [sketch, known.id];
  const id = freeId(sketch, "p");
  return [{ ...sketch, points: [...sketch.points, { id, x: round(x), y: round(y) }] }, id];
}

function levelOf(a, b) {
  const slope = Math.tan((LEVEL_DEG * Math.PI) / 180);
  const [dx, dy] = [Math.abs(b[0] - a[0]), Math.abs(b[1] - a[1])];
  if (dy <= slope * dx) return "horizontal";
  return dx <= slope * dy ? "vertical" : "none";
}
