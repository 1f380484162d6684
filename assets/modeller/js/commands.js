/** What the toolbar does. Each command adds a feature with sensible values and opens it. */
import { addFeature, emptyDocument } from "./document.js";
import { readDocument } from "./reading.js";
import { ModelError } from "./errors.js";
import { choose, download, toBase64 } from "./files/download.js";
import { readStl, writeStl } from "./files/stl.js";
import { writeThreeMf } from "./files/threemf.js";
import { frameOfFace, toPlane } from "./kernel/frames.js";
import { TYPES } from "./schema.js";

/** @typedef {import("./app.js").App} App */
/**
 * @typedef {object} Command
 * @property {string} id
 * @property {string} label
 * @property {string} icon
 * @property {string} hint
 * @property {(app: App) => void} run
 * @property {string} [key] shortcut while no field has the focus
 */

const MAKERS = TYPES.mirror.fields.find((field) => field.kind === "feature").types;

const primitive = (type) => (app) =>
  add(app, type, { operation: app.visible.length ? "add" : "new" });

/** Groups of the model ribbon. @type {Array<{label: string, commands: Command[]}>} */
export const MODEL_GROUPS = [
  {
    label: "Sketch",
    commands: [
      command(
        "sketch",
        "Sketch",
        "Draw on the picked flat face, or on a base plane",
        startSketch,
        "s",
      ),
      command("extrude", "Extrude", "Push a sketch out into a body, or cut with it", extrude, "e"),
      command("revolve", "Revolve", "Turn a sketch about an axis", revolve, "r"),
    ],
  },
  {
    label: "Shapes",
    commands: [
      command("box", "Box", "Add a box", primitive("box")),
      command("cylinder", "Cylinder", "Add a cylinder", primitive("cylinder")),
      command("sphere", "Sphere", "Add a sphere", primitive("sphere")),
      command("cone", "Cone", "Add a cone", primitive("cone")),
    ],
  },
  {
    label: "Features",
    commands: [
      command("hole", "Hole", "Drill where a flat face was picked", hole, "h"),
      command("round", "Round", "Round the picked straight edges", (app) => blend(app, "round")),
      command("chamfer", "Chamfer", "Bevel the picked straight edges", (app) =>
        blend(app, "chamfer"),
      ),
    ],
  },
  {
    label: "Repeat",
    commands: [
      command("linear", "Linear", "Repeat a feature along an axis", (app) => repeat(app, "linear")),
      command("circular", "Circular", "Repeat a feature about an axis", (app) =>
        repeat(app, "circular"),
      ),
      command("mirror", "Mirror", "Mirror a feature in a plane", (app) => repeat(app, "mirror")),
    ],
  },
  {
    label: "Bodies",
    commands: [
      command("union", "Union", "Unite two bodies", (app) => combine(app, "union")),
      command("subtract", "Subtract", "Cut one body out of another", (app) =>
        combine(app, "subtract"),
      ),
      command("intersect", "Intersect", "Keep what two bodies share", (app) =>
        combine(app, "intersect"),
      ),
      command("move", "Move", "Move or turn a body", move),
    ],
  },
  {
    label: "Inspect",
    commands: [command("measure", "Measure", "Distances, volume and size", toggleMeasure, "m")],
  },
];

/** @type {Command[]} */
export const FILE_COMMANDS = [
  command("new", "New", "Start with an empty document", startNew),
  command("open", "Open", "Open a saved document", open),
  command("save", "Save", "Save the document with its features", save),
  command("import", "Import STL", "Add a body from an STL file", importStl),
  command(
    "export-stl",
    "Export STL",
    "Download all visible bodies as STL",
    exportStl,
    undefined,
    "export",
  ),
  command(
    "export-3mf",
    "Export 3MF",
    "Download all visible bodies as 3MF",
    exportThreeMf,
    undefined,
    "export",
  ),
];

function command(id, label, hint, run, key, icon = id) {
  return { id, label, hint, run, key, icon };
}

/** Add a feature and open it. @param {App} app */
export function add(app, type, params = {}, label = TYPES[type].label) {
  app.change((doc) => {
    const next = addFeature(doc, type, params, label);
    app.active = next.features[next.features.length - 1].id;
    app.selection = [];
    return next;
  }, `${label} added: set it in the properties.`);
}

/** @param {App} app */
function startSketch(app) {
  const face = app.selection.find((hit) => hit.kind === "face");
  if (face) flatFace(app, face);
  app.mode = "sketch";
  add(app, "sketch", { plane: face?.id ?? "XY", points: [], entities: [] });
}

/** @param {App} app */
function extrude(app) {
  const sketch = chosenSketch(app);
  const isOnFace = sketch.params.plane.includes(":");
  app.mode = "model";
  add(app, "extrude", {
    sketch: sketch.id,
    operation: isOnFace && app.visible.length ? "add" : "new",
  });
}

/** @param {App} app */
function revolve(app) {
  const sketch = chosenSketch(app);
  app.mode = "model";
  add(app, "revolve", { sketch: sketch.id });
}

