/**
 * What each type of feature does to the bodies before it. Pure: the same bodies and parameters
 * give the same bodies.
 */
import { ModelError } from "../errors.js";
import { readStl } from "../files/stl.js";
import { blendBar } from "./blends.js";
import { renamed } from "./faces.js";
import { AXES, BASE_PLANES, frameOf, frameOfFace, raised } from "./frames.js";
import { imported } from "./imported.js";
import { pointOf, profileOf } from "./profile.js";
import { MOST_TRIANGLES } from "./wasm.js";
import * as solids from "./solids.js";
import { topologyOf } from "./topology.js";
import { about, multiply, reflection, rotation, scale, translation } from "./vec.js";

/** @typedef {{id: string, name: string, solid: any}} Body */
/** @typedef {{solid: any, operation: "new" | "add" | "cut", target: string}} Tool */
/**
 * The bodies after some features, and what later features may refer to.
 *
 * @typedef {object} Scene
 * @property {Map<string, Body>} bodies
 * @property {Map<string, Tool>} tools what each feature added or cut, for patterns and mirrors
 * @property {Map<string, import("./frames.js").Frame>} frames of sketches, by feature
 * @property {Map<string, object>} sketches parameters, by feature
 */

const THROUGH = 2; // a through cut is this many diagonals of the bodies long

/** Return the scene after one feature. @returns {Scene} */
export function applyFeature(kernel, scene, feature) {
  return APPLY[feature.type](kernel, scene, feature);
}

const shape = (make) => (kernel, scene, feature) =>
  use(kernel, scene, feature, make(kernel, feature.id, feature.params));

const APPLY = {
  sketch,
  box: shape(solids.box),
  cylinder: shape((kernel, id, p) =>
    solids.cone(kernel, id, { ...p, bottom: p.diameter, top: p.diameter }),
  ),
  sphere: shape(solids.sphere),
  cone: shape(solids.cone),
  import: shape((kernel, id, p) => imported(kernel, id, readStl(fromBase64(p.data)))),
  extrude,
  revolve,
  hole,
  blend,
  linear: (kernel, scene, feature) => repeat(kernel, scene, feature, linearSteps(feature.params)),
  circular: (kernel, scene, feature) =>
    repeat(kernel, scene, feature, circularSteps(feature.params)),
  mirror: (kernel, scene, feature) =>
    repeat(kernel, scene, feature, [mirrorMatrix(feature.params)]),
  boolean,
  move,
};

function sketch(_kernel, scene, { id, params }) {
  const frame = planeFrame(scene, params, _kernel);
  return {
    ...scene,
    frames: new Map(scene.frames).set(id, frame),
    sketches: new Map(scene.sketches).set(id, params),
  };
}

/** The frame of a base plane, or of a face by its key. */
export function planeFrame(scene, { plane, offset = 0 }, kernel) {
  const normal = BASE_PLANES[plane];
  return normal ? frameOf(normal, offset) : raised(faceFrame(kernel, scene, plane), offset);
}

function faceFrame(kernel, scene, key) {
  for (const body of scene.bodies.values()) {
    const face = topologyOf(body.solid, kernel.faces).faces.get(key);
    if (face) return frameOfFace(face);
  }
  throw new ModelError(`Face ${key} is no longer there: choose another face.`);
}

function extrude(kernel, scene, feature) {
  const { params } = feature;
  const { frame, profile } = sketched(kernel, scene, params.sketch);
  const size = params.extent === "through" ? THROUGH * diagonal(scene) : params.length;
  const span = {
    forward: { from: 0, to: size },
    backward: { from: -size, to: 0 },
    symmetric: { from: -size / 2, to: size / 2 },
  }[params.direction];
  return use(kernel, scene, feature, solids.extrude(kernel, feature.id, profile, frame, span));
}

function revolve(kernel, scene, feature) {
  const { params } = feature;
  const { frame, profile, sketch } = sketched(kernel, scene, params.sketch);
  const axis = axisOf(params.axis, sketch);
  const solid = solids.revolve(kernel, feature.id, profile, frame, axis, params.angle);
  return use(kernel, scene, feature, solid);
}

/** An axis of the sketch, or one of its lines. */
function axisOf(name, sketch) {
  if (name === "x") return { origin: [0, 0], direction: [1, 0] };
  if (name === "y") return { origin: [0, 0], direction: [0, 1] };
  const line = sketch.entities.find((entity) => entity.id === name && entity.type === "line");
  if (!line) throw new ModelError("The line that was the axis is gone: choose another axis.");
  const [a, b] = [pointOf(sketch, line.a), pointOf(sketch, line.b)];
  const size = Math.hypot(b[0] - a[0], b[1] - a[1]);
  return { origin: a, direction: [(b[0] - a[0]) / size, (b[1] - a[1]) / size] };
}

