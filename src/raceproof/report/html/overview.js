// The first view: the verdict and what it rests on.

const RACES_LISTED = 20;
const ROWS_LISTED = 20;

function tally() {
  const counts = { race: 0, unknown: 0, "race-free": 0, suppressed: 0, known: 0 };
  for (const pair of data.pairs) {
    counts[pair.verdict] += 1;
    counts.suppressed += pair.suppressed !== null;
    counts.known += pair.known;
  }
  return counts;
}

function headline(counts) {
  if (data.verdict === "race") {
    const racing = new Set(data.pairs.filter(isRace).map((pair) => pair.location));
    return `Data race at ${count(racing.size, "location")}`;
  }
  if (data.verdict === "race-free") return `Race-free ${SCOPES[data.scope] || ""}`.trim();
  if (data.isForThisInput) return "Unknown: no race with this input";
  return "Unknown: not everything could be decided";
}

// Other inputs may race: not a colour to feel safe with, and the input stands in the headline.
const isForThisInput = () => data.isForThisInput || (data.verdict === "race-free" && data.scope === "this-input");

function verdictBanner(counts) {
  return el(
    "header",
    { class: `banner ${isForThisInput() ? "unknown" : data.verdict}` },
    el("p", { class: "eyebrow" }, "Verdict"),
    el("h1", { tabindex: "-1" }, headline(counts)),
    isForThisInput() && data.input && el("p", { class: "input" }, data.input),
    data.reason && el("p", { class: "reason" }, data.reason),
    data.notes.map((note) => el("p", { class: "reason" }, note)),
    data.interrupted && el("p", { class: "reason" }, "The run was interrupted: this is what was known by then."),
    el(
      "dl",
      { class: "facts" },
      el("div", {}, el("dt", {}, data.files.length === 1 ? "File" : "Files"), el("dd", {}, fileNames())),
      el("div", {}, el("dt", {}, term("Scope")), el("dd", {}, SCOPES[data.scope] || scopeOfNothing())),
      data.arguments.length > 0 &&
        el("div", {}, el("dt", {}, "Arguments"), el("dd", {}, code(data.arguments.join(" ")))),
      data.input && !isForThisInput() && el("div", {}, el("dt", {}, term("Executed with")), el("dd", {}, data.input)),
      el("div", {}, el("dt", {}, "Time"), el("dd", {}, seconds(data.seconds))),
      el("div", {}, el("dt", {}, "raceproof"), el("dd", {}, data.version)),
    ),
  );
}

const scopeOfNothing = () => (data.verdict === "race" ? "executed and repeated" : "no proof for the whole program");

function fileNames() {
  const shown = data.files.slice(0, 4).map((file) => code(file));
  if (data.files.length > 4) shown.push(`and ${count(data.files.length - 4, "more file")}`);
  return shown.flatMap((name, i) => (i ? [" ", name] : [name]));
}

function tiles(counts) {
  const tile = (verdict) =>
    el(
      "a",
      { class: `tile ${verdict}`, href: `#pairs?verdict=${verdict}` },
      el("strong", {}, counts[verdict].toLocaleString("en")),
      el("span", {}, VERDICTS[verdict].label),
    );
  const marked = [
    counts.suppressed > 0 && count(counts.suppressed, "pair") + " suppressed",
    counts.known > 0 && count(counts.known, "pair") + " in the baseline",
  ].filter(Boolean);
  return el(
    "div",
    {},
    el(
      "nav",
      { class: "tiles", "aria-label": "Pairs of accesses by verdict" },
      Object.keys(VERDICTS).map(tile),
      data.incidents.length > 0 &&
        el(
          "a",
          { class: "tile", href: "#incidents" },
          el("strong", {}, String(data.incidents.length)),
          el("span", {}, "Other findings"),
        ),
    ),
    el(
      "p",
      { class: "quiet" },
      `${count(data.pairs.reduce((sum, pair) => sum + (pair.alike ?? 1), 0), "pair")} of accesses at ${count(data.locations.length, "location")}`,
      marked.length > 0 && `; ${marked.join(", ")}`,
      ".",
    ),
  );
}

// One entry for each location: its first race, with the number of the others.
function raceList() {
  const byLocation = new Map();
  for (const pair of data.pairs.filter(isRace)) {
    if (!byLocation.has(pair.location)) byLocation.set(pair.location, []);
    byLocation.get(pair.location).push(pair);
  }
  const locations = [...byLocation.values()];
  if (!locations.length) return null;
  const list = el("ul", { class: "cards" });
  const build = ([first, ...others]) => {
    const row = pairRow(first, false);
    if (others.length) {
      const address = `#pairs?location=${first.location}&verdict=race`;
      row.append(el("p", { class: "more-races" }, el("a", { href: address }, count(others.length, "more race"), " here")));
    }
    return row;
  };
  return section("Races", list, portions(list, locations, RACES_LISTED, build, "location"));
}

