// Leaderboards are complete in the page; this adds sorting, filtering and search to them.
import { count } from "./dom.js";
import { readState, replaceState } from "./hash.js";
import { explain } from "./explain.js";

const FIELDS = ["q", "agent", "origin", "sort"];

class BoardView {
  constructor(section) {
    this.id = section.dataset.board;
    this.form = section.querySelector("form");
    this.table = section.querySelector("table");
    this.body = this.table.tBodies[0];
    this.rows = [...this.body.querySelectorAll("tr[data-search]")];
    this.empty = section.querySelector(".no-match");
    this.status = section.querySelector("[role=status]");
    this.first = section.dataset.sort;
    this.headers = [...this.table.querySelectorAll("th[data-key]")];
    this.form.hidden = false;
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.form.addEventListener("input", () => this.changed());
    for (const header of this.headers) {
      header.querySelector("button").addEventListener("click", () => this.sortBy(header.dataset.key));
    }
    this.form.elements.more.addEventListener("change", (event) => explain(this.table, event.target.checked));
    this.restore();
  }

  restore() {
    const state = readState();
    for (const name of ["q", "agent", "origin"]) {
      const field = this.form.elements[name];
      const value = state[`${this.id}.${name}`] ?? "";
      field.value = value;
      if (field.value !== value) field.value = "";
    }
    this.sort = state[`${this.id}.sort`] || this.first;
    this.apply();
  }

  sortBy(key) {
    const [current, direction] = this.sort.split(".");
    const first = this.headers.find((header) => header.dataset.key === key).dataset.first;
    this.sort = `${key}.${current === key ? (direction === "asc" ? "desc" : "asc") : first}`;
    this.changed();
  }

  changed() {
    this.apply();
    const state = readState();
    for (const name of FIELDS) {
      const value = name === "sort" ? this.sort : this.form.elements[name].value.trim();
      state[`${this.id}.${name}`] = name === "sort" && value === this.first ? "" : value;
    }
    replaceState(state);
  }

  apply() {
    const [key, direction] = this.sort.split(".");
    const header = this.headers.find((candidate) => candidate.dataset.key === key) ?? this.headers[0];
    const place = header.cellIndex;
    const sign = direction === "desc" ? -1 : 1;
    const value = (row) => row.cells[place].dataset.value ?? "";
    const numeric = header.dataset.kind === "number";
    this.rows.sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      if (x === "" || y === "") return (x === "") - (y === "");
      return sign * (numeric ? x - y : x.localeCompare(y, "en", { numeric: true }));
    });
    for (const other of this.headers) {
      if (other === header) other.setAttribute("aria-sort", direction === "desc" ? "descending" : "ascending");
      else other.removeAttribute("aria-sort");
    }
    this.body.prepend(...this.rows);
    this.filter();
  }

  filter() {
    const { q, agent, origin } = this.form.elements;
    const wanted = q.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of this.rows) {
      row.hidden = !(
        (!agent.value || row.dataset.agent === agent.value) &&
        (!origin.value || row.dataset.origin === origin.value) &&
        wanted.every((word) => row.dataset.search.includes(word))
      );
      shown += !row.hidden;
    }
    this.empty.hidden = shown > 0;
    this.status.textContent = `${count(shown)} of ${count(this.rows.length)} shown`;
  }
}

/** Bring every leaderboard of the page to life. */
export function startBoards() {
  const views = [...document.querySelectorAll("section[data-board]")].map((section) => new BoardView(section));
  addEventListener("hashchange", () => views.forEach((view) => view.restore()));
}
