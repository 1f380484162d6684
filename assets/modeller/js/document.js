/**
 * The document: an ordered list of features. It is never changed in place; every function returns
 * a new document, so undo is a list of documents. JSON of it is all that a part is.
 */
import { ModelError } from "./errors.js";
import { initialParams, TYPES } from "./schema.js";

/** @typedef {{id: string, type: string, name: string, suppressed: boolean, params: any}} Feature */
/**
 * @typedef {{version: 1, units: "mm" | "cm" | "in", next: number, hidden: string[],
 *   features: Feature[]}} Document hidden: ids of bodies that are not shown
 */

export const VERSION = 1;

/** @returns {Document} */
export const emptyDocument = () => ({
  version: VERSION,
  units: "mm",
  next: 1,
  hidden: [],
  features: [],
});

/** @returns {Document} */
export function addFeature(doc, type, params = {}, label = TYPES[type].label) {
  const number =
    doc.features.filter((other) => other.name.replace(/ \d+$/, "") === label).length + 1;
  const feature = {
    id: `f${doc.next}`,
    type,
    name: freeName(doc, label, number),
    suppressed: false,
    params: { ...initialParams(type), ...params },
  };
  return { ...doc, next: doc.next + 1, features: [...doc.features, feature] };
}

function freeName(doc, label, number) {
  const names = new Set(doc.features.map((feature) => feature.name));
  let free = number;
  while (names.has(`${label} ${free}`)) free += 1;
  return `${label} ${free}`;
}

/** @param {Document} doc @param {string} id @returns {Feature | undefined} */
export const findFeature = (doc, id) => doc.features.find((feature) => feature.id === id);

/** @param {Document} doc @param {string} id @param {Partial<Feature>} change @returns {Document} */
export function editFeature(doc, id, change) {
  return {
    ...doc,
    features: doc.features.map((feature) =>
      feature.id === id ? { ...feature, ...change } : feature,
    ),
  };
}

/** @param {Document} doc @param {string} id @param {object} params @returns {Document} */
export function setParams(doc, id, params) {
  return editFeature(doc, id, { params: { ...findFeature(doc, id).params, ...params } });
}

/** @returns {Document} */
export function renameFeature(doc, id, name) {
  const trimmed = name.trim();
  if (trimmed === "") throw new ModelError("A name cannot be empty.");
  if (doc.features.some((feature) => feature.id !== id && feature.name === trimmed)) {
    throw new ModelError(`Another feature is named ${trimmed}: choose another name.`);
  }
  return editFeature(doc, id, { name: trimmed });
}

/** @returns {Document} */
export function removeFeature(doc, id) {
  const users = doc.features.filter((feature) => feature.id !== id && mentions(feature, id));
  if (users.length > 0) {
    const names = users.map((feature) => feature.name).join(", ");
    throw new ModelError(`${findFeature(doc, id).name} is used by ${names}: delete that first.`);
  }
  return { ...doc, features: doc.features.filter((feature) => feature.id !== id) };
}

/** Move a feature up (-1) or down (1); never above what it uses. @returns {Document} */
export function moveFeature(doc, id, by) {
  const at = doc.features.findIndex((feature) => feature.id === id);
  const to = at + by;
  if (to < 0 || to >= doc.features.length) return doc;
  const [upper, lower] =
    by < 0 ? [doc.features[to], doc.features[at]] : [doc.features[at], doc.features[to]];
  if (mentions(lower, upper.id)) {
    throw new ModelError(`${lower.name} uses ${upper.name}: it must stay below it.`);
  }
  const features = [...doc.features];
  [features[at], features[to]] = [features[to], features[at]];
  return { ...doc, features };
}

/** Whether a feature refers to another: to its body, its sketch, its faces or edges. */
export function mentions(feature, id) {
  const { sketch, source, target, tool, body, plane, edges = [] } = feature.params;
  const refers = (text) => text === id || new RegExp(`(^|[|~])${id}[:.]`).test(text);
  return [sketch, source, target, tool, body, plane, ...edges].some((text) => text && refers(text));
}

/** SHA-256 of the document's JSON, keys in order. @returns {Promise<string>} */
export async function hashOf(doc) {
  const bytes = new TextEncoder().encode(JSON.stringify(doc, sortedKeys));
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function sortedKeys(_key, value) {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, value[key]]),
  );
}
