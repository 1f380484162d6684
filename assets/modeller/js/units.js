/**
 * Lengths and angles as people type them: `10`, `1.5 in`, `2cm + 3`, `(10+5)/2`.
 * Lengths are millimetres inside the program; a number without a unit has the document's unit.
 */
import { ModelError } from "./errors.js";

/** Millimetres in one unit of length. */
export const LENGTHS = { mm: 1, cm: 10, in: 25.4 };
/** Degrees in one unit of angle. */
const ANGLES = { deg: 1, "°": 1, rad: 180 / Math.PI };
const ALIASES = { '"': "in", inch: "in", millimetre: "mm" };
const TOKEN = /\s*(?:(\d+\.?\d*(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?)|([a-z]+|°|")|([-+*/()]))/iy;
const DECIMALS = { mm: 3, cm: 4, in: 5 };

/** @typedef {"length" | "angle" | "count" | "number"} Kind */
/** @typedef {"mm" | "cm" | "in"} Unit */

/**
 * Return the value of an expression: millimetres, degrees, or a plain number.
 *
 * @param {string} text
 * @param {Kind} kind
 * @param {Unit} unit unit of a bare number, where `kind` is a length
 * @returns {number}
 */
export function parse(text, kind, unit = "mm") {
  const tokens = tokenize(text);
  if (tokens.length === 0) throw wrong(text, kind);
  const reader = new Reader(
    tokens,
    scales(kind),
    text,
    kind,
    kind === "length" ? LENGTHS[unit] : 1,
  );
  const { value, hasUnit } = reader.sum();
  if (!reader.isAtEnd || !Number.isFinite(value)) throw wrong(text, kind);
  return clean(kind === "length" && !hasUnit ? value * LENGTHS[unit] : value);
}

/**
 * Write a value as a field shows it.
 *
 * @param {number} value millimetres, degrees, or a plain number
 * @param {Kind} kind
 * @param {Unit} unit
 */
export function format(value, kind, unit = "mm") {
  if (kind === "length") return `${trim(value / LENGTHS[unit], DECIMALS[unit])} ${unit}`;
  if (kind === "angle") return `${trim(value, 3)}°`;
  return trim(value, 6);
}

/** @param {number} value @param {number} decimals */
export function trim(value, decimals) {
  const text = value.toFixed(decimals);
  const short = text.includes(".") ? text.replace(/\.?0+$/, "") : text;
  return short === "-0" ? "0" : short;
}

/** Drop the last binary digits, so that 0.1 + 0.2 is stored as 0.3. @param {number} value */
function clean(value) {
  return Number(value.toPrecision(12)) + 0;
}

/** @param {Kind} kind @returns {Record<string, number>} */
function scales(kind) {
  if (kind === "length") return LENGTHS;
  return kind === "angle" ? ANGLES : {};
}

/** @param {string} text @returns {Array<{kind: string, text: string}>} */
function tokenize(text) {
  const tokens = [];
  TOKEN.lastIndex = 0;
  const end = text.trimEnd().length;
  while (TOKEN.lastIndex < end) {
    const match = TOKEN.exec(text);
    if (!match) return [];
    const [, number, word, sign] = match;
    tokens.push({ kind: number ? "number" : word ? "word" : "sign", text: number ?? word ?? sign });
  }
  return tokens;
}

/** @param {string} text @param {Kind} kind */
function wrong(text, kind) {
  const examples = {
    length: "a length such as 12.5, 2 cm, 1/2 in or 10+5",
    angle: "an angle in degrees such as 45 or 90/4",
    count: "a whole number such as 4",
    number: "a number such as 1.5",
  };
  const given = text.trim() === "" ? "nothing" : `“${text.trim()}”`;
  return new ModelError(`${given} was given: enter ${examples[kind]}.`);
}

/** A recursive descent over `+ - * /`, brackets and units. */
class Reader {
  /**
   * @param {Array<{kind: string, text: string}>} tokens
   * @param {Record<string, number>} units
   * @param {string} text
   * @param {Kind} kind
   * @param {number} bare millimetres of a bare number in a sum of lengths
   */
  constructor(tokens, units, text, kind, bare) {
    this.tokens = tokens;
    this.units = units;
    this.text = text;
    this.kind = kind;
    this.bare = bare;
    this.at = 0;
  }

  get isAtEnd() {
    return this.at >= this.tokens.length;
  }

  sum() {
    let left = this.product();
    for (let sign = this.sign("+-"); sign; sign = this.sign("+-")) {
      const [a, b] = this.alike(left, this.product());
      left = { value: sign === "+" ? a.value + b.value : a.value - b.value, hasUnit: a.hasUnit };
    }
    return left;
  }

  product() {
    let left = this.withUnit(this.signed());
    for (let sign = this.sign("*/"); sign; sign = this.sign("*/")) {
      const right = this.signed();
      if (left.hasUnit && right.hasUnit) throw wrong(this.text, this.kind);
      const value = sign === "*" ? left.value * right.value : left.value / right.value;
      left = this.withUnit({ value, hasUnit: left.hasUnit || right.hasUnit });
    }
    return left;
  }

  signed() {
    if (this.sign("-")) {
      const { value, hasUnit } = this.signed();
      return { value: -value, hasUnit };
    }
    this.sign("+");
    return this.atom();
  }

  atom() {
    if (this.sign("(")) {
      const inner = this.sum();
      if (!this.sign(")")) throw wrong(this.text, this.kind);
      return inner;
    }
    const token = this.tokens[this.at++];
    if (token?.kind !== "number") throw wrong(this.text, this.kind);
    return { value: Number(token.text), hasUnit: false };
  }

  /** A unit holds for the whole term before it: 1/2 in is half an inch. */
  withUnit(term) {
    const token = this.tokens[this.at];
    if (token?.kind !== "word") return term;
    const name = token.text.toLowerCase();
    const scale = this.units[ALIASES[name] ?? name];
    if (scale === undefined || term.hasUnit) throw this.unknownUnit(token.text);
    this.at += 1;
    return { value: term.value * scale, hasUnit: true };
  }

  /** In `2 cm + 3` the 3 has the document's unit. */
  alike(a, b) {
    if (a.hasUnit === b.hasUnit) return [a, b];
    const convert = (n) => (n.hasUnit ? n : { value: n.value * this.bare, hasUnit: true });
    return [convert(a), convert(b)];
  }

  /** @param {string} name */
  unknownUnit(name) {
    const known = Object.keys(this.units).join(", ") || "none";
    return new ModelError(`“${name}” is not a unit that fits here: use ${known}.`);
  }

  /** Take one of these signs, if it is next. @param {string} signs */
  sign(signs) {
    const token = this.tokens[this.at];
    if (token?.kind !== "sign" || !signs.includes(token.text)) return null;
    this.at += 1;
    return token.text;
  }
}
