/**
 * Every type of feature: its name, and the fields by which a person edits it. The property panel,
 * the checks of a loaded document and the commands all read this table.
 */
import { ModelError } from "./errors.js";

/**
 * @typedef {object} Field
 * @property {string} name parameter in the document
 * @property {string} label
 * @property {any} kind length, angle, count, choice, flag, feature, body, plane, edges or axis
 * @property {any} initial
 * @property {number} [above] smallest value that is not allowed
 * @property {number} [least] smallest value
 * @property {number} [most] largest value
 * @property {Record<string, string>} [options] of a choice: value to label
 * @property {(params: any) => boolean} [when] shown only then
 * @property {string[]} [types] of a feature field: types that may be chosen
 * @property {boolean} [withAll] of a body field: may mean all bodies
 */
/** @typedef {{label: string, fields: Field[]}} FeatureType */

const MOST_LENGTH = 100000; // mm

const size = (name, label, initial) => ({
  name,
  label,
  kind: "length",
  initial,
  above: 0,
  most: MOST_LENGTH,
});
const place = (name, label, initial = 0) => ({
  name,
  label,
  kind: "length",
  initial,
  least: -MOST_LENGTH,
  most: MOST_LENGTH,
});
const count = (name, label, initial, least = 1) => ({
  name,
  label,
  kind: "count",
  initial,
  least,
  most: 200,
});
/** @param {{above?: number, least?: number, most: number}} range */
const angle = (name, label, initial, range = { least: -360, most: 360 }) => ({
  name,
  label,
  kind: "angle",
  initial,
  ...range,
});
const choice = (name, label, options) => ({
  name,
  label,
  kind: "choice",
  options,
  initial: Object.keys(options)[0],
});
const position = [place("x", "X"), place("y", "Y"), place("z", "Z")];

const OPERATION = choice("operation", "Operation", { new: "New body", add: "Add", cut: "Cut" });
const TARGET = {
  name: "target",
  label: "Bodies",
  kind: "body",
  initial: "all",
  withAll: true,
  when: (p) => p.operation !== "new",
};
const RESULT = choice("result", "New bodies", { join: "Join", separate: "Keep separate" });
const AXIS = choice("axis", "Axis", { X: "X axis", Y: "Y axis", Z: "Z axis" });
const MAKERS = [
  "box",
  "cylinder",
  "sphere",
  "cone",
  "import",
  "extrude",
  "revolve",
  "hole",
  "linear",
  "circular",
  "mirror",
];
const SOURCE = { name: "source", label: "Feature", kind: "feature", initial: "", types: MAKERS };
const SKETCH = { name: "sketch", label: "Sketch", kind: "feature", initial: "", types: ["sketch"] };
const EXTENT = choice("extent", "Extent", { length: "Distance", through: "Through all" });
const PLANE = { name: "plane", label: "Plane", kind: "plane", initial: "XY" };

