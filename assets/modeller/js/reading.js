/**
 * Documents from files and from the harness: checked field by field, and filled in where they leave
 * something out. What passes can be evaluated; whether it makes sense is for the evaluation to say.
 */
import { VERSION } from "./document.js";
import { ModelError } from "./errors.js";
import { checkNumber, initialParams, TYPES } from "./schema.js";
import { LENGTHS } from "./units.js";

/** Numbers and points that each type of entity has. */
const ENTITIES = {
  rectangle: { numbers: ["x", "y", "width", "height"], ends: false },
  circle: { numbers: ["x", "y", "diameter"], ends: false },
  line: { numbers: [], ends: true },
  arc: { numbers: ["bulge"], ends: true },
};
const SIZES = ["width", "height", "diameter", "radius", "length"];

/** @param {any} data @returns {import("./document.js").Document} */
export function readDocument(data) {
  if (data?.version !== VERSION || !Array.isArray(data.features)) {
    throw new ModelError(`This is not a document of version ${VERSION}.`);
  }
  const { units = "mm", hidden = [], next: given = 1 } = data;
  expect(Number.isInteger(given) && given > 0, "next must be a whole number");
  expect(units in LENGTHS, `units ${units}: use ${Object.keys(LENGTHS).join(", ")}`);
  expect(isListOf(hidden, "string"), "hidden must be a list of ids");
  const features = data.features.map(readFeature);
  const ids = new Set(features.map(({ id }) => id));
  expect(ids.size === features.length, "two features have the same id");
  const numbers = features.map(({ id }) => Number(id.replace(/\D/g, "")));
  const next = Math.max(given, ...numbers.map((number) => number + 1));
  return { version: VERSION, units, next, hidden, features };
}

function readFeature(feature) {
  const { id, type, suppressed = false } = feature ?? {};
  expect(/^f[1-9]\d*$/.test(id), `id ${id}: use f1, f2 and so on`);
  expect(
    Object.hasOwn(TYPES, type),
    `${id} has the type ${type}: use ${Object.keys(TYPES).join(", ")}`,
  );
  const { name = `${TYPES[type].label} ${id.slice(1)}` } = feature;
  expect(
    typeof name === "string" && typeof suppressed === "boolean",
    `${id} has a wrong name or flag`,
  );
  const params = { ...initialParams(type), ...feature.params };
  for (const field of TYPES[type].fields) checkField(id, field, params[field.name]);
  if (type === "sketch") Object.assign(params, readSketch(id, params));
  if (type === "import") expect(typeof params.data === "string", `${id} has no data`);
  return { id, type, name, suppressed, params };
}

function checkField(id, field, value) {
  const where = `${id} ${field.name}`;
  if (["length", "angle", "count"].includes(field.kind)) {
    expect(Number.isFinite(value), `${where} must be a number`);
    checkNumber({ ...field, label: where }, value, String);
  } else if (field.kind === "choice") {
    expect(
      Object.hasOwn(field.options, value),
      `${where}: use ${Object.keys(field.options).join(", ")}`,
    );
  } else if (field.kind === "flag")
    expect(typeof value === "boolean", `${where} must be true or false`);
  else if (field.kind === "edges")
    expect(isListOf(value, "string"), `${where} must be a list of keys`);
  else expect(typeof value === "string", `${where} must be a text`);
}

function readSketch(id, { points = [], entities = [] }) {
  expect(isListOf(points, "object") && isListOf(entities, "object"), `${id} must have two lists`);
  const names = points.map((point) => point.id);
  for (const { id: name, x, y } of points) {
    expect(
      /^p\d+$/.test(name) && Number.isFinite(x) && Number.isFinite(y),
      `${id} has a wrong point`,
    );
  }
  for (const entity of entities) checkEntity(id, entity, names);
  return { points, entities };
}

function checkEntity(id, entity, names) {
  const where = `${id} ${entity.id}`;
  expect(/^e\d+$/.test(entity.id) && Object.hasOwn(ENTITIES, entity.type), `${where} is no entity`);
  const { numbers, ends } = ENTITIES[entity.type];
  expect(
    numbers.every((name) => Number.isFinite(entity[name])),
    `${where} lacks one of ${numbers.join(", ")}`,
  );
  for (const name of SIZES) {
    const isFine =
      entity[name] === undefined || entity[name] > 0 || (name === "radius" && entity[name] === 0);
    expect(isFine, `${where}: ${name} must be more than 0`);
  }
  if (ends)
    expect(names.includes(entity.a) && names.includes(entity.b), `${where} ends at no point`);
  if (entity.type === "arc") expect(entity.bulge !== 0, `${where}: bulge must not be 0`);
}

function isListOf(value, type) {
  return Array.isArray(value) && value.every((item) => item !== null && typeof item === type);
}

/** @param {boolean} holds @param {string} message */
function expect(holds, message) {
  if (!holds) throw new ModelError(`The document cannot be read: ${message}.`);
}
