/** What the program says: one line at the foot of the page, errors aloud. */
import { byId, setText } from "./dom.js";

/** @param {string} text */
export function say(text) {
  setText(byId("status"), text);
  setText(byId("error"), "");
}

/** @param {string} text */
export function complain(text) {
  setText(byId("error"), text);
  setText(byId("status"), "");
}