function engineBar(engine) {
  const parts = [
    ["race-free", engine.proved],
    ["race", engine.witnessed],
    ["unknown", engine.open],
  ];
  const total = parts.reduce((sum, [, n]) => sum + n, 0) || 1;
  const bar = el("div", {
    class: "bar",
    role: "img",
    "aria-label": `${engine.proved} proved, ${engine.witnessed} races, ${engine.open} open`,
  });
  for (const [verdict, number] of parts) {
    const piece = el("span", { class: verdict });
    piece.style.width = `${(100 * number) / total}%`;
    bar.append(piece);
  }
  return bar;
}

function engineCard(engine) {
  const stats = Object.entries(engine.stats);
  return el(
    "li",
    { class: "card engine" },
    el("div", { class: "row" }, el("h3", {}, explained(engine.name, ENGINES[engine.name])), el("span", { class: "quiet" }, seconds(engine.seconds))),
    engineBar(engine),
    el(
      "p",
      { class: "numbers" },
      el("span", { class: "race-free" }, `${engine.proved.toLocaleString("en")} proved`),
      el("span", { class: "race" }, `${engine.witnessed.toLocaleString("en")} witnessed`),
      el("span", { class: "unknown" }, `${engine.open.toLocaleString("en")} left open`),
    ),
    engine.stopped && el("p", {}, `Ended early: ${engine.stopped}`),
    engine.notes.map((note) => el("p", {}, note)),
    stats.length > 0 &&
      el(
        "details",
        {},
        el("summary", {}, "Statistics"),
        el(
          "dl",
          { class: "stats" },
          stats.map(([name, value]) =>
            el(
              "div",
              {},
              el("dt", {}, name.replace(/_/g, " ")),
              el(
                "dd",
                {},
                typeof value === "number" ? value.toLocaleString("en", { maximumFractionDigits: 3 }) : String(value),
              ),
            ),
          ),
        ),
      ),
  );
}

// Pairs by location, and by who decided them.
function locationTable() {
  const engines = [...new Set(data.pairs.map((pair) => pair.engine).filter(Boolean))];
  const rows = new Map();
  for (const pair of data.pairs) {
    if (!rows.has(pair.location))
      rows.set(pair.location, { location: pair.location, pairs: 0, race: 0, unknown: 0, proved: {} });
    const row = rows.get(pair.location);
    row.pairs += 1;
    if (pair.verdict === "race-free") row.proved[pair.engine] = (row.proved[pair.engine] || 0) + 1;
    else row[pair.verdict] += 1;
  }
  const sorted = [...rows.values()].sort((a, b) => b.race - a.race || b.unknown - a.unknown || b.pairs - a.pairs);
  const cell = (number, name, verdict) =>
    el("td", { class: number ? `number ${verdict}` : "number none", "data-name": name }, String(number || 0));
  const build = (row) =>
    el(
      "tr",
      {},
      el(
        "th",
        { scope: "row" },
        el("a", { href: `#pairs?location=${row.location}` }, code(data.locations[row.location])),
      ),
      cell(row.pairs, "pairs", ""),
      cell(row.race, "race", "race"),
      cell(row.unknown, "open", "unknown"),
      engines.map((engine) => cell(row.proved[engine], `proved by ${engine}`, "race-free")),
    );
  const body = el("tbody");
  const more = portions(body, sorted, ROWS_LISTED, build, "location");
  return [
    el(
      "div",
      { class: "table", tabindex: "0", role: "region", "aria-label": "Pairs by location and engine" },
      el(
        "table",
        {},
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            el("th", { scope: "col" }, "Location"),
            ["Pairs", "Race", "Open", ...engines.map((engine) => `Proved by ${engine}`)].map((name) =>
              el("th", { scope: "col", class: "number" }, name),
            ),
          ),
        ),
        body,
      ),
    ),
    more,
  ];
}

function incidentList() {
  return (
    data.incidents.length > 0 &&
    section(
      "Other findings",
      el("p", { class: "quiet" }, "They are no races and do not change the verdict."),
      el(
        "ul",
        { class: "cards" },
        data.incidents.map((incident) =>
          el(
            "li",
            { class: "card" },
            el(
              "a",
              { class: "cover", href: `#incident-${incident.id}` },
              el("span", { class: "mark" }, incident.kind),
              " ",
              incident.function && code(incident.function),
              " ",
              el("span", { class: "quiet" }, incident.place >= 0 && placeNode(incident.place)),
            ),
            incident.message && el("p", {}, incident.message),
          ),
        ),
      ),
    )
  );
}

function assumptionList() {
  if (!data.assumptions.length) return null;
  const list = el("ul", { class: "plain" });
  const more = portions(
    list,
    data.assumptions,
    10,
    (assumption) =>
      el(
        "li",
        {},
        assumption.text,
        assumption.place >= 0 && el("span", { class: "quiet" }, ` (${placeText(assumption.place)})`),
      ),
    "assumption",
  );
  return section("Assumptions", el("p", { class: "quiet" }, "The verdict takes these for granted."), list, more);
}

function overview() {
  const counts = tally();
  return [
    verdictBanner(counts),
    tiles(counts),
    raceList(),
    incidentList(),
    data.engines.length > 0 && section("Engines", el("ul", { class: "cards engines" }, data.engines.map(engineCard))),
    data.pairs.length > 0 && section("Locations", locationTable()),
    assumptionList(),
  ];
}
