// A number's n and interval are its title; on request they are printed below it, for touch, keyboard and paper.
import { el } from "./dom.js";

/** Print, or take away, what stands in the titles of a table's numbers. */
export function explain(table, wanted) {
  for (const cell of table.querySelectorAll("td.number[title]")) {
    cell.querySelector(".explained")?.remove();
    if (wanted && cell.title) cell.append(el("span", { class: "explained" }, cell.title));
  }
}
