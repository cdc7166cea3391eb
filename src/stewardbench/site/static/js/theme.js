// Light, dark, or as the system says. The choice is kept where the browser allows it.

const NEXT = { auto: "light", light: "dark", dark: "auto" };

function stored() {
  try {
    return localStorage.getItem("stewardbench-theme") || "auto";
  } catch {
    return "auto";
  }
}

function apply(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

apply(stored());
addEventListener("DOMContentLoaded", () => {
  const button = document.querySelector("#theme");
  if (!button) return;
  let theme = stored();
  const show = () => {
    button.querySelector("span").textContent = theme;
    button.setAttribute("aria-label", `Theme: ${theme}. Change to ${NEXT[theme]}.`);
  };
  button.hidden = false;
  show();
  button.addEventListener("click", () => {
    theme = NEXT[theme];
    apply(theme);
    show();
    try {
      localStorage.setItem("stewardbench-theme", theme);
    } catch {
      // a browser that keeps nothing still changes the theme of this page
    }
  });
});
