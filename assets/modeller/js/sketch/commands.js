/** The ribbon of the sketch mode. */

/** What each tool asks for. */
export const HINTS = {
  select: "Click a shape to set its dimensions, drag it to move it.",
  line: "Line: click the start, then each end. Escape ends the chain.",
  rectangle: "Rectangle: click two opposite corners.",
  circle: "Circle: click the centre, then the rim.",
  arc: "Arc: click the start, the end, then a point on the arc.",
};

/** @typedef {import("./sketcher.js").Sketcher} Sketcher */

/** @param {Sketcher} sketcher */
export function sketchGroups(sketcher) {
  return [
    { label: "Draw", commands: Object.keys(HINTS).map((name) => tool(sketcher, name)) },
    {
      label: "Constrain",
      commands: [level(sketcher, "horizontal"), level(sketcher, "vertical")],
    },
    {
      label: "Edit",
      commands: [
        {
          id: "delete-entity",
          label: "Delete",
          icon: "remove",
          hint: "Delete the picked shape (Delete)",
          run: () => sketcher.remove(),
        },
      ],
    },
    {
      label: "Sketch",
      commands: [
        {
          id: "finish-sketch",
          label: "Finish",
          icon: "finish",
          hint: "Leave the sketch",
          run: () => sketcher.finish(),
        },
      ],
    },
  ];
}

const titled = (name) => name[0].toUpperCase() + name.slice(1);

function tool(sketcher, name) {
  return {
    id: `tool-${name}`,
    label: titled(name),
    icon: name,
    hint: HINTS[name],
    run: () => sketcher.take(name),
  };
}

function level(sketcher, name) {
  return {
    id: `constrain-${name}`,
    label: titled(name),
    icon: name,
    hint: `Make the picked line ${name}`,
    run: () => sketcher.constrain(name),
  };
}