function sketched(kernel, scene, id) {
  const sketch = scene.sketches.get(id);
  if (!sketch) throw new ModelError("Choose a sketch that stands above this feature in the list.");
  return { sketch, frame: scene.frames.get(id), profile: profileOf(kernel, sketch) };
}

function hole(kernel, scene, feature) {
  const { params } = feature;
  const frame = planeFrame(scene, params, kernel);
  const depth = params.extent === "through" ? THROUGH * diagonal(scene) : params.depth;
  checkHole(params);
  const cutter = solids.holeCutter(kernel, feature.id, { ...params, depth }, frame);
  return use(kernel, scene, { ...feature, params: { operation: "cut", target: "all" } }, cutter);
}

function checkHole({ kind, diameter, boreDiameter }) {
  if (kind !== "plain" && boreDiameter <= diameter) {
    throw new ModelError(
      `The ${kind} of ${boreDiameter} mm must be wider than the hole of ${diameter} mm.`,
    );
  }
}

function blend(kernel, scene, feature) {
  const { edges, kind, size } = feature.params;
  if (edges.length === 0) throw new ModelError("Choose at least one straight edge.");
  const bodies = new Map(scene.bodies);
  const missing = new Set(edges);
  for (const body of scene.bodies.values()) {
    const topology = topologyOf(body.solid, kernel.faces);
    const mine = edges.filter((id) => topology.edges.has(id));
    mine.forEach((id) => missing.delete(id));
    const bars = mine.map((id) => {
      const name = `${feature.id}:blend${edges.indexOf(id) + 1}`;
      return blendBar(kernel, name, topology, topology.edges.get(id), { kind, size });
    });
    if (bars.length > 0) bodies.set(body.id, { ...body, solid: blended(kernel, body.solid, bars) });
  }
  if (missing.size > 0) {
    throw new ModelError(`Edge ${[...missing][0]} is no longer there: choose the edges again.`);
  }
  return { ...scene, bodies };
}

function blended(kernel, solid, bars) {
  const added = bars.filter(({ isCut }) => !isCut).map(({ bar }) => bar);
  const cut = bars.filter(({ isCut }) => isCut).map(({ bar }) => bar);
  const filled = kernel.union([solid, ...added]);
  return cut.length > 0 ? kernel.subtract(filled, kernel.union(cut)) : filled;
}

function linearSteps({ axis, count, spacing, secondAxis, secondCount, secondSpacing }) {
  const steps = [];
  const rows = secondAxis === "none" ? 1 : secondCount;
  for (let j = 0; j < rows; j += 1) {
    for (let i = 0; i < count; i += 1) {
      const first = scale(AXES[axis], i * spacing);
      const second = rows > 1 ? scale(AXES[secondAxis], j * secondSpacing) : [0, 0, 0];
      if (i + j > 0) steps.push(multiply(translation(first), translation(second)));
    }
  }
  return steps;
}

function circularSteps({ axis, count, angle, x, y, z }) {
  const step = angle === 360 ? 360 / count : angle / (count - 1);
  const steps = [];
  for (let k = 1; k < count; k += 1) {
    steps.push(about(rotation(AXES[axis], k * step), [x, y, z]));
  }
  return steps;
}

function mirrorMatrix({ plane, offset }) {
  const axis = { XY: AXES.Z, XZ: AXES.Y, YZ: AXES.X }[plane];
  return reflection(axis, scale(axis, offset));
}

/** Do again, elsewhere, what another feature did. */
function repeat(kernel, scene, feature, matrices) {
  const source = scene.tools.get(feature.params.source);
  if (!source) throw new ModelError("Choose a feature above this one that adds or cuts a shape.");
  checkLoad(source.solid, matrices.length);
  const copies = matrices.map((matrix, k) =>
    renamed(kernel, kernel.moved(source.solid, matrix), `${feature.id}.${k + 1}`),
  );
  if (copies.length === 0) return scene;
  const isSeparate = source.operation === "new" && feature.params.result === "separate";
  if (isSeparate) return separate(scene, feature, copies);
  const operation = source.operation === "new" ? "add" : source.operation;
  const target = source.operation === "new" ? feature.params.source : source.target;
  const params = { operation, target: scene.bodies.has(target) ? target : "all" };
  return use(kernel, scene, { ...feature, params }, kernel.union(copies));
}

/** A pattern of patterns grows faster than one thinks: refuse it before the page hangs. */
function checkLoad(solid, copies) {
  const triangles = solid.numTri() * copies;
  if (triangles <= MOST_TRIANGLES) return;
  throw new ModelError(
    `${copies} copies of this feature have ${triangles} triangles: ` +
      `at most ${MOST_TRIANGLES} can be made. Use fewer copies.`,
  );
}

