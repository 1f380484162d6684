/**
 * The camera: orthographic, z up, turned about a target by azimuth and elevation. Pixels are CSS
 * pixels of the canvas from its upper left corner.
 */
import { add, along, cosSin, cross, dot, scale, sub } from "../kernel/vec.js";

/** @typedef {import("../kernel/vec.js").Vec3} Vec3 */

/** Azimuth and elevation of the eye in degrees. */
export const VIEWS = {
  iso: [-60, 30],
  top: [-90, 90],
  bottom: [-90, -90],
  front: [-90, 0],
  back: [90, 0],
  left: [180, 0],
  right: [0, 0],
};
const MARGIN = 1.25; // of the part's size around it
const FINEST = 0.001; // mm per pixel
const COARSEST = 100;
const EDGE_ON = 0.05; // sine: 3 degrees

export class Camera {
  constructor() {
    this.target = [0, 0, 0];
    [this.azimuth, this.elevation] = VIEWS.iso;
    this.mmPerPx = 0.2;
    this.width = 1;
    this.height = 1;
  }

  /** From the target towards the eye. @returns {Vec3} */
  get eye() {
    const [ca, sa] = cosSin(this.azimuth);
    const [ce, se] = cosSin(this.elevation + 360);
    return this.elevation === 90 || this.elevation === -90
      ? [0, 0, Math.sign(this.elevation)]
      : [ca * ce, sa * ce, se];
  }

  /** @returns {Vec3} */
  get right() {
    const [c, s] = cosSin(this.azimuth);
    return [-s + 0, c, 0];
  }

  /** @returns {Vec3} */
  get up() {
    return cross(this.eye, this.right);
  }

  /** CSS pixels of a point, and its distance towards the eye in mm. @param {Vec3} point */
  project(point) {
    const from = sub(point, this.target);
    const x = this.width / 2 + dot(from, this.right) / this.mmPerPx;
    const y = this.height / 2 - dot(from, this.up) / this.mmPerPx;
    return { x, y, depth: dot(from, this.eye) };
  }

  /** The point under a pixel in the plane through the target that faces the eye. @returns {Vec3} */
  unproject(x, y) {
    const u = (x - this.width / 2) * this.mmPerPx;
    const v = (this.height / 2 - y) * this.mmPerPx;
    return along(along(this.target, this.right, u), this.up, v);
  }

  /**
   * Where the line of sight through a pixel meets a plane; the nearest point of it, if it is seen
   * from its edge.
   *
   * @returns {Vec3}
   */
  onPlane(x, y, origin, normal) {
    const start = this.unproject(x, y);
    const height = dot(sub(origin, start), normal);
    if (this.isEdgeOn(normal)) return along(start, normal, height);
    return along(start, this.eye, height / dot(this.eye, normal));
  }

  /** Whether a plane is seen from its edge, so that a pixel means no point of it. */
  isEdgeOn(normal) {
    return Math.abs(dot(this.eye, normal)) < EDGE_ON;
  }

  turn(dx, dy) {
    this.azimuth = (this.azimuth - dx * 0.4) % 360;
    this.elevation = Math.min(90, Math.max(-90, this.elevation + dy * 0.4));
  }

  pan(dx, dy) {
    const shift = add(scale(this.right, -dx), scale(this.up, dy));
    this.target = along(this.target, shift, this.mmPerPx);
  }

  /** Zoom so that the point under the pixel stays there. */
  zoom(factor, x = this.width / 2, y = this.height / 2) {
    const before = this.unproject(x, y);
    this.mmPerPx = Math.min(COARSEST, Math.max(FINEST, this.mmPerPx * factor));
    this.target = add(this.target, sub(before, this.unproject(x, y)));
  }

  /** Look from a standard direction. @param {keyof typeof VIEWS} name */
  look(name) {
    [this.azimuth, this.elevation] = VIEWS[name];
  }

  /** Look squarely at a plane, its x to the right. @param {Vec3} normal */
  face(normal) {
    const [x, y, z] = normal;
    const isSteep = Math.abs(z) > 0.999;
    this.elevation = isSteep ? 90 * Math.sign(z) : (Math.asin(z) * 180) / Math.PI;
    this.azimuth = isSteep ? -90 : (Math.atan2(y, x) * 180) / Math.PI;
  }

  /** Bring a box into view. @param {{min: Vec3, max: Vec3}} box */
  fit({ min, max }) {
    this.target = min.map((low, k) => (low + max[k]) / 2);
    const reach = [0, 0];
    for (let corner = 0; corner < 8; corner += 1) {
      const point = [0, 1, 2].map((k) => ((corner >> k) & 1 ? max[k] : min[k]));
      const from = sub(point, this.target);
      reach[0] = Math.max(reach[0], Math.abs(dot(from, this.right)));
      reach[1] = Math.max(reach[1], Math.abs(dot(from, this.up)));
    }
    const wanted = Math.max((2 * reach[0]) / this.width, (2 * reach[1]) / this.height) * MARGIN;
    this.mmPerPx = Math.min(COARSEST, Math.max(FINEST, wanted));
  }
}
