"use strict";
const body = document.querySelector("tbody:not(.fixed)");
const rows = [...body.rows];
const search = document.querySelector("input[type=search]");
const shown = document.querySelector("#shown");
const empty = document.querySelector(".empty");
const chips = [...document.querySelectorAll(".chip")];
const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));

function apply() {
  const wanted = new Set(chips.filter((c) => c.ariaPressed === "true").map((c) => c.dataset.status));
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const row of rows) {
    const fits =
      (wanted.size === 0 || wanted.has(row.dataset.status)) &&
      words.every((word) => texts.get(row).includes(word));
    row.hidden = !fits;
    count += fits;
  }
  shown.textContent = count === rows.length ? `${count} rows` : `${count} of ${rows.length} rows`;
  empty.hidden = count > 0;
}

function sort(head) {
  const key = head.dataset.key;
  const isNumber = head.classList.contains("num");
  const up = head.ariaSort === "ascending" ? false : head.ariaSort === "descending" ? true : !isNumber;
  document.querySelectorAll("th[data-key]").forEach((th) => (th.ariaSort = "none"));
  head.ariaSort = up ? "ascending" : "descending";
  const value = (row) => row.dataset[key] ?? "";
  rows.sort((a, b) => {
    const [x, y] = [value(a), value(b)];
    if (x === "" || y === "") return (x === "") - (y === ""); // no value: always last
    const order = isNumber ? Number(x) - Number(y) : x.localeCompare(y, undefined, { numeric: true });
    return up ? order : -order;
  });
  body.append(...rows);
}

for (const chip of chips) {
  chip.addEventListener("click", () => {
    chip.ariaPressed = chip.ariaPressed === "true" ? "false" : "true";
    apply();
  });
}
for (const head of document.querySelectorAll("th[data-key]")) {
  head.tabIndex = 0;
  head.addEventListener("click", () => sort(head));
  head.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      sort(head);
    }
  });
}
search.addEventListener("input", apply);
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== search) {
    event.preventDefault();
    search.focus();
  }
});
apply();
