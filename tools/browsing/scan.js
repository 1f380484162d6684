// What can be seen and used on the page, each thing under a number that it keeps.
//
// Runs in a world of its own beside the page's: the page can neither see nor change what is kept
// here, and nothing of it touches the page. `scan()` lists, `find(ref)` says where one thing is now.
(() => {
  const SELECTOR = [
    "a[href]", "button", "input", "select", "textarea", "canvas", "summary",
    "[contenteditable='']", "[contenteditable='true']", "[tabindex]:not([tabindex='-1'])",
    ...["button", "checkbox", "combobox", "gridcell", "link", "listbox", "menuitem", "option",
      "radio", "slider", "spinbutton", "switch", "tab", "textbox", "treeitem", "dialog", "alert",
      "status"].map((role) => `[role='${role}']`),
  ].join(",");
  const ROLES = {
    A: "link", BUTTON: "button", CANVAS: "canvas", SELECT: "combobox", SUMMARY: "button",
    TEXTAREA: "textbox",
  };
  const INPUTS = { checkbox: "checkbox", radio: "radio", range: "slider", number: "spinbutton",
    button: "button", submit: "button", reset: "button", file: "file" };
  const MAX_TEXT = 80;

  const numbers = new WeakMap();
  const things = new Map(); // number -> WeakRef
  let next = 1;

  const numberOf = (element) => {
    if (!numbers.has(element)) {
      things.set(next, new WeakRef(element));
      numbers.set(element, next++);
    }
    return numbers.get(element);
  };

  const short = (text) => (text ?? "").replace(/\s+/g, " ").trim().slice(0, MAX_TEXT);

  const roleOf = (element) =>
    element.getAttribute("role") ||
    (element.tagName === "INPUT" ? INPUTS[element.type] ?? "textbox" : ROLES[element.tagName]) ||
    "generic";

  // A button inside of a component is named by the component around it.
  const hostName = (element) => {
    const host = element.getRootNode().host;
    return host ? host.getAttribute("aria-label") || host.getAttribute("title") || host.textContent
      || hostName(host) : "";
  };

  // Many apps write a label beside a field and forget to tie the two together.
  const FIELDS = "input:not([type='button']):not([type='submit']), select, textarea";
  const LABELLED_FROM = 3; // ancestors
  const besideName = (element) => {
    if (!element.matches(FIELDS)) return "";
    const cell = element.closest("td"), first = cell?.parentElement.cells[0];
    if (first && first !== cell) return first.textContent;
    for (let one = element.parentElement, n = 0; one && n < LABELLED_FROM; one = one.parentElement, n++) {
      const label = one.querySelector("label, legend, h1, h2, h3, h4, h5, h6");
      if (label) return one.querySelectorAll(FIELDS).length === 1 ? label.textContent : "";
    }
    return "";
  };
  const isButton = (element) => ["button", "submit", "reset"].includes(element.type);

  const labelled = (element) => (element.getAttribute("aria-labelledby") ?? "")
    .split(/\s+/).filter(Boolean)
    .map((id) => document.getElementById(id)?.textContent ?? "").join(" ");

  const contents = (element) =>
    element.matches("canvas, select, textarea") ? ""
      : isButton(element) && element.tagName === "INPUT" ? element.value : element.textContent.trim();

  const nameOf = (element) => short(
    element.getAttribute("aria-label") || labelled(element) ||
    [...(element.labels ?? [])].map((label) => label.textContent).join(" ") ||
    contents(element) || element.getAttribute("title") || element.getAttribute("placeholder") ||
    element.getAttribute("label") || besideName(element) || hostName(element));

  const valueOf = (element) =>
    element.type === "password" ? "" : short(
      element.matches(FIELDS) && !["checkbox", "radio"].includes(element.type) ? element.value
        : element.getAttribute("aria-valuetext") ?? element.getAttribute("aria-valuenow") ?? "");

  const STATES = ["disabled", "checked", "selected", "expanded", "pressed", "invalid"];
  const statesOf = (element) => {
    const states = STATES.filter((state) => element.getAttribute(`aria-${state}`) === "true");
    if (element.disabled && !states.includes("disabled")) states.push("disabled");
    if (element.checked && !states.includes("checked")) states.push("checked");
    if (element === document.activeElement) states.push("focused");
    return states;
  };

  // Components keep their insides in shadow trees: these look through them.
  const all = function* (root) {
    for (const element of root.querySelectorAll("*")) {
      if (element.matches(SELECTOR)) yield element;
      if (element.shadowRoot) yield* all(element.shadowRoot);
    }
  };
  const deepest = (x, y) => {
    let hit = document.elementFromPoint(x, y);
    for (let inner; (inner = hit?.shadowRoot?.elementFromPoint(x, y)) && inner !== hit; hit = inner);
    return hit;
  };
  const isWithin = (outer, inner) => {
    for (let one = inner; one; one = one.parentNode ?? one.host) if (one === outer) return true;
    return false;
  };

  // The visible part of the box, or null; covered when something else would take a click there.
  const placeOf = (element) => {
    const box = element.getBoundingClientRect();
    const left = Math.max(0, box.left), top = Math.max(0, box.top);
    const right = Math.min(innerWidth, box.right), bottom = Math.min(innerHeight, box.bottom);
    if (right - left < 2 || bottom - top < 2) return null;
    const style = getComputedStyle(element);
    if (style.visibility !== "visible" || style.opacity === "0") return null;
    const hit = deepest((left + right) / 2, (top + bottom) / 2);
    const isCovered = !(hit && (isWithin(element, hit) || hit.closest("label")?.control === element));
    return { box: [left, top, right - left, bottom - top], isCovered };
  };

  const describe = (element, place) => ({
    ref: numberOf(element), role: roleOf(element), name: nameOf(element), value: valueOf(element),
    states: statesOf(element), box: place.box,
  });

  globalThis.cadwright = {
    scan() {
      const found = [];
      for (const element of all(document)) {
        const place = placeOf(element);
        if (roleOf(element) === "generic" && element.querySelector(SELECTOR)) continue; // a frame
        if (place && (!place.isCovered || element.tagName === "CANVAS")) {
          found.push(describe(element, place));
        }
      }
      return found;
    },
    find(ref) {
      const element = things.get(ref)?.deref();
      if (!element?.isConnected) return { problem: "gone" };
      const place = placeOf(element);
      if (!place) return { problem: "hidden" };
      if (place.isCovered) return { problem: "covered" };
      return describe(element, place);
    },
    hasWebgl() {
      return Boolean(document.createElement("canvas").getContext("webgl2"));
    },
  };
})();
