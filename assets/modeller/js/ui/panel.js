/** The property panel: the fields of the open feature, or of the picked part of a sketch. */
import { renameFeature, setParams } from "../document.js";
import { frameOfFace } from "../kernel/frames.js";
import { TYPES } from "../schema.js";
import { choiceField, flagField, NumberField } from "./fields.js";
import { byId, element, setText } from "./dom.js";

/** @typedef {import("../app.js").App} App */

export class Panel {
  /** @param {App} app @param {any} sketcher */
  constructor(app, sketcher) {
    this.app = app;
    this.sketcher = sketcher;
    this.shown = ""; // which set of fields stands in the panel
    /** @type {Map<string, import("./fields.js").FieldView>} */
    this.views = new Map();
    this.name = byId("feature-name");
    this.name.addEventListener("change", () => this.rename());
    this.name.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.rename();
      if (event.key === "Escape") this.name.value = this.app.feature.name;
      event.stopPropagation();
    });
    app.listeners.push(() => this.update());
  }

  rename() {
    const { feature } = this.app;
    if (!feature || this.name.value === feature.name) return;
    const isDone = this.app.change(
      (doc) => renameFeature(doc, feature.id, this.name.value),
      "Renamed.",
    );
    if (!isDone) this.name.value = feature.name;
  }

  update() {
    const { app } = this;
    const { feature } = app;
    const isMeasure = app.mode === "measure";
    byId("measurements").hidden = !isMeasure;
    byId("properties").hidden = isMeasure || !feature;
    byId("nothing").hidden = isMeasure || Boolean(feature);
    if (!feature) return this.clear();
    if (document.activeElement !== this.name) this.name.value = feature.name;
    const error = app.evaluation.errors.get(feature.id);
    setText(byId("feature-error"), error ?? "");
    byId("feature-error").hidden = !error;
    this.updateFields(this.subject());
    return undefined;
  }

  /** What the panel edits: a feature's parameters, or one entity of the open sketch. */
  subject() {
    const entity = this.app.mode === "sketch" ? this.sketcher.subject() : null;
    if (entity) return entity;
    const { feature } = this.app;
    return {
      key: feature.id,
      title: TYPES[feature.type].label,
      fields: TYPES[feature.type].fields.filter(({ when }) => !when || when(feature.params)),
      values: feature.params,
      set: (field, value) => this.set(field, value),
    };
  }

  set(field, value) {
    const { id, name } = this.app.feature;
    this.app.change(
      (doc) => setParams(doc, id, { [field.name]: value }),
      `${name}: ${field.label} set.`,
    );
  }

  updateFields({ key, title, fields, values, set }) {
    const shown = `${key} ${fields.map(({ name }) => name).join()}`;
    if (shown !== this.shown) {
      const focused = document.activeElement?.id;
      this.clear();
      this.shown = shown;
      this.title = title;
      setText(byId("fields-title"), title);
      for (const field of fields) this.views.set(field.name, this.view(field, set));
      byId("fields").replaceChildren(...[...this.views.values()].map(({ node }) => node));
      if (focused?.startsWith("field-")) byId(focused)?.focus();
    }
    const { units } = this.app.doc;
    for (const field of fields) {
      this.views
        .get(field.name)
        .update(values[field.name], units, this.options(field, values[field.name]));
    }
  }

  clear() {
    this.views.forEach((view) => view.remove());
    this.views.clear();
    this.shown = "";
    byId("fields").replaceChildren();
  }

  view(field, set) {
    const change = (value) => set(field, value);
    if (["length", "angle", "count"].includes(field.kind)) return new NumberField(field, change);
    if (field.kind === "flag") return flagField(field, change);
    if (field.kind === "edges") return this.edgesField(field);
    const view = choiceField(field, change);
    return field.kind === "plane" ? this.withFaceButton(view) : view;
  }

  /** A plane can also be the picked face. */
  withFaceButton(view) {
    const use = element(
      "button",
      {
        type: "button",
        id: "use-face",
        class: "wide",
        onclick: () => this.useFace(),
      },
      "Use picked face",
    );
    return { ...view, node: element("div", {}, view.node, use) };
  }

  useFace() {
    const { app } = this;
    const hit = app.selection.find(({ kind }) => kind === "face");
    app.attempt(() => {
      if (!hit) return app.complain("Pick a flat face in the view first.");
      frameOfFace(app.topology(app.visible.find(({ id }) => id === hit.body)).faces.get(hit.id));
      return this.set({ name: "plane", label: "Plane" }, hit.id);
    });
  }

  edgesField(field) {
    const list = element("ul", { class: "edges", id: "field-edges", "aria-label": field.label });
    const use = element(
      "button",
      { type: "button", id: "use-edges", class: "wide", onclick: () => this.useEdges() },
      "Use picked edges",
    );
    return {
      node: element(
        "div",
        { class: "stack" },
        element("span", { class: "label" }, field.label),
        list,
        use,
      ),
      update: (ids) =>
        list.replaceChildren(...ids.map((id) => element("li", {}, this.app.nameOf(id)))),
      remove() {},
    };
  }

  useEdges() {
    const edges = this.app.selection.filter(({ kind }) => kind === "edge").map(({ id }) => id);
    if (edges.length === 0) this.app.complain("Pick one or more straight edges in the view first.");
    else this.set({ name: "edges", label: "Edges" }, edges);
  }

  /** Choices that depend on the document. */
  options(field, value) {
    const { app } = this;
    const { doc, evaluator } = app;
    const at = doc.features.findIndex(({ id }) => id === app.active);
    if (field.kind === "feature") {
      const above = doc.features.slice(0, at).filter(({ type }) => field.types.includes(type));
      return above.map(({ id, name }) => ({ value: id, label: name }));
    }
    if (field.kind === "body") {
      const bodies = [...evaluator.sceneBefore(doc, app.active).bodies.values()];
      const all = field.withAll ? [{ value: "all", label: "All it meets" }] : [];
      return [...all, ...bodies.map(({ id, name }) => ({ value: id, label: name }))];
    }
    if (field.kind === "plane") return this.planes(value);
    if (field.kind === "axis") return this.axes();
    return undefined;
  }

  planes(value) {
    const planes = [
      { value: "XY", label: "Top (XY)" },
      { value: "XZ", label: "Front (XZ)" },
      { value: "YZ", label: "Right (YZ)" },
    ];
    if (value.includes(":")) planes.push({ value, label: this.app.nameOf(value) });
    return planes;
  }

  axes() {
    const { app } = this;
    const sketch = app.doc.features.find(({ id }) => id === app.feature.params.sketch);
    const lines = sketch?.params.entities.filter(({ type }) => type === "line") ?? [];
    return [
      { value: "x", label: "Sketch X axis" },
      { value: "y", label: "Sketch Y axis" },
      ...lines.map(({ id }) => ({ value: id, label: `Line ${id}` })),
    ];
  }
}
