/** Icons as line drawings on a 24 x 24 sheet. */
import { drawn } from "./dom.js";

const PATHS = {
  sketch: "M4 20l1-4L16 5l3 3L8 19zM14 7l3 3",
  extrude: "M4 15l8 4 8-4-8-4zM4 15v-4l8-4 8 4v4M12 7V2M9.5 4.5L12 2l2.5 2.5",
  revolve: "M12 3v18M15 6c4 1 5 4 5 6s-1 5-5 6M15 6v12M9 8c-4 1-5 3-5 4s1 3 5 4M7 14l2 2-2 2",
  box: "M12 3l8 4v10l-8 4-8-4V7zM4 7l8 4 8-4M12 11v10",
  cylinder: "M5 6c0-4 14-4 14 0s-14 4-14 0zM5 6v12c0 4 14 4 14 0V6",
  sphere: "M12 3a9 9 0 1 0 .01 0zM3 12c0 4 18 4 18 0",
  cone: "M12 3L5 18c0 4 14 4 14 0zM5 18c0-3 14-3 14 0",
  hole: "M3 14l9 5 9-5-9-5zM8.5 14c0-2 7-2 7 0s-7 2-7 0zM12 3v6M10 7l2 2 2-2",
  round: "M4 20V12a8 8 0 0 1 8-8h8M4 20h16V4",
  chamfer: "M4 20v-9l7-7h9v16z",
  linear: "M3 9h5v6H3zM10 9h5v6h-5zM17 9h4v6h-4",
  circular:
    "M12 3a2.5 2.5 0 1 0 .01 0zM12 16a2.5 2.5 0 1 0 .01 0zM5.5 9.500a2.500 2.500 0 1 0 .01 0zM18.500 9.500a2.500 2.500 0 1 0 .01 0z",
  mirror: "M12 3v18M9 7v10H3zM15 7v10h6z",
  union: "M9 4a6 6 0 1 0 0 12 6 6 0 0 0 2-.3A6 6 0 1 0 15 8a6 6 0 0 0-6-4z",
  subtract:
    "M15 8a6 6 0 0 0-5 9.200A6.500 6.500 0 1 1 15 8zM15 9a5.500 5.500 0 1 1 0 11 5.500 5.500 0 0 1 0-11z",
  intersect:
    "M9 4a6 6 0 1 0 .01 0zM15 8a6 6 0 1 0 .01 0zM11 9.300l3.500 5M13 8.500l2 3M9.500 11.500l2 3",
  move: "M12 2v20M2 12h20M9 5l3-3 3 3M9 19l3 3 3-3M5 9l-3 3 3 3M19 9l3 3-3 3",
  measure: "M3 15L15 3l6 6L9 21zM7 11l2 2M10 8l3 3M13 5l2 2",
  new: "M6 3h8l4 4v14H6zM14 3v4h4",
  open: "M3 6h6l2 2h10v11H3zM3 11h18",
  save: "M4 4h13l3 3v13H4zM8 4v6h8V4M7 20v-6h10v6",
  import: "M12 3v12M8 11l4 4 4-4M4 17v4h16v-4",
  export: "M12 15V3M8 7l4-4 4 4M4 17v4h16v-4",
  undo: "M9 6L4 11l5 5M4 11h10a6 6 0 0 1 6 6v2",
  redo: "M15 6l5 5-5 5M20 11H10a6 6 0 0 0-6 6v2",
  select: "M6 3l12 10-6 .500L9 20z",
  line: "M4 20L20 4M4 18a2 2 0 1 0 .01 0M20 2a2 2 0 1 0 .01 0",
  rectangle: "M4 6h16v12H4z",
  circle: "M12 4a8 8 0 1 0 .01 0zM12 11.500v1",
  arc: "M4 18A14 14 0 0 1 20 6",
  horizontal: "M3 12h18M7 9v6M17 9v6",
  vertical: "M12 3v18M9 7h6M9 17h6",
  finish: "M4 13l5 5L20 6",
  remove: "M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13M10 11v5M14 11v5",
  up: "M12 20V5M6 11l6-6 6 6",
  down: "M12 4v15M6 13l6 6 6-6",
  suppress: "M12 3a9 9 0 1 0 .01 0zM6 6l12 12",
  edit: "M4 20l1-4L16 5l3 3L8 19z",
  eye: "M2 12c5-8 15-8 20 0-5 8-15 8-20 0zM12 9a3 3 0 1 0 .01 0",
};

/** @param {string} name */
export function icon(name) {
  return drawn(
    "svg",
    { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true", focusable: "false" },
    drawn("path", { d: PATHS[name] }),
  );
}
