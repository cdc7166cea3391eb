// One function per kind of block in an episode's page. Blocks know nothing of either benchmark.
import { el, recorded } from "./dom.js";

const text = (value, className = "text") => el("p", { class: className, dir: "auto" }, recorded(value));

export function chip({ text: label, tone }) {
  return el("span", { class: `chip ${tone}` }, recorded(label));
}

function said(who, value, className) {
  return el("div", { class: `said ${className}` }, el("p", { class: "who" }, who), text(value));
}

function tool({ name, arguments: given, result, note }) {
  return el(
    "details",
    { class: "tool" },
    el("summary", {}, "Tool call ", el("code", {}, recorded(name)), note ? ` (${note})` : null),
    el("pre", { dir: "auto" }, recorded(given)),
    result ? el("pre", { class: "result", dir: "auto" }, recorded(result)) : null,
  );
}

function marked(value, marks) {
  const parts = [];
  let reached = 0;
  const characters = [...value]; // offsets count code points, as in the record
  const cut = (from, to) => recorded(characters.slice(from, to).join(""));
  for (const [start, end] of marks) {
    parts.push(...cut(reached, start), el("mark", {}, cut(start, end)));
    reached = end;
  }
  return [...parts, ...cut(reached)];
}

function diffLine({ op, text: line, marks }) {
  const kind = { "+": "added", "-": "removed", " ": "same", "@": "gap" }[op];
  const sign = { "+": "+", "-": "−", " ": " ", "@": " " }[op];
  const spoken = { "+": "added: ", "-": "removed: " }[op];
  return el(
    "div",
    { class: `line ${kind}` },
    el("span", { class: "op", "aria-hidden": "true" }, sign),
    el("span", { class: "content", dir: "auto" }, spoken ? el("span", { class: "spoken" }, spoken) : null, marked(line, marks)),
  );
}

const RENDER = {
  facts: ({ items }) =>
    el("dl", { class: "facts" }, items.map(([label, value]) => el("div", {}, el("dt", {}, label), el("dd", { dir: "auto" }, recorded(value))))),

  prose: ({ label, text: value, tone }) => el("div", { class: `prose ${tone}` }, el("p", { class: "who" }, label), text(value)),

  turn: ({ number, user, agent, chips, tools, error, asides }) =>
    el(
      "article",
      { class: "turn" },
      el("header", {}, el("h3", {}, `Turn ${number}`), chips.map(chip)),
      el(
        "div",
        { class: asides.length ? "columns three" : "columns" },
        said("User", user, "user"),
        el(
          "div",
          {},
          said("Agent", agent, "agent"),
          tools.map(tool),
          error ? el("div", { class: "prose bad" }, el("p", { class: "who" }, "Error"), text(error)) : null,
        ),
        asides.length
          ? el("div", { class: "asides" }, asides.map(([who, reason]) => el("div", { class: "aside" }, el("p", { class: "who" }, recorded(who)), text(reason))))
          : null,
      ),
    ),

  file: ({ path, change, chip: surface, lines, note, folded }) =>
    el(
      "details",
      { class: "file", open: !folded },
      el("summary", {}, el("code", { class: "path" }, recorded(path)), el("span", { class: "change" }, change), chip(surface)),
      note ? el("p", { class: "note" }, note) : null,
      el("div", { class: "diff", tabindex: 0, role: "group", "aria-label": `Changes in ${path}` }, lines.map(diffLine)),
    ),

  checks: ({ items }) =>
    el(
      "ul",
      { class: "checks" },
      items.map(({ label, passed, detail }) => {
        const word = passed === null ? "noted" : passed ? "holds" : "fails";
        return el("li", { class: word }, el("span", { class: "verdict" }, word), el("span", {}, recorded(label), detail ? text(detail, "note") : null));
      }),
    ),

  scores: ({ caption, columns, rows, fail_at: failAt, note }) =>
    el(
      "figure",
      { class: "scores" },
      el(
        "table",
        {},
        el("caption", {}, recorded(caption)),
        el("thead", {}, el("tr", {}, el("td", {}), columns.map((column) => el("th", { scope: "col" }, column)))),
        el(
          "tbody",
          {},
          rows.map(([label, cells]) =>
            el("tr", {}, el("th", { scope: "row" }, label), cells.map((cell) => scoreCell(cell, failAt))),
          ),
        ),
      ),
      note ? el("figcaption", { dir: "auto" }, recorded(note)) : null,
    ),

  step: ({ number, title, sent, reply, chips }) =>
    el(
      "article",
      { class: "turn step" },
      el("header", {}, el("h3", {}, `Step ${number}`), el("span", { class: "title" }, recorded(title)), chips.map(chip)),
      el("div", { class: "said agent" }, el("p", { class: "who" }, "Agent"), el("pre", { dir: "auto" }, recorded(sent))),
      reply ? el("div", { class: "said world" }, el("p", { class: "who" }, "Reply"), el("pre", { dir: "auto" }, recorded(reply))) : null,
    ),

  page: ({ label, text: value, marks }) =>
    el(
      "details",
      { class: "page", open: true },
      el("summary", {}, recorded(label)),
      el("pre", { dir: "auto", tabindex: 0, role: "group", "aria-label": label }, marked(value, marks)),
    ),
};

function scoreCell(score, failAt) {
  if (score === null) return el("td", { class: "none" }, "–");
  const fails = score >= failAt;
  return el("td", {}, el("span", { class: `score v${score}`, title: fails ? "fails" : "does not fail" }, String(score)));
}

/** One block as an element. */
export function block(value) {
  return RENDER[value.kind](value);
}
