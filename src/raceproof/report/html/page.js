// The frame of the page: header, views by address, keys.

const main = el("main", { id: "content" });
let stepper = null;

function missing(address) {
  return {
    nodes: [
      el("h1", { tabindex: "-1" }, "Not in this report"),
      el("p", {}, code(address), " leads nowhere. ", el("a", { href: "#overview" }, "To the overview")),
    ],
  };
}

function viewOf(address) {
  const [name, query] = address.slice(1).split("?");
  const [, kind, number] = /^(race|pair|incident)-(\d+)(?:\/step-\d+)?$/.exec(name) || [];
  if (kind === "incident") {
    const incident = data.incidents.find((entry) => entry.id === Number(number));
    return incident ? incidentView(incident) : missing(address);
  }
  if (kind) return pairsById.has(Number(number)) ? pairView(pairsById.get(Number(number))) : missing(address);
  if (name === "pairs") return { nodes: pairList(new URLSearchParams(query || "")) };
  if (name === "" || name === "overview" || name === "incidents") return { nodes: overview() };
  return missing(address);
}

function show(isFirst) {
  const view = viewOf(location.hash);
  main.replaceChildren(...view.nodes.filter(Boolean));
  stepper = view.stepper || null;
  const [, step] = /\/step-(\d+)$/.exec(location.hash) || [];
  if (stepper) stepper.goTo(step ? Number(step) - 1 : stepper.end);
  main.querySelectorAll(".code mark").forEach(reveal);
  const current = location.hash.split("?")[0] || "#overview";
  document.querySelectorAll(".top nav a").forEach((link) => {
    if (link.getAttribute("href") === current) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  });
  const target = location.hash === "#incidents" ? document.getElementById("h-other-findings") : null;
  if (target) target.scrollIntoView();
  else scrollTo(0, 0);
  if (!isFirst) main.querySelector("h1").focus({ preventScroll: true });
}

// Keys of the interleaving work anywhere in its view, except where they mean something else.
function onKey(event) {
  if (!stepper || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (event.target.closest("input, select, textarea, .scroll")) return;
  const target = { ArrowLeft: stepper.position - 1, ArrowRight: stepper.position + 1, Home: 0, End: stepper.end }[
    event.key
  ];
  if (target === undefined) return;
  event.preventDefault();
  stepper.goTo(target);
}

document.body.append(
  el(
    "a",
    {
      class: "skip",
      href: "#content",
      onclick: (event) => {
        event.preventDefault();
        main.querySelector("h1").focus();
      },
    },
    "Skip to the content",
  ),
  el(
    "div",
    { class: "top" },
    el("a", { class: "brand", href: "#overview" }, "raceproof"),
    el(
      "nav",
      { "aria-label": "Views" },
      el("a", { href: "#overview" }, "Overview"),
      el("a", { href: "#pairs" }, "Pairs"),
    ),
    themeButton(),
  ),
  main,
);
addEventListener("hashchange", () => show(false));
addEventListener("keydown", onKey);
show(true);
