/** Shaders: flat colours with two fixed lights, and smooth lines of constant width on the screen. */
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
uniform vec2 viewport; // CSS pixels
uniform float lift;
varying vec3 vInk;
varying float vAcross; // CSS pixels from the middle of the line
varying float vHalf;
void main() {
  vec4 a = projectionMatrix * modelViewMatrix * vec4(start, 1.0);
  vec4 b = projectionMatrix * modelViewMatrix * vec4(end, 1.0);
  vec2 along = (b.xy - a.xy) * viewport;
  vec2 across = length(along) > 0.0 ? normalize(vec2(-along.y, along.x)) : vec2(0.0);
  vec4 at = position.x < 0.5 ? a : b;
  vHalf = 0.5 * ink.w;
  vAcross = position.y * (vHalf + 1.0); // one pixel more on each side, to fade out in
  at.xy += across * vAcross * 2.0 / viewport;
  at.z -= lift;
  vInk = ink.rgb;
  gl_Position = at;
}`;

const LINE_FRAGMENT = `
uniform float ratio;
varying vec3 vInk;
varying float vAcross;
varying float vHalf;
void main() {
  float alpha = clamp((vHalf - abs(vAcross)) * ratio + 0.5, 0.0, 1.0);
  if (alpha == 0.0) discard;
  gl_FragColor = vec4(vInk, alpha);
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
    uniforms: {
      viewport: { value: new THREE.Vector2(1, 1) },
      lift: { value: lift },
      ratio: { value: 1 },
    },
    transparent: true, // drawn after the surfaces, faded at the rims in place of antialiasing
    depthWrite: false,
    side: THREE.DoubleSide,
  });
}
