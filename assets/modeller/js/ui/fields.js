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
 * @param {import("../schema.js").Field} field
 * @param {(value: number) => void} onChange
 * @returns {FieldView}
 */
export function numberField(field, onChange) {
  const id = `field-${field.name}`;
  const input = element("input", {
    id,
    type: "text",
    autocomplete: "off",
    spellcheck: "false",
    inputmode: "decimal",
  });
  /** @type {{text: string, unit: any}} */
  const shown = { text: "", unit: "mm" };
  const write = (value) => format(value, field.kind, shown.unit);
  const restore = () => {
    input.value = shown.text;
    delete input.dataset.edited;
    input.removeAttribute("aria-invalid");
  };
  const commit = () => {
    if (input.value === shown.text) return restore();
    try {
      const value = parse(input.value, field.kind, shown.unit);
      checkNumber(field, value, write);
      input.removeAttribute("aria-invalid");
      onChange(value);
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      input.setAttribute("aria-invalid", "true");
      complain(
        error.message.startsWith(field.label) ? error.message : `${field.label}: ${error.message}`,
      );
    }
  };
  input.addEventListener("change", commit);
  input.addEventListener("input", () => (input.dataset.edited = "true"));
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      commit();
      input.select();
    } else if (event.key === "Escape") restore();
    else return;
    event.stopPropagation();
  });
  input.addEventListener("focus", () => input.select());
  return {
    node: labelled(field, id, input),
    update(value, unit) {
      shown.unit = unit;
      shown.text = write(value);
      restore();
    },
    remove() {},
  };
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
