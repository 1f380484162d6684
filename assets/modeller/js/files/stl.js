/** STL: what is read (binary and text) and what is written (binary). Millimetres. */
import { ModelError } from "../errors.js";

const HEAD = 84;
const RECORD = 50;
const VERTEX = /vertex\s+(\S+)\s+(\S+)\s+(\S+)/gi;

/**
 * @param {Uint8Array} bytes
 * @returns {Float32Array} nine coordinates a triangle
 */
export function readStl(bytes) {
  const soup = isBinary(bytes) ? readBinary(bytes) : readText(bytes);
  if (soup.length === 0 || soup.length % 9 !== 0) {
    throw new ModelError("The file is not an STL mesh: choose a binary or text .stl file.");
  }
  if (!soup.every(Number.isFinite)) {
    throw new ModelError("The STL file has coordinates that are not numbers.");
  }
  return soup;
}

/**
 * @param {Array<{points: number[][], triangles: number[][]}>} meshes
 * @returns {Uint8Array}
 */
export function writeStl(meshes) {
  const count = meshes.reduce((sum, mesh) => sum + mesh.triangles.length, 0);
  const view = new DataView(new ArrayBuffer(HEAD + RECORD * count));
  view.setUint32(80, count, true);
  let at = HEAD;
  for (const { points, triangles } of meshes) {
    for (const corners of triangles) {
      const [a, b, c] = corners.map((k) => points[k]);
      for (const value of [...normalOf(a, b, c), ...a, ...b, ...c]) {
        view.setFloat32(at, value, true);
        at += 4;
      }
      at += 2;
    }
  }
  return new Uint8Array(view.buffer);
}

function isBinary(bytes) {
  if (bytes.length < HEAD) return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return bytes.length === HEAD + RECORD * view.getUint32(80, true);
}

function readBinary(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const count = view.getUint32(80, true);
  const soup = new Float32Array(9 * count);
  for (let t = 0; t < count; t += 1) {
    for (let k = 0; k < 9; k += 1) {
      soup[9 * t + k] = view.getFloat32(HEAD + RECORD * t + 12 + 4 * k, true);
    }
  }
  return soup;
}

function readText(bytes) {
  const text = new TextDecoder().decode(bytes);
  const numbers = [...text.matchAll(VERTEX)].flatMap((match) => match.slice(1, 4).map(Number));
  return Float32Array.from(numbers);
}

function normalOf(a, b, c) {
  const [u, v] = [b, c].map((p) => p.map((value, k) => value - a[k]));
  const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
  const size = Math.hypot(...n) || 1;
  return n.map((value) => value / size);
}
