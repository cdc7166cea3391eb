// A grid that draws only the rows in view. One tab stop; arrows, page keys, Home and End move, Enter opens.
import { el, fill, recorded } from "./dom.js";

const SPARE = 8; // rows drawn beyond each edge, so that a fast scroll shows no gap

export class EpisodeList {
  constructor(index, { set, open, href, sort }) {
    this.index = index;
    this.open = open;
    this.href = href;
    this.columns = index.columns.filter((column) => !column.hidden);
    this.rows = [];
    this.active = 0;
    this.head = el("div", { class: "list-head", role: "row", "aria-rowindex": 1 });
    this.canvas = el("div", { class: "canvas", role: "rowgroup" });
    this.scroller = el(
      "div",
      {
        class: "scroller",
        tabindex: 0,
        role: "grid",
        "aria-label": "Episodes. Arrow keys move, Enter opens.",
        onscroll: () => this.draw(),
        onkeydown: (event) => this.key(event),
        onfocus: () => this.mark(),
      },
      el("div", { class: "list-top", role: "rowgroup" }, this.head),
      this.canvas,
    );
    this.node = el("div", { class: `list ${set}` }, this.scroller);
    this.heads = this.columns.map((column, place) => this.header(column, place, sort));
    fill(this.head, this.heads);
    new ResizeObserver(() => this.measure()).observe(this.scroller);
  }

  header(column, place, sort) {
    return el(
      "div",
      { role: "columnheader", class: `c-${column.kind} k-${column.key}`, "aria-colindex": place + 1 },
      el("button", { type: "button", tabindex: -1, title: column.label, onclick: () => sort(column.key) }, column.short),
    );
  }

  show(rows, sort) {
    this.rows = rows;
    const [key, direction] = sort.split(".");
    this.columns.forEach((column, place) => {
      if (column.key === key) this.heads[place].setAttribute("aria-sort", direction === "desc" ? "descending" : "ascending");
      else this.heads[place].removeAttribute("aria-sort");
    });
    this.active = Math.min(this.active, Math.max(rows.length - 1, 0));
    this.scroller.setAttribute("aria-rowcount", rows.length + 1);
    this.measure();
  }

  measure() {
    this.height = parseFloat(getComputedStyle(this.scroller).getPropertyValue("--row")) || 36;
    this.canvas.style.height = `${this.rows.length * this.height}px`;
    this.from = -1;
    this.draw();
  }

  draw() {
    const first = Math.floor(this.scroller.scrollTop / this.height);
    const from = Math.max(0, first - SPARE);
    const to = Math.min(this.rows.length, first + Math.ceil(this.scroller.clientHeight / this.height) + SPARE);
    if (from === this.from && to === this.to) return;
    this.from = from;
    this.to = to;
    const drawn = [];
    for (let place = from; place < to; place += 1) drawn.push(this.row(place));
    fill(this.canvas, drawn);
    this.mark();
  }

  row(place) {
    const row = this.rows[place];
    const id = this.index.ids[row];
    const cells = this.columns.map((column, at) => this.cell(column, row, at, id));
    const node = el(
      "div",
      {
        id: `row-${place}`,
        class: "row",
        role: "row",
        "aria-rowindex": place + 2,
        onclick: (event) => {
          if (event.target.closest("a") || String(getSelection())) return;
          this.active = place;
          this.open(id);
        },
      },
      cells,
    );
    node.style.transform = `translateY(${place * this.height}px)`;
    return node;
  }

  cell(column, row, place, id) {
    const value = this.index.value(column, row);
    const attributes = { role: "gridcell", class: `c-${column.kind} k-${column.key}`, "aria-colindex": place + 1 };
    if (place === 0) {
      return el("div", attributes, el("a", { href: this.href(id), tabindex: -1 }, recorded(value || id)));
    }
    if (column.kind === "score") {
      const label = `${column.label} ${value || "unscored"}`;
      return el("div", attributes, el("span", { class: `score v${value}`, title: label }, value || "–"));
    }
    if (column.kind === "mark" && value) {
      return el("div", attributes, el("span", { class: `chip ${column.labels[value] ?? ""}` }, recorded(value)));
    }
    return el("div", { ...attributes, title: value }, recorded(value));
  }

  mark() {
    for (const node of this.canvas.children) {
      node.classList.toggle("active", node.id === `row-${this.active}`);
      node.setAttribute("aria-selected", node.id === `row-${this.active}`);
    }
    const inView = this.active >= this.from && this.active < this.to;
    if (this.rows.length && inView) this.scroller.setAttribute("aria-activedescendant", `row-${this.active}`);
    else this.scroller.removeAttribute("aria-activedescendant");
  }

  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target !== this.scroller) return;
    const page = Math.max(1, Math.floor(this.scroller.clientHeight / this.height) - 2);
    const last = this.rows.length - 1;
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -last, End: last };
    if (event.key === "Enter" && this.rows.length) this.open(this.index.ids[this.rows[this.active]]);
    else if (event.key in moves) this.move(Math.min(Math.max(this.active + moves[event.key], 0), Math.max(last, 0)));
    else return;
    event.preventDefault();
  }

  /** Make a row the active one and bring it into view. */
  move(place) {
    this.active = place;
    const top = place * this.height;
    const view = this.scroller.clientHeight - this.head.offsetHeight;
    if (top < this.scroller.scrollTop) this.scroller.scrollTop = top;
    else if (top + this.height > this.scroller.scrollTop + view) this.scroller.scrollTop = top + this.height - view;
    this.draw();
    this.mark();
  }
}
