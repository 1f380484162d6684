/**
 * The geometry kernel: Manifold compiled to WebAssembly, and the books over what it allocates.
 * WebAssembly memory is not collected, so every solid made in a step is kept or freed by name.
 */
import { ModelError } from "../errors.js";
import { FaceNames } from "./faces.js";

/** @typedef {any} Manifold */

/** More triangles than this make the page slow for everyone. */
export const MOST_TRIANGLES = 150000;

const BATCH = 20000; // triangles that are united at once
const MOST_CHORDS = 128; // of a full circle: 0.04 % of the area is missing
const FEWEST_CHORDS = 32;
const SAGITTA = 0.003; // mm between a chord and a small circle

/** Chords of a full circle of this radius in mm; a multiple of 4, so that its extent is exact. */
export function chordsOf(radius) {
  const wanted = Math.PI / Math.acos(Math.max(0, 1 - SAGITTA / radius));
  return 4 * Math.ceil(Math.min(MOST_CHORDS, Math.max(FEWEST_CHORDS, wanted)) / 4);
}

export class Kernel {
  /** @param {any} wasm an initialised Manifold module */
  constructor(wasm) {
    this.Manifold = wasm.Manifold;
    this.CrossSection = wasm.CrossSection;
    this.Mesh = wasm.Mesh;
    this.faces = new FaceNames();
    /** @type {Set<Manifold>} solids and sections made in the step that runs */
    this.fresh = new Set();
  }

  /** Note an object of the kernel, so that it is freed when no body needs it. */
  track(object) {
    this.fresh.add(object);
    return object;
  }

  /** @param {object} mesh */
  solidOf(mesh) {
    return this.checked(() => new this.Manifold(new this.Mesh(mesh)));
  }

  /** Run an operation and turn a refusal of the kernel into a message. */
  checked(operation) {
    let solid;
    try {
      solid = operation();
    } catch (error) {
      if (error?.name !== "ManifoldError") throw error;
      throw new ModelError(`The surface is not closed (${error.code}): it bounds no solid.`);
    }
    const status = solid.status();
    if (status === "NoError") return this.track(solid);
    solid.delete();
    throw new ModelError(`The operation has no solid as its result (${status}).`);
  }

  /** Free what this step made and does not keep. @param {Set<Manifold>} kept */
  release(kept) {
    const owned = [];
    for (const object of this.fresh) {
      if (kept.has(object)) owned.push(object);
      else object.delete();
    }
    this.fresh.clear();
    return owned;
  }

  /** Solids in place of a transform: a mirror turns the surface inside out by itself. */
  moved = (solid, matrix) => this.track(solid.transform(matrix));
  subtract = (a, b) => this.bounded(a.subtract(b));
  intersect = (a, b) => this.bounded(a.intersect(b));

  /**
   * Unite solids, some at a time: near-copies on the same place multiply each other's triangles,
   * and that is noticed before it takes minutes.
   */
  union(solids) {
    let [sum, ...left] = solids;
    while (left.length > 0) {
      const batch = [sum];
      let load = 0;
      while (left.length > 0 && load < BATCH) {
        load += left[0].numTri();
        batch.push(left.shift());
      }
      sum = this.bounded(this.Manifold.union(batch));
    }
    return sum;
  }

  /** Refuse a result that is too much to draw. */
  bounded(solid) {
    this.track(solid);
    if (solid.numTri() <= MOST_TRIANGLES) return solid;
    throw new ModelError(
      `The result would have ${solid.numTri()} triangles: at most ${MOST_TRIANGLES} can be shown. ` +
        "Use fewer copies, or keep round shapes from overlapping themselves.",
    );
  }
}

/** Load the WebAssembly module. @returns {Promise<Kernel>} */
export async function loadKernel() {
  const { default: start } = await import("manifold-3d");
  const wasm = await start();
  wasm.setup();
  return new Kernel(wasm);
}
