/** Undo and redo: documents before and after the present one. */

const MOST_STEPS = 500;

export class History {
  /** @param {import("./document.js").Document} present */
  constructor(present) {
    this.reset(present);
  }

  reset(present) {
    this.past = [];
    this.present = present;
    this.future = [];
  }

  get canUndo() {
    return this.past.length > 0;
  }

  get canRedo() {
    return this.future.length > 0;
  }

  /** Make a document the present one. */
  push(doc) {
    this.past = [...this.past, this.present].slice(-MOST_STEPS);
    this.present = doc;
    this.future = [];
  }

  undo() {
    if (!this.canUndo) return;
    this.future = [this.present, ...this.future];
    this.present = this.past[this.past.length - 1];
    this.past = this.past.slice(0, -1);
  }

  redo() {
    if (!this.canRedo) return;
    this.past = [...this.past, this.present];
    [this.present, ...this.future] = this.future;
  }
}
