// All pairs by location, with filters and search. Groups are filled when they are opened: there may be thousands.

const GROUPS_SHOWN = 60;
const PAIRS_SHOWN = 50;
const haystacks = new Map();

function haystack(pair) {
  if (!haystacks.has(pair.id)) {
    const accesses = accessesOf(pair).flatMap((a) => [a.function, placeText(a.place), a.thread, kindOf(a), ...a.held]);
    const words = [
      `pair ${pair.id}`,
      locationOf(pair),
      pair.verdict,
      pair.engine,
      pair.fingerprint,
      pair.suppressed,
      ...pair.evidence,
      ...accesses,
    ];
    haystacks.set(pair.id, words.filter(Boolean).join("\n").toLowerCase());
  }
  return haystacks.get(pair.id);
}

function isWanted(pair, wanted) {
  return (
    (!wanted.verdict || pair.verdict === wanted.verdict) &&
    (!wanted.engine || pair.engine === wanted.engine) &&
    (!wanted.location || pair.location === Number(wanted.location)) &&
    wanted.words.every((word) => haystack(pair).includes(word))
  );
}

const accessBrief = (access) => [
  el("b", {}, kindOf(access)),
  " in ",
  code(access.function),
  " ",
  el("span", { class: "quiet" }, placeNode(access.place)),
];

// `common-lock m`, but `owned: an element of its own`.
function evidenceText(text) {
  const [rule, ...rest] = text.split(" ");
  return rest.length > 1 && rule in RULES ? `${rule}: ${rest.join(" ")}` : text;
}

function pairRow(pair, isInGroup) {
  const [first, second] = accessesOf(pair);
  const why = pair.race
    ? pair.race.together
      ? "executed: both threads stood before their accesses"
      : "executed: nothing ordered the two accesses"
    : pair.evidence.map(evidenceText).join("; ");
  return el(
    "li",
    { class: `card pair ${pair.verdict}` },
    el(
      "div",
      { class: "row" },
      el("a", { class: "cover", href: addressOf(pair) }, isInGroup ? `pair ${pair.id}` : code(locationOf(pair))),
      el(
        "span",
        { class: "tags" },
        badge(pair.verdict),
        marks(pair),
        el("span", { class: "quiet" }, !isInGroup && `pair ${pair.id}, `, pair.engine),
      ),
    ),
    el("p", { class: "sides" }, el("span", {}, accessBrief(first)), el("span", {}, accessBrief(second))),
    !isInGroup && pair.fix && el("p", { class: "fix" }, el("b", {}, "Fix: "), pair.fix),
    why && el("p", { class: "quiet why" }, why),
  );
}

function groupSummary(location, pairs) {
  const verdicts = Object.keys(VERDICTS).map((verdict) => [
    verdict,
    pairs.filter((pair) => pair.verdict === verdict).length,
  ]);
  return el(
    "summary",
    {},
    code(data.locations[location]),
    el(
      "span",
      { class: "tags" },
      verdicts
        .filter(([, n]) => n)
        .map(([verdict, n]) =>
          el(
            "span",
            { class: `badge ${verdict}` },
            verdict === "race" ? count(n, "race") : `${n.toLocaleString("en")} ${VERDICTS[verdict].word}`,
          ),
        ),
    ),
  );
}

function group([location, pairs], open) {
  const box = el("details", { class: "group" }, groupSummary(location, pairs));
  let isFilled = false;
  function fillIn() {
    if (isFilled || !box.open) return;
    isFilled = true;
    const list = el("ul", { class: "cards" });
    box.append(
      proofSummary(pairs),
      list,
      portions(list, pairs, PAIRS_SHOWN, (pair) => pairRow(pair, true), "pair"),
    );
  }
  box.addEventListener("toggle", fillIn);
  box.open = open;
  fillIn();
  return box;
}

// Why the proved pairs of a location are race-free, most frequent reason first.
function proofSummary(pairs) {
  const reasons = new Map();
  for (const pair of pairs.filter((p) => p.verdict === "race-free")) {
    for (const text of pair.evidence) reasons.set(text, (reasons.get(text) || 0) + 1);
  }
  const sorted = [...reasons].sort((a, b) => b[1] - a[1]).slice(0, 5);
  return sorted.length > 0 && pairs.length > 1
    ? el(
        "p",
        { class: "quiet why" },
        "Proved by ",
        sorted.map(([text, n]) => `${evidenceText(text)} (${n})`).join("; "),
      )
    : "";
}

function pairList(query) {
  const engines = [...new Set(data.pairs.map((pair) => pair.engine).filter(Boolean))];
  const form = el(
    "form",
    { class: "filters", role: "search", "aria-label": "Filter the pairs" },
    choice(
      "Verdict",
      "verdict",
      [["", "all"], ...Object.entries(VERDICTS).map(([key, v]) => [key, v.badge])],
      query.get("verdict"),
    ),
    choice("Engine", "engine", [["", "all"], ...engines.map((engine) => [engine, engine])], query.get("engine")),
    choice(
      "Location",
      "location",
      [["", "all"], ...data.locations.map((name, i) => [String(i), name])],
      query.get("location"),
    ),
    el(
      "label",
      { class: "search" },
      el("span", {}, "Search"),
      el("input", {
        type: "search",
        name: "q",
        value: query.get("q") || "",
        placeholder: "function, file, lock, thread, reason",
        autocomplete: "off",
      }),
    ),
  );
  const status = el("p", { class: "quiet", role: "status" });
  const list = el("div", { class: "groups" });

  function update() {
    const chosen = Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== ""));
    const wanted = { ...chosen, words: (chosen.q || "").toLowerCase().split(/\s+/).filter(Boolean) };
    const found = data.pairs.filter((pair) => isWanted(pair, wanted));
    const groups = new Map();
    for (const pair of found) {
      if (!groups.has(pair.location)) groups.set(pair.location, []);
      groups.get(pair.location).push(pair);
    }
    status.textContent =
      found.length === data.pairs.length
        ? `All ${count(found.length, "pair")} at ${count(groups.size, "location")}`
        : `${found.length.toLocaleString("en")} of ${count(data.pairs.length, "pair")}, at ${count(groups.size, "location")}`;
    const few = groups.size <= 3;
    const body = el("div");
    const more = portions(
      body,
      [...groups],
      GROUPS_SHOWN,
      (entry) => group(entry, few || entry[1].some(isRace)),
      "location",
    );
    list.replaceChildren(body, more);
    const search = new URLSearchParams(chosen).toString();
    history.replaceState(null, "", search ? `#pairs?${search}` : "#pairs");
  }
  let timer = 0;
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(update, 120);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    update();
  });
  update();
  return [el("h1", { tabindex: "-1" }, "Pairs of accesses"), form, status, list];
}
