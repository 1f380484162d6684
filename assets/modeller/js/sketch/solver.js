/**
 * Constraints of a sketch: horizontal and vertical lines, and lengths that were typed. Points move
 * as little as they must (Gauss-Newton with the least change); shared points are shared, so corners
 * stay closed by construction.
 */
import { ModelError } from "../errors.js";

const MOST_ROUNDS = 50;
const SOLVED = 1e-9; // mm
const GIVEN_UP = 1e-6; // mm that may be left over
const DAMPING = 1e-12; // keeps contradicting constraints from dividing by zero
const DIGITS = 1e9;

/**
 * Return the points of a sketch with all constraints met.
 *
 * @param {any} sketch
 * @param {string[]} held ids of points that stay where they are
 * @returns {Array<{id: string, x: number, y: number}>}
 */
export function solve(sketch, held = []) {
  const equations = equationsOf(sketch);
  if (equations.length === 0) return sketch.points;
  const index = new Map(sketch.points.map((point, k) => [point.id, k]));
  const values = sketch.points.flatMap(({ x, y }) => [x, y]);
  const isHeld = sketch.points.flatMap(({ id }) => [held.includes(id), held.includes(id)]);
  const left = relax(equations, index, values, isHeld);
  if (left > GIVEN_UP) {
    if (held.length > 0) return solve(sketch);
    throw new ModelError("The constraints contradict each other: nothing was changed.");
  }
  const round = (value) => Math.round(value * DIGITS) / DIGITS + 0;
  return sketch.points.map((point, k) => ({
    ...point,
    x: round(values[2 * k]),
    y: round(values[2 * k + 1]),
  }));
}

/** Each equation gives its error and its slopes by coordinate. */
function equationsOf({ entities }) {
  return entities.flatMap((entity) => {
    if (entity.type !== "line") return [];
    const found = [];
    if (entity.constraint === "horizontal") found.push(level(entity, 1));
    if (entity.constraint === "vertical") found.push(level(entity, 0));
    if (entity.length) found.push(lengthOf(entity));
    return found;
  });
}

/** Both ends have the same x (0) or y (1). */
const level =
  ({ a, b }, axis) =>
  (index, values) => {
    const [i, j] = [2 * index.get(a) + axis, 2 * index.get(b) + axis];
    return {
      error: values[j] - values[i],
      slopes: [
        [j, 1],
        [i, -1],
      ],
    };
  };

const lengthOf =
  ({ a, b, length }) =>
  (index, values) => {
    const [i, j] = [2 * index.get(a), 2 * index.get(b)];
    const [dx, dy] = [values[j] - values[i], values[j + 1] - values[i + 1]];
    const size = Math.hypot(dx, dy);
    const [ux, uy] = size > 0 ? [dx / size, dy / size] : [1, 0];
    return {
      error: size - length,
      slopes: [
        [j, ux],
        [j + 1, uy],
        [i, -ux],
        [i + 1, -uy],
      ],
    };
  };

/** Move the values until the equations hold; return the largest error that is left. */
function relax(equations, index, values, isHeld) {
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const rows = equations.map((equation) => equation(index, values));
    const worst = Math.max(...rows.map(({ error }) => Math.abs(error)));
    if (worst < SOLVED) return worst;
    const free = rows.map(({ slopes }) => new Map(slopes.filter(([k]) => !isHeld[k])));
    const shares = eliminate(
      free.map((row, i) => free.map((other, j) => product(row, other) + (i === j ? DAMPING : 0))),
      rows.map(({ error }) => -error),
    );
    free.forEach((row, i) => row.forEach((slope, k) => (values[k] += slope * shares[i])));
  }
  return Math.max(...equations.map((equation) => Math.abs(equation(index, values).error)));
}

function product(a, b) {
  let sum = 0;
  a.forEach((slope, k) => (sum += slope * (b.get(k) ?? 0)));
  return sum;
}

/** Solve a symmetric system by elimination with the largest pivot first. */
function eliminate(matrix, right) {
  const size = right.length;
  for (let k = 0; k < size; k += 1) {
    let pivot = k;
    for (let i = k + 1; i < size; i += 1) {
      if (Math.abs(matrix[i][k]) > Math.abs(matrix[pivot][k])) pivot = i;
    }
    [matrix[k], matrix[pivot]] = [matrix[pivot], matrix[k]];
    [right[k], right[pivot]] = [right[pivot], right[k]];
    for (let i = k + 1; i < size; i += 1) {
      const share = matrix[i][k] / matrix[k][k];
      for (let j = k; j < size; j += 1) matrix[i][j] -= share * matrix[k][j];
      right[i] -= share * right[k];
    }
  }
  for (let k = size - 1; k >= 0; k -= 1) {
    for (let j = k + 1; j < size; j += 1) right[k] -= matrix[k][j] * right[j];
    right[k] /= matrix[k][k];
  }
  return right;
}
