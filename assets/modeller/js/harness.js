/**
 * Hooks for the program that runs the page from outside: wait, reset, read, export. A person and
 * an agent never need them. See README.md.
 */
import { emptyDocument, hashOf } from "./document.js";
import { readDocument } from "./reading.js";
import { toBase64 } from "./files/download.js";
import { writeStl } from "./files/stl.js";
import { meshes } from "./commands.js";
import { pick } from "./view/pick.js";

/**
 * @param {import("./app.js").App} app
 * @param {import("./view/viewport.js").Viewport} viewport
 * @param {() => void} restart bring the page back to how it starts
 */
export function installHarness(app, viewport, restart) {
  const show = (doc) => {
    const next = doc ? readDocument(doc) : emptyDocument();
    app.history.reset(next);
    restart();
  };
  const hooks = {
    ready: Promise.resolve(true),
    get seq() {
      return viewport.drawings;
    },
    idle: (isSeen = true) => idle(viewport, isSeen),
    async reset(doc) {
      show(doc);
      return idle(viewport, viewport.isSeen);
    },
    async load(doc) {
      show(doc);
      return idle(viewport, viewport.isSeen);
    },
    state: () => state(app),
    stl: () => toBase64(writeStl(meshes(app))),
    project: (point) => {
      const box = viewport.canvas.getBoundingClientRect();
      const { x, y } = viewport.camera.project(point);
      return [box.left + x, box.top + y];
    },
    pick: (x, y) => {
      const box = viewport.canvas.getBoundingClientRect();
      return pick(viewport.camera, [...viewport.shapes.values()], x - box.left, y - box.top);
    },
  };
  Object.defineProperty(window, "__cadwright", { value: Object.freeze(hooks) });
  document.documentElement.dataset.ready = "true";
}

/** Resolves with the number of drawings once nothing waits to be drawn; a picture may follow. */
async function idle(viewport, isSeen = true) {
  await document.fonts.ready;
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  viewport.watch(isSeen);
  if (isSeen) repaintPage();
  do await frame();
  while (viewport.isDirty);
  return viewport.drawings;
}

/**
 * Have the browser paint all of the page again. How it smooths a curved rim depends on the area
 * that it paints; painted whole, the same page is the same pixels whatever happened before.
 */
function repaintPage() {
  const root = document.documentElement; // behind the body, which covers it
  root.dataset.paint = root.dataset.paint === "even" ? "odd" : "even";
}

async function state(app) {
  const { scene, errors } = app.evaluation;
  return {
    document: app.doc,
    hash: await hashOf(app.doc),
    bodies: [...scene.bodies.values()].map(({ id, name, solid }) => ({
      id,
      name,
      volume: solid.volume(),
    })),
    errors: Object.fromEntries(errors),
    selection: app.selection.map(({ kind, id, body }) => ({ kind, id, body })),
    active: app.active,
    mode: app.mode,
    undo: app.history.past.length,
    redo: app.history.future.length,
  };
}
