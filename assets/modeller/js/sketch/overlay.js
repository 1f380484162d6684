/** A sketch while it is edited: its lines, points and dimensions over the canvas. */
import { outlineOf, pointOf } from "../kernel/profile.js";
import { toWorld } from "../kernel/frames.js";
import { format, trim } from "../units.js";
import { drawn } from "../ui/dom.js";
import { valuesOf } from "./entities.js";

/** @typedef {import("../kernel/profile.js").Vec2} Vec2 */

const POINT_SIZE = 3.5; // CSS px
const LABEL_GAP = 14;

/**
 * @param {SVGElement} svg
 * @param {import("../view/camera.js").Camera} camera
 * @param {object} scene
 * @param {import("../kernel/frames.js").Frame} scene.frame
 * @param {any} scene.sketch
 * @param {string | null} scene.selected
 * @param {string | null} scene.hovered
 * @param {any[]} scene.preview entities that are being drawn
 * @param {Vec2 | null} scene.cursor
 * @param {"mm" | "cm" | "in"} scene.units
 */
export function drawSketch(svg, camera, scene) {
  const { frame, sketch, preview, cursor } = scene;
  /** @param {Vec2} point */
  const place = ([u, v]) => camera.project(toWorld(frame, u, v));
  const parts = [...axes(place, camera)];
  for (const entity of sketch.entities) {
    const classes = ["entity"];
    if (entity.id === scene.hovered) classes.push("hovered");
    if (entity.id === scene.selected) classes.push("selected");
    parts.push(outline(entity, sketch, place, classes.join(" ")));
  }
  for (const point of sketch.points) parts.push(dot(place([point.x, point.y]), "point"));
  for (const entity of sketch.entities) parts.push(...labels(entity, sketch, place, scene));
  for (const { entity, sketch: around } of preview) {
    parts.push(
      outline(entity, around, place, "entity preview"),
      ...labels(entity, around, place, scene),
    );
  }
  if (cursor)
    parts.push(dot(place(cursor), "cursor"), coordinates(place(cursor), cursor, scene.units));
  svg.replaceChildren(...parts);
}

function axes(place, camera) {
  const reach = camera.mmPerPx * Math.max(camera.width, camera.height) * 2;
  const line = (a, b, name) => {
    const [p, q] = [place(a), place(b)];
    return drawn("line", { x1: p.x, y1: p.y, x2: q.x, y2: q.y, class: `axis ${name}` });
  };
  return [
    line([-reach, 0], [reach, 0], "x"),
    line([0, -reach], [0, reach], "y"),
    dot(place([0, 0]), "origin"),
  ];
}

function outline(entity, sketch, place, name) {
  const segments = outlineOf(entity, sketch);
  const corners = [segments[0].a, ...segments.map(({ b }) => b)].map(place);
  const path = corners
    .map(({ x, y }, k) => `${k ? "L" : "M"}${x.toFixed(2)} ${y.toFixed(2)}`)
    .join("");
  return drawn("path", { d: path, class: name });
}

function dot({ x, y }, name) {
  return drawn("circle", { cx: x, cy: y, r: POINT_SIZE, class: name });
}

/** @param {{x: number, y: number}} at CSS px @param {Vec2} point mm */
function coordinates(at, point, units) {
  const text = point.map((value) => format(value, "length", units).replace(/ .*/, "")).join(", ");
  return drawn("text", { x: at.x + 12, y: at.y - 10, class: "coordinates" }, text);
}

/** Dimensions of an entity beside it. */
function labels(entity, sketch, place, { units }) {
  const size = (value) => trim(value / { mm: 1, cm: 10, in: 25.4 }[units], 3);
  const text = (x, y, content) => drawn("text", { x, y, class: "dimension" }, content);
  if (entity.type === "rectangle") {
    const { x, y, width, height } = entity;
    const [low, side] = [place([x + width / 2, y]), place([x + width, y + height / 2])];
    return [
      text(low.x, low.y + LABEL_GAP, size(width)),
      text(side.x + LABEL_GAP + 6, side.y + 4, size(height)),
    ];
  }
  if (entity.type === "circle") {
    const low = place([entity.x, entity.y - entity.diameter / 2]);
    return [
      dot(place([entity.x, entity.y]), "point"),
      text(low.x, low.y + LABEL_GAP, `Ø${size(entity.diameter)}`),
    ];
  }
  const [a, b] = [pointOf(sketch, entity.a), pointOf(sketch, entity.b)];
  const values = valuesOf(sketch, entity);
  const middle = place([(a[0] + b[0]) / 2, (a[1] + b[1]) / 2]);
  if (entity.type === "arc") {
    const outline = outlineOf(entity, sketch);
    const top = place(outline[outline.length >> 1].a);
    return [text(top.x, top.y - 8, `R${size(values.radius)}`)];
  }
  const mark = { horizontal: " H", vertical: " V" }[entity.constraint] ?? "";
  return [text(middle.x + LABEL_GAP, middle.y - 6, `${size(values.length)}${mark}`)];
}
