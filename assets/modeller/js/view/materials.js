/** Shaders: flat colours with two fixed lights, and lines of constant width on the screen. */
import * as THREE from "three";

const SURFACE_VERTEX = `
attribute vec3 tint;
varying vec3 vTint;
varying vec3 vNormal;
void main() {
  vTint = tint;
  vNormal = normalMatrix * normal;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

// Lights stand still relative to the eye, so that every view of a part is lit alike.
const SURFACE_FRAGMENT = `
varying vec3 vTint;
varying vec3 vNormal;
void main() {
  vec3 n = normalize(vNormal);
  float key = max(dot(n, normalize(vec3(-0.35, 0.65, 0.68))), 0.0);
  float fill = max(dot(n, normalize(vec3(0.75, -0.1, 0.65))), 0.0);
  gl_FragColor = vec4(vTint * (0.56 + 0.44 * key + 0.2 * fill), 1.0);
}`;

const LINE_VERTEX = `
attribute vec3 start;
attribute vec3 end;
attribute vec4 ink; // colour and width in CSS pixels
uniform vec2 viewport;
uniform float lift;
varying vec3 vInk;
void main() {
  vec4 a = projectionMatrix * modelViewMatrix * vec4(start, 1.0);
  vec4 b = projectionMatrix * modelViewMatrix * vec4(end, 1.0);
  vec2 along = (b.xy - a.xy) * viewport;
  vec2 across = length(along) > 0.0 ? normalize(vec2(-along.y, along.x)) : vec2(0.0);
  vec4 at = position.x < 0.5 ? a : b;
  at.xy += across * position.y * ink.w / viewport;
  at.z -= lift;
  vInk = ink.rgb;
  gl_Position = at;
}`;

const LINE_FRAGMENT = `
varying vec3 vInk;
void main() {
  gl_FragColor = vec4(vInk, 1.0);
}`;

const COPY_VERTEX = `
varying vec2 vUv;
void main() {
  vUv = uv;
  gl_Position = vec4(position.xy, 0.0, 1.0);
}`;

const COPY_FRAGMENT = `
uniform sampler2D picture;
varying vec2 vUv;
void main() {
  gl_FragColor = vec4(texture2D(picture, vUv).rgb, 1.0);
}`;

export function surfaceMaterial() {
  return new THREE.ShaderMaterial({
    vertexShader: SURFACE_VERTEX,
    fragmentShader: SURFACE_FRAGMENT,
    polygonOffset: true,
    polygonOffsetFactor: 1,
    polygonOffsetUnits: 2,
  });
}

/** @param {number} lift towards the eye, in depth units, so that edges win over their faces */
export function lineMaterial(lift) {
  return new THREE.ShaderMaterial({
    vertexShader: LINE_VERTEX,
    fragmentShader: LINE_FRAGMENT,
    uniforms: { viewport: { value: new THREE.Vector2(1, 1) }, lift: { value: lift } },
    side: THREE.DoubleSide,
  });
}

/** A triangle over the whole canvas that shows a picture. */
export function copyScreen(texture) {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute([-1, -1, 0, 3, -1, 0, -1, 3, 0], 3));
  geometry.setAttribute("uv", new THREE.Float32BufferAttribute([0, 0, 2, 0, 0, 2], 2));
  const material = new THREE.ShaderMaterial({
    vertexShader: COPY_VERTEX,
    fragmentShader: COPY_FRAGMENT,
    uniforms: { picture: { value: texture } },
    depthTest: false,
    depthWrite: false,
  });
  const mesh = new THREE.Mesh(geometry, material);
  mesh.frustumCulled = false;
  return mesh;
}
