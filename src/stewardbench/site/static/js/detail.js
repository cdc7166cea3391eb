// The page of one episode: a heading, where it stands among the listed ones, and its sections.
import { block, chip } from "./blocks.js";
import { count, el, recorded } from "./dom.js";

function step(label, href, className) {
  if (!href) return el("span", { class: `step-link ${className}`, "aria-disabled": "true" }, label);
  return el("a", { class: `step-link ${className}`, href, rel: className }, label);
}

/** ``place`` says where the episode stands: {back, previous, next, position, total}. */
export function detailPage(episode, place) {
  const jump = (id) => (event) => {
    event.preventDefault();
    const heading = document.getElementById(`s-${id}`);
    heading.scrollIntoView();
    heading.focus({ preventScroll: true });
  };
  return el(
    "article",
    { class: "episode" },
    el(
      "nav",
      { class: "place", "aria-label": "Episodes" },
      el("a", { href: place.back, class: "back" }, "← All episodes"),
      el("span", { class: "position" }, place.position ? `${count(place.position)} of ${count(place.total)}` : ""),
      step("← Previous", place.previous, "prev"),
      step("Next →", place.next, "next"),
    ),
    el("h1", { tabindex: -1, id: "episode-title" }, recorded(episode.title), " ", el("small", {}, recorded(episode.subtitle))),
    el("p", { class: "chips" }, episode.chips.map(chip)),
    el(
      "nav",
      { class: "jump", "aria-label": "Parts of this episode" },
      episode.sections.map(({ id, heading }) => el("a", { href: `#s-${id}`, onclick: jump(id) }, heading)),
    ),
    episode.sections.map((section) =>
      el(
        "section",
        { "aria-labelledby": `s-${section.id}`, class: `part ${section.id}` },
        el("h2", { id: `s-${section.id}`, tabindex: -1 }, section.heading),
        section.lead ? el("p", { class: "lead" }, recorded(section.lead)) : null,
        section.blocks.map(block),
      ),
    ),
  );
}
