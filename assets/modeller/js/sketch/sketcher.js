/**
 * Drawing in a sketch. A shape is drawn by clicks, or by press and drag; points snap to points of
 * the sketch and to a grid. Every finished shape is one step of undo.
 */
import { setParams } from "../document.js";
import { ModelError } from "../errors.js";
import { planeFrame } from "../kernel/features.js";
import { toPlane } from "../kernel/frames.js";
import { format } from "../units.js";
import { byId } from "../ui/dom.js";
import { say } from "../ui/messages.js";
import { HINTS } from "./commands.js";
import * as entities from "./entities.js";
import { drawSketch } from "./overlay.js";
import { shapeAt, snapped } from "./snapping.js";

/** @typedef {import("../kernel/profile.js").Vec2} Vec2 */

const DRAG_START = 4; // CSS px
const EMPTY = { points: [], entities: [] };
const POINTS_NEEDED = { line: 2, rectangle: 2, circle: 2, arc: 3 };
/** Shapes for those who draw with the keyboard: Enter puts one at the origin. */
const STARTERS = {
  line: [
    [0, 0],
    [20, 0],
  ],
  rectangle: [
    [0, 0],
    [40, 30],
  ],
  circle: [
    [0, 0],
    [10, 0],
  ],
  arc: [
    [0, 0],
    [20, 0],
    [10, 10],
  ],
};

export class Sketcher {
  /** @param {import("../app.js").App} app @param {import("../view/viewport.js").Viewport} viewport */
  constructor(app, viewport) {
    this.app = app;
    this.viewport = viewport;
    this.wasOpen = ""; // sketch and plane that the camera faces
    this.cameraBefore = null; // to turn back to after the sketch
    this.clear();
    app.listeners.push(() => this.update());
  }

  clear() {
    this.tool = "select";
    /** @type {Vec2[]} */
    this.points = [];
    /** @type {Vec2 | null} */
    this.cursor = null;
    /** @type {string | null} */
    this.selected = null;
    this.hovered = null;
    /** @type {any} the press that goes on: where it began, and on which shape */
    this.drag = null;
  }

  get isOpen() {
    return this.app.mode === "sketch" && this.app.feature?.type === "sketch";
  }

  get sketch() {
    return this.app.feature.params;
  }

  get frame() {
    const scene = this.app.evaluator.sceneBefore(this.app.doc, this.app.active);
    try {
      return planeFrame(scene, this.sketch, this.app.kernel);
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      return planeFrame(scene, { plane: "XY" }, this.app.kernel); // the tree tells what is wrong
    }
  }

  /** After every change: turn to the plane of a sketch that was opened, and back afterwards. */
  update() {
    const key = this.isOpen ? `${this.app.active} ${this.sketch.plane}` : "";
    if (key !== this.wasOpen) this.turn(key);
    if (this.isOpen && !this.sketch.entities.some(({ id }) => id === this.selected))
      this.selected = null;
    this.viewport.draw();
  }

  turn(key) {
    const isNew = key.split(" ")[0] !== this.wasOpen.split(" ")[0];
    const { camera } = this.viewport;
    if (this.wasOpen === "")
      this.cameraBefore = { azimuth: camera.azimuth, elevation: camera.elevation };
    this.wasOpen = key;
    if (isNew) this.clear();
    if (key === "") {
      Object.assign(camera, this.cameraBefore);
      return;
    }
    camera.face(this.frame.normal);
    if (isNew && this.sketch.entities.length === 0) this.take("rectangle");
  }

  /** Draw over the canvas; called with every drawing of it. */
  draw(svg) {
    svg.toggleAttribute("hidden", !this.isOpen);
    if (!this.isOpen) return;
    drawSketch(svg, this.viewport.camera, {
      frame: this.frame,
      sketch: this.sketch,
      selected: this.selected,
      hovered: this.hovered,
      preview: this.preview(),
      cursor: this.tool === "select" ? null : this.cursor,
      units: this.app.doc.units,
    });
  }

  take(tool) {
    this.tool = tool;
    this.points = [];
    say(HINTS[tool]);
    this.app.refresh();
  }

  finish() {
    const { name } = this.app.feature;
    this.app.mode = "model";
    say(`${name} finished: extrude or revolve it.`);
    this.app.refresh();
  }

  edit(change, message) {
    const id = this.app.active;
    return this.app.change((doc) => setParams(doc, id, change(this.sketch)), message);
  }

  /** Fields of the picked shape, for the property panel. */
  subject() {
    const entity = this.isOpen && this.sketch.entities.find(({ id }) => id === this.selected);
    if (!entity) return null;
    const label = entities.ENTITY_LABELS[entity.type];
    const write = (value) => format(value, "length", this.app.doc.units);
    return {
      key: `${this.app.active}/${entity.id}`,
      title: label,
      fields: entities.ENTITY_FIELDS[entity.type],
      values: entities.valuesOf(this.sketch, entity),
      set: (field, value) =>
        this.edit(
          (sketch) => entities.editEntity(sketch, entity.id, field.name, value, write),
          `${label}: ${field.label} set.`,
        ),
    };
  }

  constrain(constraint) {
    const entity = this.sketch.entities.find(({ id }) => id === this.selected);
    if (entity?.type !== "line") throw new ModelError("Pick a line of the sketch first.");
    this.edit(
      (sketch) => entities.editEntity(sketch, entity.id, "constraint", constraint),
      `Line made ${constraint}.`,
    );
  }

