/** A triangle mesh from a file as a solid: faces are where the surface turns gently. */
import { ModelError } from "../errors.js";
import { MOST_TRIANGLES } from "./wasm.js";
import { add, cross, dot, normalize, sub } from "./vec.js";

const GENTLE = Math.cos((20 * Math.PI) / 180);

/**
 * @param {import("./wasm.js").Kernel} kernel
 * @param {string} id
 * @param {Float32Array} soup nine coordinates a triangle, mm
 */
export function imported(kernel, id, soup) {
  const count = soup.length / 9;
  if (count > MOST_TRIANGLES) {
    throw new ModelError(
      `The file has ${count} triangles: at most ${MOST_TRIANGLES} can be imported.`,
    );
  }
  const { vertProperties, triVerts } = weld(soup);
  const groups = gentleGroups(vertProperties, triVerts);
  const faceID = Uint32Array.from(groups, (group) => kernel.faces.number(`${id}:face${group + 1}`));
  return kernel.solidOf({ numProp: 3, vertProperties, triVerts, faceID });
}

function weld(soup) {
  const seen = new Map();
  const positions = [];
  const triVerts = [];
  for (let at = 0; at < soup.length; at += 9) {
    const corners = [0, 3, 6].map((k) => {
      const point = Array.from(soup.subarray(at + k, at + k + 3), (c) => c + 0);
      const key = point.join();
      if (!seen.has(key)) {
        seen.set(key, seen.size);
        positions.push(...point);
      }
      return seen.get(key);
    });
    if (new Set(corners).size === 3) triVerts.push(...corners);
  }
  return { vertProperties: Float32Array.from(positions), triVerts: Uint32Array.from(triVerts) };
}

/** A group number by triangle, in the order of the file. */
function gentleGroups(positions, triVerts) {
  const count = triVerts.length / 3;
  const normals = Array.from({ length: count }, (_, t) => normalOf(positions, triVerts, t));
  const neighbours = neighboursOf(triVerts, count);
  const group = new Int32Array(count).fill(-1);
  let next = 0;
  for (let seed = 0; seed < count; seed += 1) {
    if (group[seed] >= 0) continue;
    const open = [seed];
    group[seed] = next;
    while (open.length > 0) {
      const t = open.pop();
      for (const other of neighbours[t]) {
        if (group[other] >= 0 || dot(normals[t], normals[other]) < GENTLE) continue;
        group[other] = next;
        open.push(other);
      }
    }
    next += 1;
  }
  return group;
}

function normalOf(positions, triVerts, t) {
  const [a, b, c] = [0, 1, 2].map((k) => {
    const at = 3 * triVerts[3 * t + k];
    return [positions[at], positions[at + 1], positions[at + 2]];
  });
  return normalize(add(cross(sub(b, a), sub(c, a)), [0, 0, 0]));
}

function neighboursOf(triVerts, count) {
  const half = new Map();
  const neighbours = Array.from({ length: count }, () => []);
  for (let t = 0; t < count; t += 1) {
    for (let k = 0; k < 3; k += 1) {
      const [a, b] = [triVerts[3 * t + k], triVerts[3 * t + ((k + 1) % 3)]];
      const other = half.get(`${b},${a}`);
      if (other === undefined) half.set(`${a},${b}`, t);
      else {
        neighbours[t].push(other);
        neighbours[other].push(t);
      }
    }
  }
  return neighbours;
}
