/**
 * Names of faces that survive edits. Every triangle of a solid carries the number of its face's
 * key, such as `f1:top`: the feature that made the face, and the face's name in that feature.
 * Booleans keep the numbers, so a face is the same face after a dimension has changed.
 */

/** @typedef {any} Manifold */
/** @typedef {any} Mesh of Manifold: flat lists of corners and of triangles */

/** Keys to numbers and back; numbers never leave the kernel. */
export class FaceNames {
  constructor() {
    /** @type {Map<string, number>} */
    this.numbers = new Map();
    /** @type {string[]} */
    this.keys = [];
  }

  /** @param {string} key */
  number(key) {
    const known = this.numbers.get(key);
    if (known !== undefined) return known;
    this.numbers.set(key, this.keys.length);
    this.keys.push(key);
    return this.keys.length - 1;
  }

  /** @param {number} number */
  key(number) {
    return this.keys[number];
  }
}

/**
 * Return a copy of a solid in which every triangle has a named face.
 *
 * @param {import("./wasm.js").Kernel} kernel
 * @param {Manifold} solid
 * @param {(triangle: number[][], old: number) => string} nameOf from the three corners in mm
 */
export function named(kernel, solid, nameOf) {
  const mesh = solid.getMesh();
  const faceID = new Uint32Array(mesh.numTri);
  for (let t = 0; t < mesh.numTri; t += 1) {
    faceID[t] = kernel.faces.number(nameOf(corners(mesh, t), mesh.faceID[t]));
  }
  return kernel.solidOf({ ...buffers(mesh), faceID });
}

/**
 * Return a copy whose faces are new faces: a copy's faces are not the original's.
 *
 * @param {import("./wasm.js").Kernel} kernel
 * @param {Manifold} solid
 * @param {string} suffix
 */
export const renamed = (kernel, solid, suffix) =>
  named(kernel, solid, (_, old) => `${kernel.faces.key(old)}~${suffix}`);

/** @param {Mesh} mesh @param {number} t @returns {number[][]} */
function corners(mesh, t) {
  const { triVerts, vertProperties, numProp } = mesh;
  return [0, 1, 2].map((k) => {
    const at = triVerts[3 * t + k] * numProp;
    return [vertProperties[at], vertProperties[at + 1], vertProperties[at + 2]];
  });
}

function buffers(mesh) {
  const { numProp, vertProperties, triVerts, mergeFromVert, mergeToVert } = mesh;
  return { numProp, vertProperties, triVerts, mergeFromVert, mergeToVert };
}