function separate(scene, feature, copies) {
  const bodies = new Map(scene.bodies);
  copies.forEach((solid, k) => {
    const id = `${feature.id}.${k + 1}`;
    bodies.set(id, { id, name: `${feature.name} (${k + 1})`, solid });
  });
  return { ...scene, bodies };
}

function boolean(kernel, scene, { params }) {
  const { operation, target, tool } = params;
  const [a, b] = [bodyOf(scene, target), bodyOf(scene, tool)];
  if (target === tool) throw new ModelError(`${a.name} was given twice: choose two bodies.`);
  const combine = {
    union: () => kernel.union([a.solid, b.solid]),
    subtract: () => kernel.subtract(a.solid, b.solid),
    intersect: () => kernel.intersect(a.solid, b.solid),
  }[operation];
  const bodies = new Map(scene.bodies).set(a.id, { ...a, solid: filled(combine(), a.name) });
  if (!params.keep) bodies.delete(b.id);
  return { ...scene, bodies };
}

function move(kernel, scene, feature) {
  const { params } = feature;
  const body = bodyOf(scene, params.body);
  const { min, max } = body.solid.boundingBox();
  const centre = min.map((low, k) => (low + max[k]) / 2);
  const turns = [
    rotation(AXES.Z, params.rz),
    rotation(AXES.Y, params.ry),
    rotation(AXES.X, params.rx),
  ];
  const turn = about(turns.reduce(multiply), params.about === "centre" ? centre : [0, 0, 0]);
  const matrix = multiply(translation([params.dx, params.dy, params.dz]), turn);
  const solid = kernel.moved(body.solid, matrix);
  if (params.copy) return separate(scene, feature, [renamed(kernel, solid, `${feature.id}.1`)]);
  return { ...scene, bodies: new Map(scene.bodies).set(body.id, { ...body, solid }) };
}

/** Make a shape a new body, or add it to bodies, or cut it from them; remember it as a tool. */
function use(kernel, scene, feature, solid) {
  const { operation = "new", target = "all" } = feature.params;
  const tools = new Map(scene.tools).set(feature.id, { solid, operation, target });
  const bodies = new Map(scene.bodies);
  if (operation === "new" || (operation === "add" && bodies.size === 0)) {
    bodies.set(feature.id, { id: feature.id, name: feature.name, solid });
  } else if (operation === "add") join(kernel, bodies, solid, target);
  else cut(kernel, bodies, solid, target);
  return { ...scene, bodies, tools };
}

/** Unite with the target, or with every body that the shape meets; the oldest keeps its name. */
function join(kernel, bodies, solid, target) {
  const all = target === "all" ? [...bodies.values()] : [bodyOf({ bodies }, target)];
  const met = all.filter((body) => boxesMeet(body.solid, solid));
  const joined = met.length > 0 ? met : [all[all.length - 1]];
  const [first, ...others] = joined;
  const solids = [...joined.map((body) => body.solid), solid];
  bodies.set(first.id, { ...first, solid: kernel.union(solids) });
  others.forEach((body) => bodies.delete(body.id));
}

function cut(kernel, bodies, solid, target) {
  const all = target === "all" ? [...bodies.values()] : [bodyOf({ bodies }, target)];
  const met = all.filter((body) => boxesMeet(body.solid, solid));
  let removed = 0;
  for (const body of met) {
    const rest = filled(kernel.subtract(body.solid, solid), body.name);
    removed += body.solid.volume() - rest.volume();
    bodies.set(body.id, { ...body, solid: rest });
  }
  if (removed <= 0) {
    throw new ModelError("The cut does not meet a body: turn its direction or move it.");
  }
}

function filled(solid, name) {
  if (solid.isEmpty()) throw new ModelError(`Nothing would be left of ${name}: nothing was done.`);
  return solid;
}

function boxesMeet(a, b) {
  const [p, q] = [a.boundingBox(), b.boundingBox()];
  return [0, 1, 2].every((k) => p.min[k] <= q.max[k] && q.min[k] <= p.max[k]);
}

function bodyOf(scene, id) {
  const body = scene.bodies.get(id);
  if (!body) throw new ModelError("Choose a body that exists at this place in the list.");
  return body;
}

/** mm across all bodies, at least 1. */
function diagonal(scene) {
  const boxes = [...scene.bodies.values()].map((body) => body.solid.boundingBox());
  if (boxes.length === 0) return 1;
  const span = [0, 1, 2].map(
    (k) => Math.max(...boxes.map((b) => b.max[k])) - Math.min(...boxes.map((b) => b.min[k])),
  );
  return Math.max(1, Math.hypot(...span));
}

function fromBase64(text) {
  return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
}
