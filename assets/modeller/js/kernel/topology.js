/**
 * Faces and edges of a solid's mesh, by the names that its triangles carry.
 *
 * An edge is where two named faces meet; its id is both keys. The same two faces may meet in
 * several places: the pieces are numbered in the order of their lowest corners.
 */
import { add, cross, dot, length, normalize, scale, sub } from "./vec.js";

/** @typedef {import("./vec.js").Vec3} Vec3 */
/**
 * @typedef {object} Face
 * @property {string} key
 * @property {number[]} triangles indices into `triangles`
 * @property {Vec3} normal mean unit normal
 * @property {Vec3} centre centre of area
 * @property {number} area mm²
 * @property {boolean} isPlanar
 */
/**
 * @typedef {object} Edge
 * @property {string} id
 * @property {string[]} faces the two keys
 * @property {number[]} path corners in order; the first is repeated at the end of a closed edge
 * @property {boolean} isClosed
 * @property {boolean} isSharp false between tangent or coplanar faces
 * @property {number} length mm
 */
/**
 * @typedef {object} Topology
 * @property {Vec3[]} points
 * @property {number[][]} triangles corners counter-clockwise from outside
 * @property {string[]} faceOf key by triangle
 * @property {Vec3[]} normals of the triangles, twice as long as their areas
 * @property {Map<string, Face>} faces
 * @property {Map<string, Edge>} edges
 */

const FLAT = 0.99995; // cosine: 0.6 degrees, far below the turn between two chords of a circle
const SMOOTH = 0.998; // cosine: 3.6 degrees, just above half that turn

/** @type {WeakMap<object, Topology>} */
const known = new WeakMap();

/**
 * @param {any} solid
 * @param {import("./faces.js").FaceNames} names
 * @returns {Topology}
 */
export function topologyOf(solid, names) {
  let topology = known.get(solid);
  if (!topology) {
    topology = read(solid.getMesh(), names);
    known.set(solid, topology);
  }
  return topology;
}

function read(mesh, names) {
  const { points, indexOf } = cornersOf(mesh);
  const triangles = [];
  const faceOf = [];
  for (let t = 0; t < mesh.numTri; t += 1) {
    triangles.push([0, 1, 2].map((k) => indexOf[mesh.triVerts[3 * t + k]]));
    faceOf.push(names.key(mesh.faceID[t]));
  }
  const normals = triangles.map((corners) => areaNormal(points, corners));
  const faces = gather(points, triangles, normals, faceOf);
  const edges = trace(points, triangles, normals, faceOf, faces);
  return { points, triangles, faceOf, faces, edges, normals };
}

/** Corners of the mesh; those that Manifold split for its own reasons are one corner again. */
function cornersOf(mesh) {
  const points = [];
  const indexOf = new Uint32Array(mesh.numVert);
  for (let v = 0; v < mesh.numVert; v += 1) {
    const at = v * mesh.numProp;
    points.push(Array.from(mesh.vertProperties.subarray(at, at + 3), (c) => c + 0));
    indexOf[v] = v;
  }
  mesh.mergeFromVert.forEach((from, k) => (indexOf[from] = mesh.mergeToVert[k]));
  return { points, indexOf };
}

/** The normal of a triangle, as long as twice its area. */
function areaNormal(points, [a, b, c]) {
  return cross(sub(points[b], points[a]), sub(points[c], points[a]));
}

/** @returns {Map<string, Face>} */
function gather(points, triangles, normals, faceOf) {
  const byKey = new Map();
  faceOf.forEach((key, t) => {
    if (!byKey.has(key)) byKey.set(key, []);
    byKey.get(key).push(t);
  });
  const faces = new Map();
  for (const key of [...byKey.keys()].sort()) {
    faces.set(key, describe(key, byKey.get(key), points, triangles, normals));
  }
  return faces;
}

