// Light or dark: as the system has it, or as the reader chose.

const THEMES = { auto: "auto", light: "light", dark: "dark" };

function themeButton() {
  let theme = "auto";
  try {
    theme = localStorage.getItem("raceproof-theme") || "auto";
  } catch {
    /* no storage: it is forgotten */
  }
  const toggle = button(
    "",
    () => {
      const names = Object.keys(THEMES);
      apply(names[(names.indexOf(theme) + 1) % names.length]);
      try {
        localStorage.setItem("raceproof-theme", theme);
      } catch {
        /* as above */
      }
    },
    { class: "quiet-button" },
  );
  function apply(name) {
    theme = name in THEMES ? name : "auto";
    document.documentElement.dataset.theme = theme;
    toggle.textContent = `Colours: ${THEMES[theme]}`;
  }
  apply(theme);
  return toggle;
}
