// The episode explorer: a list that is filtered, searched and sorted, and one episode's page, both in the address.
import { detailPage } from "./detail.js";
import { count, el, fill, recorded } from "./dom.js";
import { readState, replaceState, stateHash } from "./hash.js";
import { EpisodeIndex } from "./index.js";
import { EpisodeList } from "./list.js";
import { load } from "./shards.js";

const root = document.querySelector("#explorer");
const sets = [...root.querySelectorAll("[data-set]")].map(({ dataset }) => ({
  id: dataset.set,
  label: dataset.label,
  count: Number(dataset.count),
}));
const views = new Map();

class ListView {
  constructor(set, index) {
    this.set = set;
    this.index = index;
    this.menus = index.columns.filter((column) => column.filter && index.choices(column).length > 1);
    this.list = new EpisodeList(index, {
      set: set.id,
      open: (id) => (location.hash = this.hash({ e: id })),
      href: (id) => this.hash({ e: id }),
      sort: (key) => this.sortBy(key),
    });
    this.status = el("p", { class: "status", role: "status" });
    this.form = this.filters();
    this.node = el("div", { class: "list-view" }, setLinks(set.id), this.form, this.status, this.list.node);
  }

  filters() {
    const search = el("input", { type: "search", name: "q", "aria-label": "Search", placeholder: "task, model, claim …", autocomplete: "off" });
    const menus = this.menus.map((column) =>
      el(
        "label",
        {},
        column.label,
        el(
          "select",
          { name: column.key, "aria-label": column.label },
          el("option", { value: "" }, "all"),
          this.index.choices(column).map((value) => el("option", { value }, recorded(value))),
        ),
      ),
    );
    const order = el(
      "label",
      { class: "order" },
      "Order",
      el(
        "select",
        { name: "sort", "aria-label": "Order" },
        el("option", { value: "" }, "as run"),
        this.list.columns.flatMap((column) => [
          el("option", { value: `${column.key}.asc` }, `${column.label}, ascending`),
          el("option", { value: `${column.key}.desc` }, `${column.label}, descending`),
        ]),
      ),
    );
    return el(
      "form",
      {
        class: "filters",
        role: "search",
        "aria-label": "Filter episodes",
        oninput: () => this.changed(),
        onsubmit: (event) => event.preventDefault(),
        onreset: () => setTimeout(() => this.changed()),
      },
      el("label", { class: "search" }, "Search", search),
      order,
      el("button", { type: "reset" }, "Clear"),
      el("details", { class: "menus", open: matchMedia("(min-width: 700px)").matches }, el("summary", {}, "Filters"), el("div", {}, menus)),
    );
  }

  read() {
    const data = new FormData(this.form);
    const chosen = {};
    for (const column of this.menus) if (data.get(column.key)) chosen[column.key] = data.get(column.key);
    return { chosen, search: data.get("q").trim(), sort: data.get("sort") };
  }

  state() {
    const { chosen, search, sort } = this.read();
    return { set: this.set.id, ...chosen, q: search, sort };
  }

  hash(extra = {}) {
    return stateHash({ ...this.state(), ...extra });
  }

  restore(state) {
    for (const field of this.form.elements) if (field.name) field.value = state[field.name] ?? "";
    this.apply();
  }

  sortBy(key) {
    const field = this.form.elements.sort;
    field.value = field.value === `${key}.asc` ? `${key}.desc` : `${key}.asc`;
    this.changed();
  }

  changed() {
    this.list.scroller.scrollTop = 0;
    this.list.active = 0;
    this.apply();
    replaceState(this.state());
  }

  apply() {
    this.rows = this.index.select(this.read());
    this.list.show(this.rows, this.read().sort);
    const all = count(this.index.size);
    this.status.textContent = this.rows.length ? `${count(this.rows.length)} of ${all} episodes` : `None of ${all} episodes matches.`;
  }

  place(id) {
    const row = this.index.ids.indexOf(id);
    const at = this.rows.indexOf(row);
    const link = (position) => (position >= 0 && position < this.rows.length ? this.hash({ e: this.index.ids[this.rows[position]] }) : null);
    return {
      row,
      at,
      back: this.hash(),
      previous: at < 0 ? null : link(at - 1),
      next: at < 0 ? null : link(at + 1),
      position: at + 1,
      total: this.rows.length,
    };
  }
}

function setLinks(current) {
  if (sets.length < 2) return null;
  const links = sets.map(({ id, label, count: size }) =>
    el("a", { href: stateHash({ set: id }), "aria-current": id === current ? "page" : null }, `${label} (${count(size)})`),
  );
  return el("nav", { class: "sets", "aria-label": "Benchmark" }, links);
}

async function view(set) {
  if (!views.has(set.id)) views.set(set.id, new ListView(set, new EpisodeIndex(await load(`${set.id}-index`))));
  return views.get(set.id);
}

function problem(message) {
  fill(root, el("div", { class: "prose bad", role: "alert" }, el("h1", {}, "This cannot be shown"), el("p", {}, message)));
}

function showList(list, state) {
  const returning = root.querySelector(".episode") !== null;
  fill(root, el("h1", {}, "Episodes"), list.node);
  list.restore(state);
  list.list.move(list.list.active);
  if (returning) list.list.scroller.focus();
}

async function showEpisode(list, state) {
  list.restore(state);
  const place = list.place(state.e);
  if (place.row < 0) {
    problem(`There is no episode ${state.e} in this site.`);
    return;
  }
  if (place.at >= 0) list.list.active = place.at;
  const shard = await load(`${list.set.id}-${Math.floor(place.row / list.index.perShard)}`);
  if (readState().e !== state.e) return; // the reader has gone on while the file was read
  const episode = shard[place.row % list.index.perShard];
  fill(root, detailPage(episode, place));
  scrollTo(0, 0);
  document.title = `${episode.title} · stewardbench`;
  root.querySelector("#episode-title").focus({ preventScroll: true });
}

async function route() {
  const state = readState();
  const set = sets.find(({ id }) => id === state.set) ?? sets[0];
  if (!set) return;
  root.setAttribute("aria-busy", "true");
  try {
    const list = await view(set);
    if (state.e) await showEpisode(list, state);
    else {
      document.title = "Episodes · stewardbench";
      showList(list, state);
    }
  } catch (error) {
    problem(error.message);
  }
  root.removeAttribute("aria-busy");
}

addEventListener("hashchange", () => {
  if (!location.hash || location.hash.includes("=")) route(); // a plain anchor, such as the skip link's, is no state
});
route();
