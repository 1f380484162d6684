/**
 * The canvas. It draws when something changed and never otherwise; the same bodies, camera and
 * highlights give the same pixels.
 */
import * as THREE from "three";
import { topologyOf } from "../kernel/topology.js";
import { Camera } from "./camera.js";
import { BodyShape, COLOURS, gridMesh, lineMesh } from "./shapes.js";

const BACKGROUND = 0xf5f7fa;
const GRID_PX = 14; // CSS px of a square, at least
const SHARPEST = 2; // device pixels per CSS pixel
const EMPTY_BOX = { min: [-40, -40, 0], max: [40, 40, 20] };

export class Viewport {
  /**
   * @param {HTMLElement} host
   * @param {() => void} onDraw after every drawing
   */
  constructor(host, onDraw) {
    THREE.ColorManagement.enabled = false;
    this.host = host;
    this.onDraw = onDraw;
    this.camera = new Camera();
    this.renderer = new THREE.WebGLRenderer({ antialias: false, alpha: false });
    this.renderer.outputColorSpace = THREE.LinearSRGBColorSpace;
    this.canvas = this.renderer.domElement;
    this.eye = new THREE.OrthographicCamera();
    this.world = new THREE.Scene();
    this.world.background = new THREE.Color(BACKGROUND);
    /** @type {Map<any, BodyShape>} by solid */
    this.shapes = new Map();
    this.sketches = null;
    this.isDirty = false;
    this.isSeen = true;
    this.isStale = false; // changed since it was last put on the canvas
    this.drawings = 0;
    host.prepend(this.canvas);
    new ResizeObserver(() => this.resize()).observe(host);
    this.measure();
  }

  resize() {
    this.measure();
    this.draw(true);
  }

  measure() {
    const { clientWidth, clientHeight } = this.host;
    this.ratio = Math.min(SHARPEST, window.devicePixelRatio || 1);
    this.camera.width = Math.max(1, clientWidth);
    this.camera.height = Math.max(1, clientHeight);
    this.renderer.setPixelRatio(this.ratio);
    this.renderer.setSize(this.camera.width, this.camera.height);
  }

  /** Show these bodies. What is shown already is kept. */
  show(bodies, faceNames) {
    const next = new Map();
    for (const { id, solid } of bodies) {
      const known = this.shapes.get(solid);
      next.set(solid, known ?? new BodyShape(id, topologyOf(solid, faceNames)));
      next.get(solid).id = id;
    }
    for (const [solid, shape] of this.shapes) {
      this.world.remove(shape.group);
      if (!next.has(solid)) shape.dispose();
    }
    this.shapes = next;
    for (const shape of next.values()) this.world.add(shape.group);
    this.draw();
  }

  /** Lines of sketches that lie in space. @param {Array<[number[], number[]]>} segments */
  showSketches(segments) {
    if (this.sketches) this.remove(this.sketches);
    this.sketches = lineMesh(segments, COLOURS.sketch, 1.8, 0.001);
    this.world.add(this.sketches);
    this.draw();
  }

  remove(object) {
    this.world.remove(object);
    object.traverse(({ geometry, material }) => {
      geometry?.dispose();
      material?.dispose();
    });
  }

  paint(faceColour, edgeInk) {
    for (const shape of this.shapes.values()) shape.paint(faceColour, edgeInk);
    this.draw();
  }

  /** The box of what is shown. */
  get box() {
    const points = [...this.shapes.values()].flatMap((shape) => shape.topology.points);
    if (points.length === 0) return EMPTY_BOX;
    const low = (k) => points.reduce((least, p) => Math.min(least, p[k]), Infinity);
    const high = (k) => points.reduce((most, p) => Math.max(most, p[k]), -Infinity);
    return { min: [0, 1, 2].map(low), max: [0, 1, 2].map(high) };
  }

  /** Ask for a drawing with the next frame, or draw now. */
  draw(isNow = false) {
    if (isNow) {
      this.render();
      return;
    }
    if (this.isDirty) return;
    this.isDirty = true;
    requestAnimationFrame(() => this.isDirty && this.render());
  }

  render() {
    this.isDirty = false;
    this.placeGrid();
    this.placeEye();
    this.isStale = !this.isSeen;
    if (this.isSeen) this.renderer.render(this.world, this.eye);
    this.drawings += 1;
    this.onDraw();
  }

  /** Say whether anybody looks: until somebody does, the canvas keeps what it shows. */
  watch(isSeen) {
    this.isSeen = isSeen;
    if (isSeen && this.isStale) this.draw();
  }

  /** Squares of the ground grid are a power of ten, never smaller than GRID_PX. */
  placeGrid() {
    const step = 10 ** Math.ceil(Math.log10(GRID_PX * this.camera.mmPerPx));
    if (this.gridStep === step) return;
    if (this.grid) this.remove(this.grid);
    this.gridStep = step;
    this.grid = gridMesh(step);
    this.world.add(this.grid);
  }

  placeEye() {
    const { camera, eye } = this;
    const { min, max } = this.box;
    const corners = [...min, ...max, ...camera.target].map(Math.abs);
    const reach = 4 * Math.max(60 * this.gridStep, ...corners);
    const [w, h] = [camera.width * camera.mmPerPx, camera.height * camera.mmPerPx];
    Object.assign(eye, {
      left: -w / 2,
      right: w / 2,
      top: h / 2,
      bottom: -h / 2,
      near: 0,
      far: 2 * reach,
    });
    const toVector = (v) => new THREE.Vector3(...v);
    eye.matrixAutoUpdate = false;
    eye.matrix.makeBasis(toVector(camera.right), toVector(camera.up), toVector(camera.eye));
    eye.matrix.setPosition(toVector(camera.target.map((t, k) => t + reach * camera.eye[k])));
    eye.updateProjectionMatrix();
    eye.updateMatrixWorld(true);
    this.world.traverse(({ material }) => {
      if (!material?.uniforms?.viewport) return;
      material.uniforms.viewport.value.set(camera.width, camera.height);
      material.uniforms.ratio.value = this.ratio;
    });
  }
}
