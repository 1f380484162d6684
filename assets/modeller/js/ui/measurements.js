/** The measure panel: the two things picked last and what lies between them, then mass figures. */
import { circleOf, cylinderRadius, figures, planeAngle, planeGap } from "../kernel/measure.js";
import { distance } from "../kernel/vec.js";
import { LENGTHS, format, trim } from "../units.js";
import { byId, element } from "./dom.js";

/** @typedef {import("../app.js").App} App */
/** @typedef {string[]} Row a name and a value */

export class Measurements {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** @type {import("../view/pick.js").Hit[]} */
    this.picks = [];
    app.listeners.push(() => this.update());
  }

  /** Keep the last two picks; a click on nothing forgets them. */
  take(hit) {
    this.picks = hit ? [...this.picks, hit].slice(-2) : [];
  }

  update() {
    if (this.app.mode !== "measure") this.picks = [];
    const seen = ({ kind, id, body }) => {
      const found = this.app.visible.find((other) => other.id === body);
      return found && this.app.topology(found)[kind === "face" ? "faces" : "edges"].has(id);
    };
    this.picks = this.picks.filter(seen);
    if (this.app.mode !== "measure") return;
    byId("picks").replaceChildren(
      ...this.picks.map((hit, k) => this.table(`Pick ${k + 1}`, this.about(hit))),
    );
    const between =
      this.picks.length === 2 ? [this.table("Between", this.between(...this.picks))] : [];
    byId("between").replaceChildren(...between);
    byId("mass").replaceChildren(this.table("All visible bodies", this.mass()));
    byId("pick-hint").hidden = this.picks.length > 0;
  }

  get units() {
    return this.app.doc.units;
  }

  length = (value) => format(value, "length", this.units);

  place = (point) => point.map((value) => trim(value / LENGTHS[this.units], 3)).join(", ");

  table(title, rows) {
    const cells = rows.flatMap(([name, value]) => [
      element("dt", {}, name),
      element("dd", {}, value),
    ]);
    return element(
      "section",
      { "aria-label": title },
      element("h3", {}, title),
      element("dl", {}, ...cells),
    );
  }

  /** @returns {{topology: import("../kernel/topology.js").Topology, item: any}} */
  find({ kind, id, body }) {
    const topology = this.app.topology(this.app.visible.find((other) => other.id === body));
    return { topology, item: topology[kind === "face" ? "faces" : "edges"].get(id) };
  }

  /** @returns {Row[]} */
  about(hit) {
    const { topology, item } = this.find(hit);
    const rows = [[hit.kind === "face" ? "Face" : "Edge", this.app.nameOf(hit.id)]];
    if (hit.kind === "edge") {
      const circle = circleOf(topology, item);
      rows.push(["Length", this.length(item.length)]);
      if (circle)
        rows.push(
          ["Diameter", this.length(2 * circle.radius)],
          ["Centre", this.place(circle.centre)],
        );
    } else {
      const radius = cylinderRadius(topology, item);
      rows.push(["Area", this.area(item.area)]);
      if (radius) rows.push(["Diameter", this.length(2 * radius)]);
    }
    return [...rows, [hit.isCorner ? "Corner" : "Point", this.place(hit.point)]];
  }

  /** @returns {Row[]} */
  between(a, b) {
    const rows = [
      ["Distance", this.length(distance(a.point, b.point))],
      ["ΔX, ΔY, ΔZ", this.place(b.point.map((value, k) => Math.abs(value - a.point[k])))],
    ];
    if (a.kind === "face" && b.kind === "face") {
      const [one, two] = [this.find(a).item, this.find(b).item];
      const gap = planeGap(one, two);
      const angle = planeAngle(one, two);
      if (gap !== null) rows.push(["Between faces", this.length(gap)]);
      else if (angle !== null) rows.push(["Angle", format(180 - angle, "angle")]);
    }
    return [...rows, ...this.betweenCentres(a, b)];
  }

  /** @returns {Row[]} */
  betweenCentres(a, b) {
    if (a.kind !== "edge" || b.kind !== "edge") return [];
    const circles = [a, b].map((hit) => {
      const { topology, item } = this.find(hit);
      return circleOf(topology, item);
    });
    if (!circles.every(Boolean)) return [];
    return [["Between centres", this.length(distance(circles[0].centre, circles[1].centre))]];
  }

  /** @returns {Row[]} */
  mass() {
    const { visible } = this.app;
    if (visible.length === 0) return [["Bodies", "0"]];
    const { volume, area, size, min, max } = figures(visible.map((body) => body.solid));
    return [
      ["Bodies", String(visible.length)],
      ["Volume", `${trim(volume / LENGTHS[this.units] ** 3, 3)} ${this.units}³`],
      ["Area", this.area(area)],
      ["Size", this.place(size)],
      ["Lowest", this.place(min)],
      ["Highest", this.place(max)],
    ];
  }

  area(value) {
    return `${trim(value / LENGTHS[this.units] ** 2, 3)} ${this.units}²`;
  }
}
