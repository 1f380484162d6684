/** Fields of the property panel: numbers with units, choices, flags. They know no feature. */
import { ModelError } from "../errors.js";
import { checkNumber } from "../schema.js";
import { format, parse } from "../units.js";
import { element } from "./dom.js";
import { Listbox } from "./listbox.js";
import { complain } from "./messages.js";

/**
 * @typedef {object} FieldView
 * @property {Element} node
 * @property {(value: any, unit: any, options?: any) => void} update
 * @property {() => void} remove
 */

/**
 * A number that is written with a unit and read as an expression. Enter and leaving the field set
 * it; Escape brings back what it was; what cannot be read stays, marked, until it is put right.
 *
 * @implements {FieldView}
 */
export class NumberField {
  /**
   * @param {import("../schema.js").Field} field
   * @param {(value: number) => void} onChange
   */
  constructor(field, onChange) {
    this.field = field;
    this.onChange = onChange;
    this.text = "";
    /** @type {any} */
    this.unit = "mm";
    const id = `field-${field.name}`;
    const still = { type: "text", autocomplete: "off", spellcheck: "false", inputmode: "decimal" };
    this.input = element("input", { id, ...still });
    this.input.addEventListener("change", () => this.commit());
    this.input.addEventListener("input", () => (this.input.dataset.edited = "true"));
    this.input.addEventListener("focus", () => this.input.select());
    this.input.addEventListener("keydown", (event) => this.key(event));
    this.node = labelled(field, id, this.input);
  }

  update(value, unit) {
    this.unit = unit;
    this.text = this.write(value);
    this.restore();
  }

  write(value) {
    return format(value, this.field.kind, this.unit);
  }

  restore() {
    this.input.value = this.text;
    delete this.input.dataset.edited;
    this.input.removeAttribute("aria-invalid");
  }

  commit() {
    if (this.input.value === this.text) return this.restore();
    try {
      const value = parse(this.input.value, this.field.kind, this.unit);
      checkNumber(this.field, value, (one) => this.write(one));
      return this.onChange(value);
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      return this.refuse(error.message);
    }
  }

  refuse(message) {
    const { label } = this.field;
    this.input.setAttribute("aria-invalid", "true");
    complain(message.startsWith(label) ? message : `${label}: ${message}`);
  }

  key(event) {
    if (event.key === "Enter") {
      this.commit();
      this.input.select();
    } else if (event.key === "Escape") this.restore();
    else return;
    event.stopPropagation();
  }

  remove() {}
}

/** @returns {FieldView} */
export function choiceField(field, onChange) {
  const id = `field-${field.name}`;
  const list = new Listbox(id, field.label, onChange);
  return {
    node: labelled(field, id, list.button),
    update(value, _unit, options) {
      const given =
        options ?? Object.entries(field.options).map(([key, label]) => ({ value: key, label }));
      list.update(given, value);
    },
    remove: () => list.remove(),
  };
}

/** @returns {FieldView} */
export function flagField(field, onChange) {
  const id = `field-${field.name}`;
  const box = element("input", { id, type: "checkbox", onchange: () => onChange(box.checked) });
  return {
    node: labelled(field, id, box),
    update: (value) => {
      box.checked = value;
    },
    remove() {},
  };
}

function labelled({ label }, id, control) {
  return element("div", { class: "field" }, element("label", { for: id }, label), control);
}
