/**
 * The feature tree and the list of bodies. Arrow keys walk, Enter opens, Ctrl+arrows move, Delete
 * deletes; with the mouse a feature is dragged to another place.
 */
import { editFeature, findFeature, moveFeature, removeFeature } from "../document.js";
import { byId, element, keyed, setText } from "./dom.js";
import { icon } from "./icons.js";

/** @typedef {import("../app.js").App} App */

const ICONS = { blend: "round", boolean: "union" };
const DRAG_START = 5; // px

export class Tree {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.items = byId("features");
    this.bodies = byId("bodies");
    this.dragged = null;
    this.buttons = this.toolButtons();
    byId("tree-tools").append(...this.buttons.map(({ node }) => node));
    this.items.addEventListener("keydown", (event) => this.key(event));
    app.listeners.push(() => this.update());
  }

  toolButtons() {
    const tool = (id, label, name, run) => ({
      id,
      node: element(
        "button",
        {
          type: "button",
          id,
          class: "plain",
          title: label,
          "aria-label": label,
          onclick: run,
        },
        icon(name),
      ),
    });
    return [
      tool("edit-sketch", "Edit sketch", "edit", () => this.app.enter("sketch")),
      tool("move-up", "Move up", "up", () => this.move(-1)),
      tool("move-down", "Move down", "down", () => this.move(1)),
      tool("suppress", "Suppress", "suppress", () => this.suppress()),
      tool("delete", "Delete", "remove", () => this.remove()),
    ];
  }

  update() {
    const { app } = this;
    keyed(
      this.items,
      app.doc.features,
      ({ id }) => id,
      (feature) => this.item(feature),
      (node, feature) => {
        this.updateItem(node, feature);
      },
    );
    byId("no-features").hidden = app.doc.features.length > 0;
    const all = [...app.evaluation.scene.bodies.values()];
    keyed(
      this.bodies,
      all,
      ({ id }) => id,
      (body) => this.body(body),
      (node, body) => {
        const isHidden = app.doc.hidden.includes(body.id);
        setText(node.querySelector("span"), body.name);
        node.classList.toggle("hidden-body", isHidden);
        node.querySelector("button").setAttribute("aria-pressed", String(!isHidden));
        node.querySelector("button").setAttribute("aria-label", `Show ${body.name}`);
      },
    );
    byId("no-bodies").hidden = all.length > 0;
    this.updateTools();
  }

  updateTools() {
    const { feature } = this.app;
    for (const { id, node } of this.buttons)
      node.disabled = !feature || (id === "edit-sketch" && feature.type !== "sketch");
    byId("suppress").setAttribute("aria-pressed", String(Boolean(feature?.suppressed)));
  }

  item(feature) {
    return element(
      "li",
      {
        role: "treeitem",
        id: `feature-${feature.id}`,
        tabindex: "-1",
        onclick: () => this.app.activate(feature.id),
        ondblclick: () => this.open(feature.id),
        onpointerdown: (event) => this.grab(event, feature.id),
      },
      icon(ICONS[feature.type] ?? feature.type),
      element("span"),
      element("em", { "aria-hidden": "true" }),
    );
  }

  updateItem(node, feature) {
    const { app } = this;
    const error = app.evaluation.errors.get(feature.id);
    const isActive = feature.id === app.active;
    const state = feature.suppressed ? "suppressed" : error ? "error" : "";
    setText(node.querySelector("span"), feature.name);
    setText(node.querySelector("em"), state === "error" ? "!" : "");
    node.setAttribute("aria-selected", String(isActive));
    node.setAttribute("aria-label", state ? `${feature.name}, ${state}` : feature.name);
    node.title = error ?? feature.name;
    node.className = state;
    const isFirst = !app.active && app.doc.features[0] === feature;
    node.tabIndex = isActive || isFirst ? 0 : -1;
  }

  body(body) {
    const eye = element(
      "button",
      {
        type: "button",
        id: `show-${body.id}`,
        class: "plain",
        title: "Show or hide",
        onclick: () => this.toggle(body.id),
      },
      icon("eye"),
    );
    return element("li", { id: `body-${body.id}` }, element("span"), eye);
  }

  toggle(id) {
    const isHidden = this.app.doc.hidden.includes(id);
    this.app.change(
      (doc) => ({
        ...doc,
        hidden: isHidden ? doc.hidden.filter((other) => other !== id) : [...doc.hidden, id],
      }),
      isHidden ? "Body shown." : "Body hidden.",
    );
  }

  open(id) {
    if (findFeature(this.app.doc, id).type === "sketch") this.app.enter("sketch");
  }

  move(by) {
    const { name } = this.app.feature;
    this.app.change(
      (doc) => moveFeature(doc, this.app.active, by),
      `${name} moved ${by < 0 ? "up" : "down"}.`,
    );
  }

  suppress() {
    const { id, name, suppressed } = this.app.feature;
    this.app.change(
      (doc) => editFeature(doc, id, { suppressed: !suppressed }),
      `${name} ${suppressed ? "counts again" : "suppressed"}.`,
    );
  }

  remove() {
    const { app } = this;
    const { id, name } = app.feature;
    app.change((doc) => {
      const next = removeFeature(doc, id);
      app.mode = "model";
      return next;
    }, `${name} deleted.`);
  }

  key(event) {
    const { app } = this;
    const ids = app.doc.features.map(({ id }) => id);
    const at = ids.indexOf(app.active);
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (step && event.ctrlKey && app.feature) this.move(step);
    else if (step) app.activate(ids[Math.min(ids.length - 1, Math.max(0, at + step))]);
    else if (event.key === "Enter" && app.feature) this.enter();
    else if (event.key === "F2" && app.feature) byId("feature-name").focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
    if (step) byId(`feature-${app.active}`)?.focus();
  }

  /** Enter leads to what can be edited: the sketch, or the first field. */
  enter() {
    if (this.app.feature.type === "sketch") this.app.enter("sketch");
    else byId("fields").querySelector("input, button")?.focus();
  }

  grab(event, id) {
    if (event.button !== 0) return;
    this.dragged = { id, y: event.clientY, isMoved: false };
    const move = (e) => this.drag(e);
    const drop = (e) => {
      window.removeEventListener("pointermove", move);
      this.drop(e);
    };
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", drop, { once: true });
  }

  drag(event) {
    if (Math.abs(event.clientY - this.dragged.y) > DRAG_START) this.dragged.isMoved = true;
    const over = this.dragged.isMoved ? this.under(event) : null;
    for (const node of this.items.children) node.classList.toggle("drop", node === over);
  }

  /** @returns {any} the feature under the pointer */
  under(event) {
    return document.elementFromPoint(event.clientX, event.clientY)?.closest("#features > li");
  }

  drop(event) {
    const { id, isMoved } = this.dragged;
    const over = isMoved ? this.under(event) : null;
    for (const node of this.items.children) node.classList.remove("drop");
    if (!over || over.dataset.key === id) return;
    const index = (doc, key) => doc.features.findIndex((feature) => feature.id === key);
    const { name } = findFeature(this.app.doc, id);
    this.app.change((doc) => {
      let next = doc;
      const to = index(doc, over.dataset.key);
      while (index(next, id) !== to) next = moveFeature(next, id, Math.sign(to - index(next, id)));
      return next;
    }, `${name} moved.`);
  }
}
