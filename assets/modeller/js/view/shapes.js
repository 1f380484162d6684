/** Bodies, grid and sketches as geometry for the screen, and how they are coloured. */
import * as THREE from "three";
import { add, normalize } from "../kernel/vec.js";
import { lineMaterial, surfaceMaterial } from "./materials.js";

/** @typedef {import("../kernel/topology.js").Topology} Topology */

export const COLOURS = {
  body: [0.7, 0.77, 0.86],
  hover: [0.99, 0.83, 0.58],
  selected: [0.98, 0.62, 0.24],
  member: [0.72, 0.83, 0.97], // faces of the feature that is open
  edge: [0.13, 0.17, 0.23],
  edgeHover: [0.93, 0.49, 0.05],
  edgeSelected: [0.88, 0.3, 0.02],
  sketch: [0.1, 0.42, 0.82],
  grid: [0.895, 0.912, 0.935],
  gridStrong: [0.8, 0.83, 0.868],
};
const EDGE_WIDTH = 1.4; // CSS pixels
const STRONG_WIDTH = 3.2;
const GRID_HALF = 60; // squares from the origin to the rim

/** One body: a surface whose faces, and edges, can be coloured by key. */
export class BodyShape {
  /** @param {string} id @param {Topology} topology */
  constructor(id, topology) {
    this.id = id;
    this.topology = topology;
    this.surface = new THREE.Mesh(surfaceGeometry(topology), surfaceMaterial());
    this.edges = [...topology.edges.values()].filter((edge) => edge.isSharp);
    const segments = this.edges.flatMap((edge) => segmentsOf(topology, edge));
    this.lines = lineMesh(segments, COLOURS.edge, EDGE_WIDTH);
    this.group = new THREE.Group();
    this.group.add(this.surface, this.lines);
  }

  /**
   * @param {(key: string) => number[]} faceColour
   * @param {(id: string) => {colour: number[], isStrong: boolean}} edgeInk
   */
  paint(faceColour, edgeInk) {
    const tint = this.surface.geometry.getAttribute("tint");
    const colours = new Map([...this.topology.faces.keys()].map((key) => [key, faceColour(key)]));
    this.topology.faceOf.forEach((key, t) => {
      for (let k = 0; k < 3; k += 1) tint.array.set(colours.get(key), 9 * t + 3 * k);
    });
    tint.needsUpdate = true;
    this.paintEdges(edgeInk);
  }

  paintEdges(edgeInk) {
    const ink = this.lines.geometry.getAttribute("ink");
    let at = 0;
    for (const edge of this.edges) {
      const { colour, isStrong } = edgeInk(edge.id);
      const values = [...colour, isStrong ? STRONG_WIDTH : EDGE_WIDTH];
      for (let k = 1; k < edge.path.length; k += 1, at += 4) ink.array.set(values, at);
    }
    ink.needsUpdate = true;
  }

  dispose() {
    for (const object of [this.surface, this.lines]) {
      object.geometry.dispose();
      object.material.dispose();
    }
  }
}

/** Corners of an edge, two by two. */
export function segmentsOf(topology, edge) {
  return edge.path.slice(1).map((to, k) => [topology.points[edge.path[k]], topology.points[to]]);
}

/**
 * @param {Array<[number[], number[]]>} segments
 * @param {number[]} colour
 * @param {number} width CSS pixels
 */
export function lineMesh(segments, colour, width, lift = 0.0001) {
  const geometry = new THREE.InstancedBufferGeometry();
  const corners = [0, -1, 0, 1, -1, 0, 1, 1, 0, 0, 1, 0];
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(corners, 3));
  geometry.setIndex([0, 1, 2, 0, 2, 3]);
  const instanced = (values, size) =>
    new THREE.InstancedBufferAttribute(Float32Array.from(values), size);
  geometry.setAttribute(
    "start",
    instanced(
      segments.flatMap(([a]) => a),
      3,
    ),
  );
  geometry.setAttribute(
    "end",
    instanced(
      segments.flatMap(([, b]) => b),
      3,
    ),
  );
  geometry.setAttribute(
    "ink",
    instanced(
      segments.flatMap(() => [...colour, width]),
      4,
    ),
  );
  geometry.instanceCount = segments.length;
  const mesh = new THREE.Mesh(geometry, lineMaterial(lift));
  mesh.frustumCulled = false; // its corners are not where it is drawn
  return mesh;
}

/** Lines of the ground plane, every tenth stronger. @param {number} step mm */
export function gridMesh(step) {
  const numbers = Array.from({ length: 2 * GRID_HALF + 1 }, (_, k) => k - GRID_HALF);
  const isStrong = (k) => k % 10 === 0;
  const lines = (list) => list.flatMap((k) => crossing(k * step, GRID_HALF * step));
  const group = new THREE.Group();
  // The stronger lines come last, and lie over the others where they cross.
  group.add(lineMesh(lines(numbers.filter((k) => !isStrong(k))), COLOURS.grid, 1, -0.0005));
  group.add(lineMesh(lines(numbers.filter(isStrong)), COLOURS.gridStrong, 1, -0.0004));
  return group;
}

/** A line of the grid in each direction. */
function crossing(at, half) {
  return [
    [
      [at, -half, 0],
      [at, half, 0],
    ],
    [
      [-half, at, 0],
      [half, at, 0],
    ],
  ];
}

function surfaceGeometry(topology) {
  const { points, triangles } = topology;
  const geometry = new THREE.BufferGeometry();
  const position = new Float32Array(9 * triangles.length);
  triangles.forEach((corners, t) => {
    corners.forEach((corner, k) => position.set(points[corner], 9 * t + 3 * k));
  });
  geometry.setAttribute("position", new THREE.BufferAttribute(position, 3));
  geometry.setAttribute("normal", new THREE.BufferAttribute(smoothNormals(topology), 3));
  const tint = new Float32Array(9 * triangles.length);
  geometry.setAttribute("tint", new THREE.BufferAttribute(tint, 3));
  return geometry;
}

/** Normals that are flat on flat faces and smooth within a curved one. */
function smoothNormals({ triangles, faces, normals }) {
  const out = new Float32Array(9 * triangles.length);
  for (const face of faces.values()) {
    const sums = face.isPlanar ? null : cornerSums(face, triangles, normals);
    for (const t of face.triangles) {
      triangles[t].forEach((corner, k) => {
        out.set(normalize(sums ? sums.get(corner) : face.normal), 9 * t + 3 * k);
      });
    }
  }
  return out;
}

/** Sums of the normals of a face's triangles around each corner. */
function cornerSums(face, triangles, normals) {
  const sums = new Map();
  for (const t of face.triangles) {
    for (const corner of triangles[t])
      sums.set(corner, add(sums.get(corner) ?? [0, 0, 0], normals[t]));
  }
  return sums;
}
