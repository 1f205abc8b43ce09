// The page of a run over a corpus, from the score down to each program.

const programs = programTable();

function headline() {
  const { wrong, score, best } = current.tally;
  if (isComparison) return `${signed(data.comparison.score)} points: ${whole(score)} of ${whole(best)} now`;
  if (wrong) return `${count(wrong, "wrong verdict")}; score ${whole(score)} of ${whole(best)}`;
  return `Score ${whole(score)} of ${whole(best)}, nothing wrong`;
}

function tone() {
  const { wrong, unknown, error } = current.tally;
  return wrong ? "race" : unknown || error ? "unknown" : "race-free";
}

const fact = (name, text) => el("div", {}, el("dt", {}, name), el("dd", {}, text));

function comparisonNotes() {
  const { ratio, solved, onlyFirst, onlySecond, differences } = data.comparison;
  return [
    ratio !== null &&
      `${count(solved, "program")} answered rightly by both: the second run takes ${ratio.toFixed(2)} times as much ` +
        "CPU time, on average.",
    onlyFirst > 0 && `Only in the first run, not compared: ${count(onlyFirst, "program")}.`,
    onlySecond > 0 && `Only in the second run, not compared: ${count(onlySecond, "program")}.`,
    differences.length > 0 && `Different between the runs: ${differences.join("; ")}.`,
  ]
    .filter(Boolean)
    .map((text) => el("p", { class: "reason" }, text));
}

function banner() {
  const { tally, planned } = current;
  return el(
    "header",
    { class: `banner ${tone()}` },
    el("p", { class: "eyebrow" }, isComparison ? "Comparison of two runs" : "Run over a corpus"),
    el("h1", { tabindex: "-1" }, headline()),
    isComparison && comparisonNotes(),
    !isComparison &&
      tally.programs < planned &&
      el("p", { class: "reason" }, `Not finished: ${tally.programs} of ${planned} programs are done.`),
    el(
      "dl",
      { class: "facts" },
      fact("Corpus", code(data.title)),
      fact("Programs", whole(tally.programs)),
      fact("Time limit", seconds(current.timeLimit)),
      fact("At a time", whole(current.jobs)),
      fact("CPU time", seconds(tally.cpu)),
      fact("Engines", current.engines.join(", ")),
      fact("raceproof", current.version),
    ),
  );
}

function tiles() {
  const numbers = {};
  for (const program of data.programs) {
    const { outcome } = last(program.results);
    numbers[outcome] = (numbers[outcome] || 0) + 1;
  }
  const always = ["correct true", "correct false", "unknown"];
  return el(
    "div",
    { class: "tiles", role: "group", "aria-label": "Programs by answer" },
    Object.entries(OUTCOMES)
      .filter(([outcome]) => numbers[outcome] || always.includes(outcome))
      .map(([outcome, { label, tone }]) =>
        button(
          [el("strong", {}, whole(numbers[outcome] || 0)), el("span", {}, label)],
          () => programs.showOnly(outcome),
          { class: `tile ${tone}`, disabled: !numbers[outcome] },
        ),
      ),
  );
}

function wrongList() {
  const wrong = data.programs.filter((program) => last(program.results).outcome.startsWith("wrong"));
  return (
    wrong.length > 0 &&
    section(
      "Wrong",
      el(
        "ul",
        { class: "cards" },
        wrong.map((program) => {
          const result = last(program.results);
          return el(
            "li",
            { class: "card pair race" },
            el("div", { class: "row" }, el("b", {}, pathNode(program.name)), badge(result.outcome)),
            el("p", { class: "quiet" }, `${signed(result.points)} points`, result.report && `; ${result.report}`),
          );
        }),
      ),
    )
  );
}

function categoryTable() {
  const cells = (entry) => [
    FIELDS.map(([field, name, tone]) =>
      el("td", { class: `number ${entry[field] ? tone : "none"}`, "data-name": name }, whole(entry[field])),
    ),
    el("td", { class: "number", "data-name": "Score" }, `${whole(entry.score)} / ${whole(entry.best)}`),
    el("td", { class: "number", "data-name": "CPU" }, seconds(entry.cpu)),
    el("td", { class: "number", "data-name": "Wall" }, seconds(entry.wall)),
  ];
  const row = (name, entry) => el("tr", {}, el("th", { scope: "row" }, name), cells(entry));
  const rows = isComparison
    ? data.runs.map((run) => row(run.label, run.tally))
    : [
        ...data.categories.map((entry) => row(pathNode(entry.name), entry)),
        data.categories.length > 1 && row(el("b", {}, "all"), current.tally),
      ];
  const names = [...FIELDS.map(([, name]) => name), "Score", "CPU", "Wall"];
  return section(
    isComparison ? "Runs" : "Categories",
    el(
      "div",
      { class: "table", tabindex: "0", role: "region", "aria-label": "Score" },
      el(
        "table",
        {},
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            el("th", { scope: "col" }, isComparison ? "Run" : "Category"),
            names.map((name) => el("th", { scope: "col", class: "number" }, name)),
          ),
        ),
        el("tbody", {}, rows),
      ),
    ),
  );
}

document.body.append(
  el("div", { class: "top" }, el("span", { class: "brand" }, "raceproof bench"), el("nav"), themeButton()),
  el(
    "main",
    { id: "content" },
    banner(),
    tiles(),
    wrongList(),
    categoryTable(),
    current.curve.length > 0 && quantilePlot(),
    enginePlots(),
    programs.box,
  ),
);