function describe(key, members, points, triangles, normals) {
  let sum = [0, 0, 0];
  let moment = [0, 0, 0];
  let doubled = 0;
  for (const t of members) {
    const weight = length(normals[t]);
    const [a, b, c] = triangles[t];
    sum = add(sum, normals[t]);
    moment = add(moment, scale(add(add(points[a], points[b]), points[c]), weight / 3));
    doubled += weight;
  }
  const normal = normalize(sum);
  // A face is flat if its triangles' areas add up as vectors: slivers have no say.
  const isPlanar = doubled > 0 && length(sum) / doubled > FLAT;
  const centre = doubled > 0 ? scale(moment, 1 / doubled) : [...points[triangles[members[0]][0]]];
  return { key, triangles: members, normal, centre, area: doubled / 2, isPlanar };
}

/** @returns {Map<string, Edge>} */
function trace(points, triangles, normals, faceOf, faces) {
  const between = borders(triangles, faceOf, points.length);
  const edges = new Map();
  for (const pair of [...between.keys()].sort()) {
    const segments = between.get(pair);
    const keys = pair.split("|");
    const isSharp = segments.some(([, , s, t]) => isCrease(normals, s, t, keys, faces));
    chains(segments, points).forEach((path, k) => {
      const id = k === 0 ? pair : `${pair}#${k + 1}`;
      const isClosed = path[0] === path[path.length - 1];
      edges.set(id, { id, faces: keys, path, isClosed, isSharp, length: run(points, path) });
    });
  }
  return edges;
}

/** Sides of triangles at which the face changes, by the two keys. */
function borders(triangles, faceOf, num) {
  const half = new Map(); // numbers as keys: strings are three times slower
  const side = (a, b) => a * num + b;
  const between = new Map();
  triangles.forEach((corners, t) => {
    for (let k = 0; k < 3; k += 1) {
      const [a, b] = [corners[k], corners[(k + 1) % 3]];
      const other = half.get(side(b, a));
      if (other === undefined) {
        half.set(side(a, b), t);
        continue;
      }
      half.delete(side(b, a));
      if (faceOf[other] === faceOf[t]) continue;
      const pair = [faceOf[other], faceOf[t]].sort().join("|");
      if (!between.has(pair)) between.set(pair, []);
      between.get(pair).push([a, b, t, other]);
    }
  });
  return between;
}

function isCrease(normals, s, t, keys, faces) {
  const bothFlat = keys.every((key) => faces.get(key).isPlanar);
  const cosine = dot(normalize(normals[s]), normalize(normals[t]));
  return cosine < (bothFlat ? FLAT : SMOOTH);
}

/** Join segments into paths. @returns {number[][]} */
function chains(segments, points) {
  const next = new Map();
  for (const [a, b] of segments) {
    for (const [from, to] of [
      [a, b],
      [b, a],
    ]) {
      if (!next.has(from)) next.set(from, []);
      next.get(from).push(to);
    }
  }
  const order = [...next.keys()].sort((a, b) => compare(points[a], points[b]));
  const ends = order.filter((corner) => next.get(corner).length !== 2);
  const forks = new Set(ends);
  const paths = [];
  for (const start of [...ends, ...order]) {
    while (next.get(start).length > 0) paths.push(walk(start, next, forks));
  }
  return paths.sort((a, b) => compare(lowest(a, points), lowest(b, points)));
}

/** Follow segments to a fork, an end or the start, and take them away. */
function walk(start, next, forks) {
  const path = [start];
  let at = start;
  do {
    const to = next.get(at).shift();
    next.get(to).splice(next.get(to).indexOf(at), 1);
    path.push(to);
    at = to;
  } while (at !== start && !forks.has(at) && next.get(at).length > 0);
  return path;
}

function compare(a, b) {
  return a[2] - b[2] || a[1] - b[1] || a[0] - b[0];
}

function lowest(path, points) {
  return path.map((k) => points[k]).reduce((a, b) => (compare(a, b) <= 0 ? a : b));
}

function run(points, path) {
  let sum = 0;
  for (let k = 1; k < path.length; k += 1) sum += length(sub(points[path[k]], points[path[k - 1]]));
  return sum;
}
