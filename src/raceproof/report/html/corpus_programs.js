// The table of all programs: to be sorted by any column, filtered, searched.

const ROWS_SHOWN = 200;

const resultColumns = (index, label) => [
  {
    name: `Answer${label}`,
    of: (p) => Object.keys(OUTCOMES).indexOf(p.results[index].outcome),
    cell: (p) => answer(p.results[index]),
  },
  number(`CPU s${label}`, (p) => p.results[index].cpu, 2),
];
const COLUMNS = [
  { name: "Program", isHead: true, of: (p) => p.name, cell: (p) => pathNode(p.name) },
  { name: "Truth", of: (p) => p.expected, cell: (p) => el("span", { class: "truth" }, p.expected) },
  ...(isComparison
    ? [
        ...resultColumns(0, " before"),
        ...resultColumns(1, ""),
        { name: "Change", of: (p) => changeRank(p.change), cell: (p) => p.change && changeMark(p.change) },
      ]
    : [
        ...resultColumns(0, ""),
        number("Wall s", (p) => p.results[0].wall, 2),
        number("Pairs", (p) => p.results[0].pairs, 0),
        { name: "Decided by", of: (p) => p.results[0].by.join(" ") || "~", cell: (p) => p.results[0].by.join(", ") },
      ]),
];

function number(name, of, digits) {
  const text = (value) => value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return { name, isNumber: true, of, cell: (p) => text(of(p)) };
}

// The worst first, and what has not changed last.
const changeRank = (change) => (change ? data.comparison.kinds.indexOf(change) : data.comparison.kinds.length);
const changeMark = (change) => el("span", { class: `mark ${changeRank(change) === 0 ? "race" : ""}` }, change);

function answer(result) {
  const more = [SCOPES[result.scope], result.outcome.startsWith("correct") ? "" : result.detail, result.report];
  const notes = more.filter(Boolean).map((text) => el("div", { class: "quiet" }, text));
  return el("div", { class: "answer" }, badge(result.outcome), notes);
}

const haystack = (p) =>
  [p.name, p.expected, p.change, ...p.results.flatMap((r) => [r.outcome, r.detail, ...r.by])].join("\n").toLowerCase();

function isWanted(program, wanted) {
  return (
    (!wanted.outcome || last(program.results).outcome === wanted.outcome) &&
    (!wanted.category || program.category === wanted.category) &&
    (!wanted.engine || last(program.results).by.includes(wanted.engine)) &&
    (!wanted.change || (wanted.change === "any" ? program.change : program.change === wanted.change)) &&
    wanted.words.every((word) => haystack(program).includes(word))
  );
}

function programRow(program) {
  return el(
    "tr",
    {},
    COLUMNS.map((column) =>
      el(
        column.isHead ? "th" : "td",
        { scope: column.isHead && "row", class: column.isNumber && "number", "data-name": column.name },
        column.cell(program),
      ),
    ),
  );
}

function filterForm() {
  const known = (values) => [["", "all"], ...[...new Set(values)].sort().map((value) => [value, value])];
  const outcomes = new Set(data.programs.map((p) => last(p.results).outcome));
  const changes = new Set(data.programs.map((p) => p.change));
  const kinds = isComparison ? data.comparison.kinds.filter((kind) => changes.has(kind)) : [];
  const categories = known(data.programs.map((p) => p.category));
  return el(
    "form",
    { class: "filters", role: "search", "aria-label": "Filter the programs" },
    choice("Answer", "outcome", [
      ["", "all"],
      ...Object.entries(OUTCOMES)
        .filter(([outcome]) => outcomes.has(outcome))
        .map(([outcome, entry]) => [outcome, entry.badge]),
    ]),
    categories.length > 2 && choice("Category", "category", categories),
    isComparison
      ? choice("Change", "change", [["", "all"], ["any", "any change"], ...kinds.map((kind) => [kind, kind])])
      : choice("Engine", "engine", known(data.programs.flatMap((p) => last(p.results).by))),
    el(
      "label",
      { class: "search" },
      el("span", {}, "Search"),
      el("input", { type: "search", name: "q", placeholder: "program, reason, engine", autocomplete: "off" }),
    ),
  );
}

function programTable() {
  const form = filterForm();
  const status = el("p", { class: "quiet", role: "status" });
  const place = el("div");
  const order = { column: isComparison ? last(COLUMNS) : COLUMNS[0], sign: 1 };
  const compared = (a, b) => {
    const [one, other] = [order.column.of(a), order.column.of(b)];
    const sign = typeof one === "number" ? one - other : one < other ? -1 : one > other ? 1 : 0;
    return order.sign * sign || (a.name < b.name ? -1 : 1);
  };

  function sortBy(column) {
    order.sign = order.column === column ? -order.sign : column.isNumber ? -1 : 1;
    order.column = column;
    update();
    [...place.querySelectorAll("thead button")][COLUMNS.indexOf(column)].focus();
  }
  function head(column) {
    const isOrder = column === order.column;
    return el(
      "th",
      {
        scope: "col",
        class: column.isNumber && "number",
        "aria-sort": isOrder && (order.sign > 0 ? "ascending" : "descending"),
      },
      button(column.name + (isOrder ? (order.sign > 0 ? " ▲" : " ▼") : ""), () => sortBy(column), { class: "link" }),
    );
  }
  function update() {
    const chosen = Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== ""));
    const wanted = { ...chosen, words: (chosen.q || "").toLowerCase().split(/\s+/).filter(Boolean) };
    const found = data.programs.filter((program) => isWanted(program, wanted)).sort(compared);
    status.textContent =
      found.length === data.programs.length
        ? `All ${count(found.length, "program")}`
        : `${whole(found.length)} of ${count(data.programs.length, "program")}`;
    const body = el("tbody");
    const more = portions(body, found, ROWS_SHOWN, programRow, "program");
    place.replaceChildren(
      el(
        "div",
        { class: "table programs", tabindex: "0", role: "region", "aria-label": "Programs" },
        el("table", {}, el("thead", {}, el("tr", {}, COLUMNS.map(head))), body),
      ),
      more,
    );
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
  const box = section("Programs", form, status, place);
  return {
    box,
    showOnly(outcome) {
      form.reset();
      form.elements.outcome.value = outcome;
      update();
      box.scrollIntoView();
      form.elements.outcome.focus({ preventScroll: true });
    },
  };
}
