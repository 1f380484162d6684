/**
 * The program's one state: the document with its history, the bodies it gives, what is selected
 * and which mode the pointer is in. Everything on the page is drawn from here.
 */
import { emptyDocument, findFeature } from "./document.js";
import { ModelError } from "./errors.js";
import { History } from "./history.js";
import { topologyOf } from "./kernel/topology.js";
import { complain, say } from "./ui/messages.js";

/** @typedef {import("./view/pick.js").Hit} Hit */
/** @typedef {"model" | "sketch" | "measure"} Mode */

export class App {
  /** @param {import("./kernel/wasm.js").Kernel} kernel @param {import("./kernel/evaluate.js").Evaluator} evaluator */
  constructor(kernel, evaluator) {
    this.kernel = kernel;
    this.evaluator = evaluator;
    this.history = new History(emptyDocument());
    /** @type {Hit[]} */
    this.selection = [];
    /** @type {string | null} feature in the property panel */
    this.active = null;
    /** @type {Mode} */
    this.mode = "model";
    /** @type {Array<() => void>} called after every change */
    this.listeners = [];
    /** @type {() => void} colour what is picked and under the pointer; set by main.js */
    this.repaint = () => {};
    /** @type {(hit: Hit | null) => void} a pick in the measure mode; set by main.js */
    this.measured = () => {};
    this.evaluate();
  }

  get doc() {
    return this.history.present;
  }

  get feature() {
    return this.active ? findFeature(this.doc, this.active) : undefined;
  }

  /** Bodies that are shown, in the order of the list. */
  get visible() {
    const { hidden } = this.doc;
    return [...this.evaluation.scene.bodies.values()].filter((body) => !hidden.includes(body.id));
  }

  topology(body) {
    return topologyOf(body.solid, this.kernel.faces);
  }

  /** Run something a person asked for; say what was wrong with it. @returns {boolean} */
  attempt(action) {
    try {
      action();
      return true;
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      complain(error.message);
      return false;
    }
  }

  /**
   * Change the document in one step of undo.
   *
   * @param {(doc: any) => any} edit
   * @param {string} message
   */
  change(edit, message) {
    return this.attempt(() => {
      const next = edit(this.doc);
      if (next === this.doc) return;
      this.history.push(next);
      this.settle(message);
    });
  }

  /** Evaluate, then tell everyone; a feature that fails complains. */
  settle(message) {
    this.evaluate();
    const failed = this.active && this.evaluation.errors.get(this.active);
    if (failed) complain(failed);
    else say(message);
    this.refresh();
  }

  evaluate() {
    this.evaluation = this.evaluator.evaluate(this.doc);
    if (!this.feature) this.active = null;
    const exists = ({ kind, id, body }) => {
      const solid = this.visible.find((candidate) => candidate.id === body)?.solid;
      return (
        solid && topologyOf(solid, this.kernel.faces)[kind === "face" ? "faces" : "edges"].has(id)
      );
    };
    this.selection = this.selection.filter(exists);
  }

  refresh() {
    this.listeners.forEach((listener) => listener());
  }

  /** @param {string} text */
  say(text) {
    say(text);
  }

  /** @param {string} text */
  complain(text) {
    complain(text);
  }

  undo() {
    this.history.undo();
    this.leaveLostSketch();
    this.settle("Undone.");
  }

  redo() {
    this.history.redo();
    this.leaveLostSketch();
    this.settle("Done again.");
  }

  leaveLostSketch() {
    if (this.mode === "sketch" && !this.feature) this.mode = "model";
  }

  /** @param {string | null} id */
  activate(id) {
    if (this.mode === "sketch" && id !== this.active) this.mode = "model";
    this.active = id;
    this.selection = [];
    const failed = id && this.evaluation.errors.get(id);
    if (failed) complain(failed);
    else say(this.feature ? `${this.feature.name} is open in the properties.` : "Ready.");
    this.refresh();
  }

  /** @param {Mode} mode */
  enter(mode) {
    this.mode = mode;
    this.refresh();
  }

  /** Select what was picked, alone or with the rest. @param {Hit | null} hit */
  select(hit, isAdded) {
    const same = (other) => other.kind === hit?.kind && other.id === hit?.id;
    if (!hit) this.selection = isAdded ? this.selection : [];
    else if (!isAdded) this.selection = [hit];
    else if (this.selection.some(same))
      this.selection = this.selection.filter((other) => !same(other));
    else this.selection = [...this.selection, hit];
    say(this.describeSelection());
    this.refresh();
  }

  describeSelection() {
    if (this.selection.length === 0) return "Ready.";
    if (this.selection.length > 1) return `${this.selection.length} picked.`;
    const [{ kind, id }] = this.selection;
    return `${kind === "face" ? "Face" : "Edge"} ${this.nameOf(id)} picked.`;
  }

  ownerOf(id) {
    return findFeature(this.doc, id)?.name ?? id;
  }

  /** `e1.left~f4.2` is `side 1 left, Mirror 1 (2)`. */
  faceName(face) {
    const [own, ...copies] = face.split("~");
    const made = copies.map((copy) => {
      const [id, number] = copy.split(".");
      return `, ${this.ownerOf(id)} (${number})`;
    });
    return [own.replace(/^e(\d+)\.?/, "side $1 ").trim(), ...made].join("");
  }

  /** Keys as people read them: `f1:top` is `Box 1 top`. @param {string} key */
  nameOf(key) {
    const parts = key.split("|").map((one) => {
      const [, id, face] = /^([^:]+):(.*)$/.exec(one) ?? [null, one, ""];
      return { owner: this.ownerOf(id), face: this.faceName(face) };
    });
    const [first, second] = parts;
    if (!second) return `${first.owner} ${first.face}`.trim();
    const owner = second.owner === first.owner ? "" : `${second.owner} `;
    return `${first.owner} ${first.face} / ${owner}${second.face}`;
  }
}
