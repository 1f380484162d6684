/**
 * A drop-down list as ARIA describes it. The browser's own select is drawn outside the page and
 * does not show in every screenshot.
 */
import { element, keyed, setText } from "./dom.js";

/** @typedef {{value: string, label: string}} Option */

export class Listbox {
  /**
   * @param {string} id
   * @param {string} label
   * @param {(value: string) => void} onChange
   */
  constructor(id, label, onChange) {
    this.onChange = onChange;
    /** @type {Option[]} */
    this.options = [];
    this.value = "";
    this.at = -1;
    this.text = element("span");
    this.button = element(
      "button",
      {
        type: "button",
        id,
        class: "listbox",
        role: "combobox",
        "aria-haspopup": "listbox",
        "aria-expanded": "false",
        "aria-controls": `${id}-list`,
        "aria-label": label,
        onclick: () => (this.isOpen ? this.close() : this.open()),
        onkeydown: (event) => this.key(event),
        onblur: () => this.close(),
      },
      this.text,
    );
    this.list = element("ul", {
      id: `${id}-list`,
      role: "listbox",
      "aria-label": label,
      class: "options",
      hidden: true,
    });
    document.body.append(this.list);
  }

  get isOpen() {
    return !this.list.hidden;
  }

  /** @param {Option[]} options @param {string} value */
  update(options, value) {
    this.options = options;
    this.value = value;
    const chosen = options.find((option) => option.value === value);
    setText(this.text, chosen?.label ?? "Choose…");
    this.button.title = chosen?.label ?? "";
    keyed(
      this.list,
      options,
      (option) => option.value,
      (option) => this.item(option),
      (node, option) => {
        setText(node, option.label);
        node.setAttribute("aria-selected", String(option.value === value));
      },
    );
  }

  item(option) {
    return element("li", {
      role: "option",
      id: `${this.list.id}-${option.value.replace(/[^\w-]/g, "_")}`,
      onpointerdown: (event) => event.preventDefault(), // keep the focus, and with it the list
      onclick: () => this.choose(option.value),
      onpointermove: () =>
        this.mark([...this.list.children].findIndex((n) => n.dataset.key === option.value)),
    });
  }

  open() {
    const box = this.button.getBoundingClientRect();
    this.list.hidden = false;
    this.list.style.minWidth = `${box.width}px`;
    const size = this.list.getBoundingClientRect();
    const isBelow = box.bottom + size.height <= window.innerHeight;
    this.list.style.left = `${Math.min(box.left, window.innerWidth - size.width - 4)}px`;
    this.list.style.top = `${isBelow ? box.bottom + 2 : Math.max(4, box.top - size.height - 2)}px`;
    this.button.setAttribute("aria-expanded", "true");
    this.mark(
      Math.max(
        0,
        this.options.findIndex((option) => option.value === this.value),
      ),
    );
  }

  close() {
    this.list.hidden = true;
    this.button.setAttribute("aria-expanded", "false");
    this.button.removeAttribute("aria-activedescendant");
  }

  choose(value) {
    this.close();
    if (value !== this.value) this.onChange(value);
  }

  mark(at) {
    this.at = at;
    [...this.list.children].forEach((node, k) => node.classList.toggle("marked", k === at));
    const node = this.list.children[at];
    if (node) this.button.setAttribute("aria-activedescendant", node.id);
  }

  key(event) {
    const last = this.options.length - 1;
    const moves = { ArrowDown: this.at + 1, ArrowUp: this.at - 1, Home: 0, End: last };
    if (!this.isOpen) {
      if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
      this.open();
    } else if (event.key in moves) this.mark(Math.min(last, Math.max(0, moves[event.key])));
    else if (event.key === "Enter" || event.key === " ")
      this.choose(this.options[this.at]?.value ?? this.value);
    else if (event.key === "Escape") this.close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  remove() {
    this.list.remove();
  }
}