  remove() {
    if (!this.selected) throw new ModelError("Pick a shape of the sketch first.");
    this.edit((sketch) => entities.removeEntity(sketch, this.selected), "Shape deleted.");
  }

  /** @returns {boolean} whether the key meant something here */
  key(event) {
    if (event.key === "Escape") this.escape();
    else if (event.key === "Enter" && this.tool !== "select") this.drawStarter();
    else if (event.key === "Delete" && this.selected) this.app.attempt(() => this.remove());
    else return false;
    return true;
  }

  escape() {
    if (this.points.length > 0) this.take(this.tool);
    else if (this.tool !== "select") this.take("select");
    else if (this.selected) this.choose(null);
    else this.finish();
  }

  drawStarter() {
    this.points = STARTERS[this.tool];
    this.complete();
    byId("fields").querySelector("input")?.focus();
  }

  choose(id) {
    this.selected = id;
    this.app.refresh();
  }

  press(x, y) {
    const { normal } = this.frame;
    if (this.viewport.camera.isEdgeOn(normal)) {
      this.viewport.camera.face(normal);
      this.viewport.draw();
      this.app.complain("The sketch was seen from its edge: the view was turned. Click again.");
      return;
    }
    const point = this.snap(x, y);
    if (this.tool === "select") {
      const id = this.at(x, y);
      this.drag = { id, from: point, start: [x, y], isMoved: false };
      this.choose(id);
      return;
    }
    this.drag = { start: [x, y], isMoved: false, isFirst: this.points.length === 0 };
    this.put(point);
  }

  hover(x, y) {
    const { drag } = this;
    if (drag && Math.hypot(x - drag.start[0], y - drag.start[1]) > DRAG_START) drag.isMoved = true;
    this.cursor = this.snap(x, y);
    this.hovered = this.tool === "select" && !drag ? this.at(x, y) : null;
    this.viewport.draw();
  }

  release(x, y) {
    const { drag } = this;
    this.drag = null;
    if (!drag?.isMoved) return;
    if (this.tool !== "select") {
      if (drag.isFirst && this.points.length === 1) this.put(this.snap(x, y));
    } else if (drag.id) this.shift(drag, this.snap(x, y));
  }

  leave() {
    this.cursor = null;
    this.hovered = null;
    this.viewport.draw();
  }

  /** Move the dragged shape by what the pointer went. */
  shift({ id, from }, to) {
    const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
    if (dx === 0 && dy === 0) return;
    this.edit((sketch) => entities.shiftEntity(sketch, id, dx, dy), "Shape moved.");
  }

  /** Take one more point; the last one makes the shape. */
  put(point) {
    const last = this.points.at(-1);
    if (last && last[0] === point[0] && last[1] === point[1]) return;
    this.points = [...this.points, point];
    if (this.points.length === POINTS_NEEDED[this.tool]) this.complete();
    this.viewport.draw();
  }

  complete() {
    const { points, tool } = this;
    this.points = [];
    const isDone = this.edit(
      (sketch) => this.drawn(sketch, points),
      `${entities.ENTITY_LABELS[tool]} drawn.`,
    );
    if (!isDone) return;
    this.selected = this.sketch.entities.at(-1).id;
    if (tool === "line" && !this.closes(points[1])) this.points = [points[1]];
    this.app.refresh();
  }

  drawn(sketch, points, tool = this.tool) {
    const add = {
      line: entities.addLine,
      rectangle: entities.addRectangle,
      circle: entities.addCircle,
      arc: entities.addArc,
    };
    return add[tool](sketch, ...points);
  }

  /** Whether a chain of lines ends at a point that another line has already. */
  closes(/** @type {Vec2} */ [x, y]) {
    const point = this.sketch.points.find((other) => Math.hypot(other.x - x, other.y - y) < 1e-6);
    return this.sketch.entities.filter(({ a, b }) => a === point?.id || b === point?.id).length > 1;
  }

  /** What would be drawn if the pointer's place were the next point. */
  preview() {
    const { points, cursor, drag } = this;
    if (drag?.isMoved && drag.id) return this.shifted(drag, cursor);
    if (!cursor || points.length === 0) return [];
    const isArcChord = this.tool === "arc" && points.length === 1;
    try {
      const sketch = this.drawn(EMPTY, [...points, cursor], isArcChord ? "line" : this.tool);
      return [{ entity: sketch.entities[0], sketch }];
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      return []; // two points that are one, three on a line
    }
  }

  shifted({ id, from }, to) {
    const sketch = entities.shiftEntity(this.sketch, id, to[0] - from[0], to[1] - from[1]);
    return [{ entity: sketch.entities.find((entity) => entity.id === id), sketch }];
  }

  /** The point of the plane under a pixel. @returns {Vec2} */
  under(x, y) {
    const { origin, normal } = this.frame;
    return toPlane(this.frame, this.viewport.camera.onPlane(x, y, origin, normal));
  }

  /** The same, moved to a point of the sketch or of the grid. @returns {Vec2} */
  snap(x, y) {
    return snapped(this.sketch, this.under(x, y), this.viewport.camera.mmPerPx);
  }

  /** The shape under a pixel. */
  at(x, y) {
    return shapeAt(this.sketch, this.under(x, y), this.viewport.camera.mmPerPx);
  }
}