/** @type {Record<string, FeatureType>} */
export const TYPES = {
  sketch: { label: "Sketch", fields: [PLANE, place("offset", "Offset")] },
  box: {
    label: "Box",
    fields: [
      size("width", "Width (X)", 40),
      size("depth", "Depth (Y)", 30),
      size("height", "Height (Z)", 10),
      ...position,
      OPERATION,
      TARGET,
    ],
  },
  cylinder: {
    label: "Cylinder",
    fields: [
      size("diameter", "Diameter", 20),
      size("height", "Height", 20),
      ...position,
      OPERATION,
      TARGET,
    ],
  },
  sphere: {
    label: "Sphere",
    fields: [size("diameter", "Diameter", 20), ...position, OPERATION, TARGET],
  },
  cone: {
    label: "Cone",
    fields: [
      { ...size("bottom", "Bottom diameter", 20), above: undefined, least: 0 },
      { ...size("top", "Top diameter", 10), above: undefined, least: 0 },
      size("height", "Height", 20),
      ...position,
      OPERATION,
      TARGET,
    ],
  },
  import: { label: "Import", fields: [OPERATION, TARGET] },
  extrude: {
    label: "Extrude",
    fields: [
      SKETCH,
      EXTENT,
      { ...size("length", "Distance", 10), when: (p) => p.extent === "length" },
      choice("direction", "Direction", {
        forward: "Forward",
        backward: "Backward",
        symmetric: "Both sides",
      }),
      OPERATION,
      TARGET,
    ],
  },
  revolve: {
    label: "Revolve",
    fields: [
      SKETCH,
      { name: "axis", label: "Axis", kind: "axis", initial: "y" },
      angle("angle", "Angle", 360, { above: 0, most: 360 }),
      OPERATION,
      TARGET,
    ],
  },
  hole: {
    label: "Hole",
    fields: [
      PLANE,
      place("offset", "Offset"),
      place("x", "X"),
      place("y", "Y"),
      choice("kind", "Type", {
        plain: "Plain",
        counterbore: "Counterbore",
        countersink: "Countersink",
      }),
      size("diameter", "Diameter", 6),
      { ...size("boreDiameter", "Head diameter", 11), when: (p) => p.kind !== "plain" },
      { ...size("boreDepth", "Head depth", 4), when: (p) => p.kind === "counterbore" },
      choice("extent", "Extent", { through: "Through all", length: "Depth" }),
      { ...size("depth", "Depth", 10), when: (p) => p.extent === "length" },
    ],
  },
  blend: {
    label: "Round",
    fields: [
      choice("kind", "Type", { round: "Round", chamfer: "Chamfer" }),
      size("size", "Size", 3),
      { name: "edges", label: "Edges", kind: "edges", initial: [] },
    ],
  },
  linear: {
    label: "Linear pattern",
    fields: [
      SOURCE,
      AXIS,
      count("count", "Count", 3),
      place("spacing", "Spacing", 20),
      choice("secondAxis", "Second axis", { none: "None", X: "X axis", Y: "Y axis", Z: "Z axis" }),
      { ...count("secondCount", "Second count", 2), when: (p) => p.secondAxis !== "none" },
      { ...place("secondSpacing", "Second spacing", 20), when: (p) => p.secondAxis !== "none" },
      RESULT,
    ],
  },
  circular: {
    label: "Circular pattern",
    fields: [
      SOURCE,
      { ...AXIS, initial: "Z" },
      count("count", "Count", 6, 2),
      angle("angle", "Total angle", 360),
      place("x", "Centre X"),
      place("y", "Centre Y"),
      place("z", "Centre Z"),
      RESULT,
    ],
  },
  mirror: {
    label: "Mirror",
    fields: [
      SOURCE,
      choice("plane", "Plane", { YZ: "YZ (side)", XZ: "XZ (front)", XY: "XY (top)" }),
      place("offset", "Offset"),
      RESULT,
    ],
  },
  boolean: {
    label: "Combine",
    fields: [
      choice("operation", "Operation", {
        union: "Union",
        subtract: "Subtract",
        intersect: "Intersect",
      }),
      { name: "target", label: "Body", kind: "body", initial: "" },
      { name: "tool", label: "Tool body", kind: "body", initial: "" },
      { name: "keep", label: "Keep tool body", kind: "flag", initial: false },
    ],
  },
  move: {
    label: "Move",
    fields: [
      { name: "body", label: "Body", kind: "body", initial: "" },
      place("dx", "Move X"),
      place("dy", "Move Y"),
      place("dz", "Move Z"),
      angle("rx", "Rotate X", 0),
      angle("ry", "Rotate Y", 0),
      angle("rz", "Rotate Z", 0),
      choice("about", "Rotate about", { centre: "Body centre", origin: "Origin" }),
      { name: "copy", label: "Keep original", kind: "flag", initial: false },
    ],
  },
};

/** Parameters of a new feature. @param {string} type */
export function initialParams(type) {
  return Object.fromEntries(TYPES[type].fields.map(({ name, initial }) => [name, initial]));
}

/** Refuse a number that a field does not allow. @param {Field} field @param {number} value */
export function checkNumber(field, value, write) {
  if (field.kind === "count" && !Number.isInteger(value)) {
    throw new ModelError(`${field.label}: ${write(value)} was given: enter a whole number.`);
  }
  const { above, least, most } = field;
  if (above !== undefined && value <= above) {
    throw new ModelError(
      `${field.label}: ${write(value)} was given: enter more than ${write(above)}.`,
    );
  }
  if ((least !== undefined && value < least) || (most !== undefined && value > most)) {
    const low = least ?? above;
    throw new ModelError(
      `${field.label}: ${write(value)} was given: enter ${write(low)} to ${write(most)}.`,
    );
  }
}
