/**
 * From a document to bodies. Features are applied in order; what did not change since the last
 * evaluation is not computed again. A feature that fails leaves the bodies as they were and keeps
 * its message.
 */
import { ModelError } from "../errors.js";
import { applyFeature } from "./features.js";

/** @typedef {import("./features.js").Scene} Scene */
/** @typedef {{scene: Scene, errors: Map<string, string>}} Evaluation */

/** @returns {Scene} */
const empty = () => ({
  bodies: new Map(),
  tools: new Map(),
  frames: new Map(),
  sketches: new Map(),
});

export class Evaluator {
  /** @param {import("./wasm.js").Kernel} kernel */
  constructor(kernel) {
    this.kernel = kernel;
    /** @type {Array<{key: string, scene: Scene, error: string | null, owned: any[]}>} */
    this.steps = [];
  }

  /** @param {{features: any[]}} document @returns {Evaluation} */
  evaluate({ features }) {
    const active = features.filter((feature) => !feature.suppressed);
    const keys = active.map(({ id, name, type, params }) =>
      JSON.stringify([id, name, type, params]),
    );
    this.keepFirst(
      keys.findIndex((key, k) => this.steps[k]?.key !== key),
      keys.length,
    );
    for (let k = this.steps.length; k < active.length; k += 1) this.step(active[k], keys[k]);
    const errors = new Map();
    this.steps.forEach((step, k) => step.error && errors.set(active[k].id, step.error));
    return { scene: this.steps.at(-1)?.scene ?? empty(), errors };
  }

  /** The scene just before a feature: what its fields may refer to. @returns {Scene} */
  sceneBefore({ features }, id) {
    const active = features.filter((feature) => !feature.suppressed || feature.id === id);
    const at = active.findIndex((feature) => feature.id === id);
    return this.steps[at - 1]?.scene ?? empty();
  }

  /** Drop the steps from the first change on, and the solids that only they hold. */
  keepFirst(changed, total) {
    const kept = changed < 0 ? total : changed;
    for (const step of this.steps.splice(kept)) step.owned.forEach((object) => object.delete());
  }

  step(feature, key) {
    const before = this.steps.at(-1)?.scene ?? empty();
    let scene = before;
    let error = null;
    try {
      scene = applyFeature(this.kernel, before, feature);
    } catch (failure) {
      if (!(failure instanceof ModelError)) throw failure;
      error = failure.message;
    }
    this.steps.push({ key, scene, error, owned: this.kernel.release(solidsOf(scene)) });
  }
}

/** @param {Scene} scene */
function solidsOf(scene) {
  const bodies = [...scene.bodies.values()].map((body) => body.solid);
  return new Set([...bodies, ...[...scene.tools.values()].map((tool) => tool.solid)]);
}
