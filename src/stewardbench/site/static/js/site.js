// Every page but the explorer: leaderboards, and figures whose definition or data is asked for by a link.
import { startBoards } from "./boards.js";
import { explain } from "./explain.js";

function openTarget() {
  const target = location.hash.includes("=") ? null : document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target?.tagName === "DETAILS") target.open = true;
}

/** Offer n and intervals in the data of every figure; asking for them opens the data. */
function offerExplanations() {
  for (const box of document.querySelectorAll("input[data-more]")) {
    const figure = document.getElementById(box.dataset.more);
    box.closest("label").hidden = !figure.querySelector("td.number[title]:not([title=''])");
    box.addEventListener("change", () => {
      explain(figure.querySelector(".data table"), box.checked);
      const data = figure.querySelector(".data").closest("details");
      if (data && box.checked) data.open = true;
    });
  }
}

startBoards();
offerExplanations();
openTarget();
addEventListener("hashchange", openTarget);
