/** Start the program: load the kernel, build the page, listen for keys. */
import { App } from "./app.js";
import { MODEL_GROUPS } from "./commands.js";
import { installHarness } from "./harness.js";
import { Evaluator } from "./kernel/evaluate.js";
import { outlineOf } from "./kernel/profile.js";
import { toWorld } from "./kernel/frames.js";
import { loadKernel } from "./kernel/wasm.js";
import { Sketcher } from "./sketch/sketcher.js";
import { byId } from "./ui/dom.js";
import { Listbox } from "./ui/listbox.js";
import { Measurements } from "./ui/measurements.js";
import { say } from "./ui/messages.js";
import { Panel } from "./ui/panel.js";
import { buildRibbon, runCommand } from "./ui/ribbon.js";
import { Tree } from "./ui/tree.js";
import { buildViewBar, drawTriad } from "./ui/viewbar.js";
import { Pointer } from "./view/pointer.js";
import { COLOURS } from "./view/shapes.js";
import { Viewport } from "./view/viewport.js";

const UNITS = [
  { value: "mm", label: "Millimetres (mm)" },
  { value: "cm", label: "Centimetres (cm)" },
  { value: "in", label: "Inches (in)" },
];

const kernel = await loadKernel();
await document.fonts.load("13px Inter");
const app = new App(kernel, new Evaluator(kernel));
const viewport = new Viewport(byId("view"), () => drawOverlays());
const sketcher = new Sketcher(app, viewport);
const pointer = new Pointer(app, viewport, sketcher);
const measurements = new Measurements(app);
const units = new Listbox("units", "Units", (value) => {
  app.change((doc) => ({ ...doc, units: value }), `Units: ${value}.`);
});

viewport.canvas.id = "canvas";
viewport.canvas.tabIndex = 0;
viewport.canvas.setAttribute("role", "application");
viewport.canvas.setAttribute(
  "aria-label",
  "3D view. Arrow keys turn, plus and minus zoom, Page Down picks the next face.",
);
app.repaint = repaint;
app.measured = (hit) => {
  measurements.take(hit);
  say(
    hit ? `${app.nameOf(hit.id)} measured.` : "Measure: pick one or two faces, edges or corners.",
  );
  app.refresh();
};
buildRibbon(app, sketcher);
new Tree(app);
new Panel(app, sketcher);
buildViewBar(viewport);
byId("unit-host").append(units.button);
app.listeners.push(showBodies, repaint, () => units.update(UNITS, app.doc.units));
window.addEventListener("keydown", shortcut);
restart();
installHarness(app, viewport, restart);

/** The page as it starts: nothing open, nothing picked, seen from the front right above. */
function restart() {
  Object.assign(app, { active: null, selection: [], mode: "model" });
  pointer.hovered = null;
  measurements.picks = [];
  sketcher.clear();
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  app.evaluate();
  app.refresh();
  viewport.camera.look("iso");
  viewport.camera.fit(viewport.box);
  for (const list of document.querySelectorAll(".options")) list.toggleAttribute("hidden", true);
  for (const pane of document.querySelectorAll(".pane")) pane.scrollTop = 0;
  say("Ready.");
  viewport.draw();
}

function showBodies() {
  const isFirst = viewport.shapes.size === 0 && app.visible.length > 0;
  viewport.show(app.visible, kernel.faces);
  if (isFirst) viewport.camera.fit(viewport.box);
  viewport.showSketches(freeSketchLines());
  const count = app.visible.reduce((sum, body) => sum + body.solid.numTri(), 0);
  byId("counts").textContent =
    `${app.visible.length} ${app.visible.length === 1 ? "body" : "bodies"}, ${count} triangles`;
}

/** Lines of sketches that no feature uses, and of the one that is open in the panel. */
function freeSketchLines() {
  const { frames } = app.evaluation.scene;
  const used = new Set(app.doc.features.map((feature) => feature.params.sketch));
  return app.doc.features.flatMap(({ id, type, params }) => {
    const isShown = type === "sketch" && frames.has(id) && (!used.has(id) || app.active === id);
    if (!isShown || (app.mode === "sketch" && app.active === id)) return [];
    const lift = ([u, v]) => toWorld(frames.get(id), u, v);
    const segments = params.entities.flatMap((entity) => outlineOf(entity, params));
    return segments.map(({ a, b }) => [lift(a), lift(b)]);
  });
}

/** Colour faces and edges by what is picked, under the pointer, or of the open feature. */
function repaint() {
  const picked = new Set(app.selection.map(({ id }) => id));
  for (const { id } of measurements.picks) picked.add(id);
  const hovered = pointer.hovered?.id;
  const isMember = (key) => app.active && key.startsWith(`${app.active}:`);
  viewport.paint(
    (key) => {
      if (picked.has(key)) return COLOURS.selected;
      if (key === hovered) return COLOURS.hover;
      return isMember(key) ? COLOURS.member : COLOURS.body;
    },
    (id) => {
      if (picked.has(id)) return { colour: COLOURS.edgeSelected, isStrong: true };
      return id === hovered
        ? { colour: COLOURS.edgeHover, isStrong: true }
        : { colour: COLOURS.edge, isStrong: false };
    },
  );
}

function drawOverlays() {
  drawTriad(byId("triad"), viewport.camera);
  sketcher?.draw(byId("overlay"));
}

/** Keys that work wherever no text is being typed. */
function shortcut(event) {
  const isTyping = event.target.matches?.("input[type=text]");
  // In a field with half a number Ctrl+Z takes back letters; otherwise it takes back steps.
  if (event.ctrlKey || event.metaKey) return historyKey(event, event.target.dataset?.edited);
  if (isTyping || event.altKey) return undefined;
  const command = MODEL_GROUPS.flatMap(({ commands }) => commands).find(
    ({ key }) => key === event.key.toLowerCase(),
  );
  const view = byId("views").querySelectorAll("button")[Number(event.key) - 1];
  if (sketcher.isOpen && sketcher.key(event)) event.preventDefault();
  else if (event.key === "Escape") escape();
  else if (event.key === "Delete" && app.feature) byId("delete").click();
  else if (event.key.toLowerCase() === "f") byId("view-fit").click();
  else if (view) view.click();
  else if (command && app.mode !== "sketch") runCommand(app, command);
  return undefined;
}

function historyKey(event, isTyping) {
  const key = event.key.toLowerCase();
  if (isTyping || !["z", "y"].includes(key)) return;
  event.preventDefault();
  if (key === "y" || event.shiftKey) app.redo();
  else app.undo();
}

/** Leave what is entered last: the measure mode, the picks, the open feature. */
function escape() {
  if (app.mode === "measure") app.enter("model");
  else if (app.selection.length > 0) app.select(null, false);
  else if (app.active) app.activate(null);
}
