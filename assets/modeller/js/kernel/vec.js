/** Vectors as arrays of three numbers, and rigid transforms as 4x4 column-major arrays. */

/** @typedef {number[]} Vec3 three of them */

export const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scale = (a, k) => [a[0] * k, a[1] * k, a[2] * k];
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const length = (a) => Math.hypot(a[0], a[1], a[2]);
export const distance = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
export const cross = (a, b) => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

/** A zero vector stays zero. @param {Vec3} a @returns {Vec3} */
export function normalize(a) {
  const size = length(a);
  return size === 0 ? [0, 0, 0] : scale(a, 1 / size);
}

/** a + k b @param {Vec3} a @param {Vec3} b @param {number} k @returns {Vec3} */
export const along = (a, b, k) => [a[0] + k * b[0], a[1] + k * b[1], a[2] + k * b[2]];

/** The transform that takes the axes to x, y, z and the origin to o. */
export const basis = (x, y, z, o) => [...x, 0, ...y, 0, ...z, 0, ...o, 1];

/** Apply a 4x4 transform to a point. @param {number[]} m @param {Vec3} p @returns {Vec3} */
export const apply = (m, p) => [
  m[0] * p[0] + m[4] * p[1] + m[8] * p[2] + m[12],
  m[1] * p[0] + m[5] * p[1] + m[9] * p[2] + m[13],
  m[2] * p[0] + m[6] * p[1] + m[10] * p[2] + m[14],
];

/** The product a b of two 4x4 transforms: first b, then a. */
export function multiply(a, b) {
  const out = new Array(16).fill(0);
  for (let column = 0; column < 4; column += 1)
    for (let row = 0; row < 4; row += 1)
      for (let k = 0; k < 4; k += 1) out[4 * column + row] += a[4 * k + row] * b[4 * column + k];
  return out;
}

/** The inverse of a rigid transform. */
export function inverse(m) {
  const [x, y, z, o] = [0, 4, 8, 12].map((k) => m.slice(k, k + 3));
  const rows = [0, 1, 2].map((k) => [x[k], y[k], z[k]]);
  return basis(...rows, [-dot(o, x), -dot(o, y), -dot(o, z)]);
}

export const translation = (v) => basis([1, 0, 0], [0, 1, 0], [0, 0, 1], v);

/** Quarter turns are exact, so that rotated parts keep flat faces flat. @param {number} degrees */
export function cosSin(degrees) {
  const turns = ((degrees % 360) + 360) % 360;
  const exact = { 0: [1, 0], 90: [0, 1], 180: [-1, 0], 270: [0, -1] }[turns];
  return exact ?? [Math.cos((turns * Math.PI) / 180), Math.sin((turns * Math.PI) / 180)];
}

/** Rotation about an axis through the origin. @param {Vec3} axis @param {number} degrees */
export function rotation(axis, degrees) {
  const [c, s] = cosSin(degrees);
  const [x, y, z] = normalize(axis);
  const t = 1 - c;
  return basis(
    [t * x * x + c, t * x * y + s * z, t * x * z - s * y],
    [t * x * y - s * z, t * y * y + c, t * y * z + s * x],
    [t * x * z + s * y, t * y * z - s * x, t * z * z + c],
    [0, 0, 0],
  );
}

/** Turn the transform so that it acts about a point instead of the origin. */
export const about = (m, point) =>
  multiply(translation(point), multiply(m, translation(scale(point, -1))));

/** Reflection in the plane through `point` with this unit normal. */
export function reflection(normal, point) {
  const [x, y, z] = normal;
  return about(
    basis(
      [1 - 2 * x * x, -2 * x * y, -2 * x * z],
      [-2 * x * y, 1 - 2 * y * y, -2 * y * z],
      [-2 * x * z, -2 * y * z, 1 - 2 * z * z],
      [0, 0, 0],
    ),
    point,
  );
}
