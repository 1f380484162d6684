/** The two bars at the top: files and history, and the commands of the mode. */
import { FILE_COMMANDS, MODEL_GROUPS } from "../commands.js";
import { HINTS, sketchGroups } from "../sketch/commands.js";
import { byId, element } from "./dom.js";
import { icon } from "./icons.js";

/** @typedef {import("../app.js").App} App */

/** @param {App} app @param {any} sketcher */
export function buildRibbon(app, sketcher) {
  const run = (command) => () => runCommand(app, command);
  byId("files").append(...FILE_COMMANDS.map((command) => smallButton(command, run(command))));
  const undo = smallButton({ id: "undo", label: "Undo", icon: "undo", hint: "Undo (Ctrl+Z)" }, () =>
    app.undo(),
  );
  const redo = smallButton({ id: "redo", label: "Redo", icon: "redo", hint: "Redo (Ctrl+Y)" }, () =>
    app.redo(),
  );
  byId("history").append(undo, redo);
  byId("ribbon").append(...groups(MODEL_GROUPS, "model", run));
  byId("ribbon").append(...groups(sketchGroups(sketcher), "sketch", run));
  app.listeners.push(() => {
    const isSketch = app.mode === "sketch";
    for (const group of byId("ribbon").children)
      group.hidden = (group.dataset.mode === "sketch") !== isSketch;
    undo.disabled = !app.history.canUndo;
    redo.disabled = !app.history.canRedo;
    byId("measure").setAttribute("aria-pressed", String(app.mode === "measure"));
    Object.keys(HINTS).forEach((tool) => {
      byId(`tool-${tool}`).setAttribute("aria-pressed", String(sketcher.tool === tool));
    });
  });
}

/** Run a command; one that waits for a file may fail later. */
export function runCommand(app, command) {
  app.attempt(() => {
    Promise.resolve(command.run(app)).catch((error) =>
      app.attempt(() => {
        throw error;
      }),
    );
  });
}

function groups(list, mode, run) {
  return list.map(({ label, commands }) =>
    element(
      "div",
      { class: "group", role: "group", "aria-label": label, "data-mode": mode },
      element(
        "div",
        { class: "buttons" },
        ...commands.map((command) => bigButton(command, run(command))),
      ),
      element("div", { class: "caption", "aria-hidden": "true" }, label),
    ),
  );
}

function title({ hint, key }) {
  return key ? `${hint} (${key.toUpperCase()})` : hint;
}

function bigButton(command, onclick) {
  return element(
    "button",
    { type: "button", id: command.id, class: "tool", title: title(command), onclick },
    icon(command.icon),
    element("span", {}, command.label),
  );
}

function smallButton(command, onclick) {
  return element(
    "button",
    { type: "button", id: command.id, class: "small", title: title(command), onclick },
    icon(command.icon),
    element("span", {}, command.label),
  );
}
