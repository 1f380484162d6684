/** Buttons over the canvas for the standard views, and the little axes in its corner. */
import { VIEWS } from "../view/camera.js";
import { scale } from "../kernel/vec.js";
import { byId, drawn, element } from "./dom.js";

const LABELS = {
  iso: "Iso",
  top: "Top",
  bottom: "Bottom",
  front: "Front",
  back: "Back",
  left: "Left",
  right: "Right",
};
const AXIS_LENGTH = 26; // px
const HALF = 40;

/** @param {import("../view/viewport.js").Viewport} viewport */
export function buildViewBar(viewport) {
  const button = (id, label, title, onclick) =>
    element("button", { type: "button", id: `view-${id}`, title, onclick }, label);
  const look = (name) => () => {
    viewport.camera.look(name);
    viewport.camera.fit(viewport.box);
    viewport.draw();
  };
  const views = Object.keys(VIEWS).map((name, k) =>
    button(name, LABELS[name], `${LABELS[name]} view (${k + 1})`, look(name)),
  );
  const fit = button("fit", "Fit", "Show everything (F)", () => {
    viewport.camera.fit(viewport.box);
    viewport.draw();
  });
  byId("views").append(...views, fit);
}

/** Draw the three axes as the camera sees them. */
export function drawTriad(svg, camera) {
  /** @type {Array<{name: string, axis: number[]}>} */
  const axes = [
    { name: "x", axis: [1, 0, 0] },
    { name: "y", axis: [0, 1, 0] },
    { name: "z", axis: [0, 0, 1] },
  ];
  const seen = axes.map(({ name, axis }) => {
    const dot = (v) => axis.reduce((sum, value, k) => sum + value * v[k], 0);
    const [x, y] = scale([dot(camera.right), -dot(camera.up), 0], AXIS_LENGTH);
    return { name, x: HALF + x, y: HALF + y, depth: dot(camera.eye) };
  });
  seen.sort((a, b) => a.depth - b.depth);
  const parts = seen.flatMap(({ name, x, y }) => [
    drawn("line", { x1: HALF, y1: HALF, x2: x, y2: y, class: name }),
    drawn(
      "text",
      { x: HALF + (x - HALF) * 1.35, y: HALF + (y - HALF) * 1.35 + 4, class: name },
      name.toUpperCase(),
    ),
  ]);
  svg.replaceChildren(...parts);
}
