/**
 * The mouse and the keyboard on the canvas. Left click picks, left drag turns; middle or right
 * drag, or Shift and left, pans; the wheel zooms. In a sketch the left button draws.
 */
import { pick, pickPoint, pointOnFace } from "./pick.js";

const DRAG_START = 4; // CSS px
const ARROW_TURN = 37.5; // px of drag that an arrow key stands for: 15 degrees
const WHEEL = 0.001; // of a natural logarithm per unit of the wheel

export class Pointer {
  /**
   * @param {import("../app.js").App} app
   * @param {import("./viewport.js").Viewport} viewport
   * @param {import("../sketch/sketcher.js").Sketcher} sketcher
   */
  constructor(app, viewport, sketcher) {
    this.app = app;
    this.viewport = viewport;
    this.sketcher = sketcher;
    /** @type {any} the press that goes on */
    this.drag = null;
    /** @type {import("./pick.js").Hit | null} */
    this.hovered = null;
    /** @type {any} the last pick by key while measuring */
    this.cycled = null;
    const { canvas } = viewport;
    const on = (name, listener) => canvas.addEventListener(name, listener, { passive: false });
    on("pointerdown", (event) => this.down(event));
    on("pointermove", (event) => this.move(event));
    on("pointerup", (event) => this.up(event));
    on("pointercancel", () => {
      this.drag = null;
    });
    on("pointerleave", () => this.leave());
    on("wheel", (event) => this.wheel(event));
    on("contextmenu", (event) => event.preventDefault());
    on("keydown", (event) => this.key(event));
  }

  get shapes() {
    return [...this.viewport.shapes.values()];
  }

  down(event) {
    const { x, y } = this.place(event);
    this.viewport.canvas.setPointerCapture(event.pointerId);
    this.viewport.canvas.focus();
    this.drag = { x, y, startX: x, startY: y, isMoved: false, kind: this.kindOf(event) };
    if (this.drag.kind === "draw") this.sketcher.press(x, y);
    event.preventDefault();
  }

  kindOf({ button, shiftKey }) {
    if (button !== 0) return "pan";
    if (this.sketcher.isOpen) return "draw";
    return shiftKey ? "shift" : "turn";
  }

  move(event) {
    const { x, y } = this.place(event);
    if (this.sketcher.isOpen) this.sketcher.hover(x, y);
    if (!this.drag) return this.hover(x, y);
    const { drag } = this;
    if (Math.hypot(x - drag.startX, y - drag.startY) > DRAG_START) drag.isMoved = true;
    if (!drag.isMoved || drag.kind === "draw") return undefined;
    const [dx, dy] = [x - drag.x, y - drag.y];
    if (drag.kind === "turn") this.viewport.camera.turn(dx, dy);
    else this.viewport.camera.pan(dx, dy);
    Object.assign(drag, { x, y });
    return this.viewport.draw();
  }

  up(event) {
    const { x, y } = this.place(event);
    const { drag } = this;
    this.drag = null;
    if (!drag) return;
    if (drag.kind === "draw") this.sketcher.release(x, y);
    else if (!drag.isMoved && event.button === 0)
      this.click(x, y, event.ctrlKey || event.metaKey || event.shiftKey);
  }

  click(x, y, isAdded) {
    const isMeasure = this.app.mode === "measure";
    const hit = (isMeasure ? pickPoint : pick)(this.viewport.camera, this.shapes, x, y);
    if (isMeasure) this.app.measured(hit);
    else this.app.select(hit, isAdded);
  }

  hover(x, y) {
    const hit = this.sketcher.isOpen ? null : pick(this.viewport.camera, this.shapes, x, y);
    this.setHover(hit);
  }

  leave() {
    if (this.sketcher.isOpen) this.sketcher.leave();
    this.setHover(null);
  }

  setHover(hit) {
    if (this.hovered?.id === hit?.id) return;
    this.hovered = hit;
    this.app.repaint();
  }

  wheel(event) {
    event.preventDefault();
    const { x, y } = this.place(event);
    this.viewport.camera.zoom(Math.exp(event.deltaY * WHEEL), x, y);
    this.viewport.draw();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (this.sketcher.isOpen && this.sketcher.key(event)) {
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    const action = this.keyAction(event);
    if (!action) return;
    action();
    this.viewport.draw();
    event.preventDefault();
  }

  keyAction({ key, shiftKey }) {
    const { camera } = this.viewport;
    const turn = (dx, dy) => () => (shiftKey ? camera.pan(dx, dy) : camera.turn(dx, dy));
    return {
      ArrowLeft: turn(-ARROW_TURN, 0),
      ArrowRight: turn(ARROW_TURN, 0),
      ArrowUp: turn(0, -ARROW_TURN),
      ArrowDown: turn(0, ARROW_TURN),
      "+": () => camera.zoom(0.8),
      "-": () => camera.zoom(1.25),
      PageDown: () => this.cycle(1, shiftKey),
      PageUp: () => this.cycle(-1, shiftKey),
    }[key];
  }

  /** Pick the next face or edge without a mouse. */
  cycle(step, isEdges) {
    const all = this.shapes.flatMap((shape) => (isEdges ? edgeHits(shape) : faceHits(shape)));
    if (all.length === 0) return;
    const current = this.cycled ?? this.app.selection[0];
    const at = all.findIndex(({ kind, id }) => kind === current?.kind && id === current?.id);
    const start = at < 0 && step < 0 ? 0 : at;
    const hit = all[(start + step + all.length) % all.length];
    this.cycled = this.app.mode === "measure" ? hit : null;
    if (this.app.mode === "measure") this.app.measured(hit);
    else this.app.select(hit, false);
  }

  place({ clientX, clientY }) {
    const box = this.viewport.canvas.getBoundingClientRect();
    return { x: clientX - box.left, y: clientY - box.top };
  }
}

function faceHits({ id: body, topology }) {
  return [...topology.faces.values()].map((face) => ({
    kind: "face",
    id: face.key,
    body,
    point: pointOnFace(topology, face),
  }));
}

function edgeHits({ id: body, topology, edges }) {
  return edges.map((edge) => ({
    kind: "edge",
    id: edge.id,
    body,
    point: topology.points[edge.path[0]],
  }));
}
