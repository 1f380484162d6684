/** Small helpers for the page: elements, and lists that keep their elements between updates. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * @param {string} tag
 * @param {Record<string, any>} attributes `on...` are listeners, the rest attributes or, if the
 *   value is a boolean, present or absent
 * @param {...(Node | string | null)} children
 */
export function element(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** The same for the parts of a drawing. */
export function drawn(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (typeof value === "boolean" && !name.startsWith("aria-"))
      node.toggleAttribute(name, value);
    else if (value !== undefined && value !== null) node.setAttribute(name, String(value));
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

/**
 * Make the children of a container match a list. A child whose key stays is updated, not replaced,
 * so that focus and references to it live on.
 *
 * @template T
 * @param {Element} container
 * @param {T[]} items
 * @param {(item: T) => string} keyOf
 * @param {(item: T) => HTMLElement} create
 * @param {(node: any, item: T) => void} update
 */
export function keyed(container, items, keyOf, create, update = () => {}) {
  const children = /** @type {HTMLElement[]} */ ([...container.children]);
  const known = new Map(children.map((node) => [node.dataset.key, node]));
  items.forEach((item, k) => {
    const key = keyOf(item);
    const node = known.get(key) ?? create(item);
    node.dataset.key = key;
    known.delete(key);
    if (container.children[k] !== node) container.insertBefore(node, container.children[k] ?? null);
    update(node, item);
  });
  known.forEach((node) => node.remove());
}

/** Set text only where it differs: screen readers announce every change. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** @param {string} id @returns {any} an element of the page */
export const byId = (id) => document.getElementById(id);