/** The open sketch, or the last one that nothing uses yet. @param {App} app */
function chosenSketch(app) {
  if (app.feature?.type === "sketch") return app.feature;
  const used = new Set(app.doc.features.map((feature) => feature.params.sketch));
  const sketches = app.doc.features.filter((feature) => feature.type === "sketch");
  const free = sketches.filter((feature) => !used.has(feature.id));
  const chosen = free.at(-1) ?? sketches.at(-1);
  if (!chosen)
    throw new ModelError("There is no sketch: press Sketch and draw a closed outline first.");
  return chosen;
}

/** @param {App} app */
function hole(app) {
  const hit = app.selection.find(({ kind }) => kind === "face");
  if (!hit) throw new ModelError("Pick a flat face where the hole goes, then press Hole.");
  const [x, y] = toPlane(frameOfFace(flatFace(app, hit)), hit.point);
  add(app, "hole", { plane: hit.id, x: Math.round(x) + 0, y: Math.round(y) + 0 });
}

/** @param {App} app */
function flatFace(app, hit) {
  const body = app.visible.find(({ id }) => id === hit.body);
  const face = app.topology(body).faces.get(hit.id);
  frameOfFace(face); // says so if the face is curved
  return face;
}

/** @param {App} app */
function blend(app, kind) {
  const picked = app.selection.filter((hit) => hit.kind === "edge").map((hit) => hit.id);
  const edges = picked.length > 0 ? picked : uprightEdges(app);
  if (edges.length === 0) {
    throw new ModelError("Pick straight edges, or open a box or an extrusion in the list, first.");
  }
  add(app, "blend", { kind, edges }, kind === "round" ? "Round" : "Chamfer");
}

/** Edges between the sides of the open feature, along its height. @param {App} app */
function uprightEdges(app) {
  if (!["box", "extrude"].includes(app.feature?.type)) return [];
  const isSide = (key) => key.startsWith(`${app.active}:`) && !/:(top|bottom)$/.test(key);
  const all = app.visible.flatMap((body) => [...app.topology(body).edges.values()]);
  return all.filter((edge) => edge.isSharp && edge.faces.every(isSide)).map((edge) => edge.id);
}

/** @param {App} app */
function repeat(app, type) {
  const makers = app.doc.features.filter((feature) => MAKERS.includes(feature.type));
  const source = makers.find((feature) => feature.id === app.active) ?? makers.at(-1);
  if (!source) throw new ModelError("There is nothing to repeat: add a shape or a feature first.");
  add(app, type, { source: source.id });
}

/** @param {App} app */
function combine(app, operation) {
  const picked = [...new Set(app.selection.map((hit) => hit.body))];
  const bodies = picked.length === 2 ? picked : app.visible.map((body) => body.id);
  if (bodies.length < 2)
    throw new ModelError("Two bodies are needed: make a shape with “New body” first.");
  const label = { union: "Union", subtract: "Subtract", intersect: "Intersect" }[operation];
  add(app, "boolean", { operation, target: bodies[0], tool: bodies[1] }, label);
}

/** @param {App} app */
function move(app) {
  const body = app.selection[0]?.body ?? app.visible.at(-1)?.id;
  if (!body) throw new ModelError("There is no body to move: add a shape first.");
  add(app, "move", { body });
}

/** @param {App} app */
function toggleMeasure(app) {
  app.selection = [];
  const isOn = app.mode !== "measure";
  app.say(isOn ? "Measure: pick one or two faces, edges or corners." : "Ready.");
  app.enter(isOn ? "measure" : "model");
}

/** @param {App} app */
function startNew(app) {
  app.mode = "model";
  app.active = null;
  app.change(() => emptyDocument(), "New document. Undo brings the old one back.");
}

/** @param {App} app */
async function open(app) {
  const file = await choose(".json");
  if (!file) return;
  const text = await file.text();
  app.mode = "model";
  app.change(() => readDocument(parseJson(text, file.name)), `${file.name} opened.`);
}

function parseJson(text, name) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ModelError(`${name} is not a saved document: ${error.message}`);
  }
}

/** @param {App} app */
function save(app) {
  download("part.json", `${JSON.stringify(app.doc, null, 1)}\n`, "application/json");
  app.settle("Saved as part.json.");
}

/** @param {App} app */
async function importStl(app) {
  const file = await choose(".stl");
  if (!file) return;
  const bytes = new Uint8Array(await file.arrayBuffer());
  app.attempt(() => {
    readStl(bytes);
    add(app, "import", { data: toBase64(bytes) });
  });
}

/** Meshes of all visible bodies. @param {App} app */
export function meshes(app) {
  return app.visible.map((body) => ({ name: body.name, ...app.topology(body) }));
}

/** @param {App} app */
function exportStl(app) {
  download("part.stl", writeStl(someMeshes(app)), "model/stl");
  app.settle("Exported as part.stl.");
}

/** @param {App} app */
function exportThreeMf(app) {
  download("part.3mf", writeThreeMf(someMeshes(app)), "model/3mf");
  app.settle("Exported as part.3mf.");
}

function someMeshes(app) {
  const found = meshes(app);
  if (found.length === 0)
    throw new ModelError("There is no visible body to export: add a shape first.");
  return found;
}
