// The data of the report, and how its parts are called.

const data = JSON.parse(document.getElementById("data").textContent);

const VERDICTS = {
  race: { label: "Races", badge: "data race" },
  unknown: { word: "open", label: "Open", badge: "not decided" },
  "race-free": { word: "proved", label: "Proved", badge: "race-free" },
};
const SCOPES = {
  "any-threads": "for all inputs and any number of threads",
  "all-inputs": "for all inputs",
  "this-input": "for the given input only",
  bounded: "up to the bounds of the search",
};
const RULES = {
  "common-lock": "Both hold this lock whenever they touch the same bytes.",
  ordered: "One always happens before the other.",
  owned: "Only one thread can reach it at that time.",
  "not-shared": "No two threads share it.",
  "both-atomic": "Both accesses are atomic.",
  disjoint: "The two never touch the same bytes.",
  region: "The two are in different structures, or hold the lock of the one that both are in.",
  explored: "The program was executed under every schedule that matters, for this input.",
  unwinding: "Both threads never stand before their accesses, as a solver says of the whole program.",
};

const pairsById = new Map(data.pairs.map((pair) => [pair.id, pair]));
const isRace = (pair) => pair.verdict === "race";
const addressOf = (pair) => `#${isRace(pair) ? "race" : "pair"}-${pair.id}`;
const locationOf = (pair) => data.locations[pair.location];
const accessesOf = (pair) => (pair.race ? pair.race.accesses : pair.accesses).map((number) => data.accesses[number]);

function placeOf(number) {
  if (number < 0) return null;
  const [file, line, column] = data.places[number];
  return { file, name: data.sources[file].name, line, column };
}

// Files by their last name, where that says which one is meant.
const baseName = (name) => name.slice(name.lastIndexOf("/") + 1);
const shortNames = data.sources.map(({ name }) =>
  data.sources.some((other) => other.name !== name && baseName(other.name) === baseName(name)) ? name : baseName(name),
);

function placeText(number) {
  const place = placeOf(number);
  return place ? `${shortNames[place.file]}:${place.line}` : "code without a line";
}

function placeNode(number, isFull) {
  const place = placeOf(number);
  const text = place && isFull ? `${place.name}:${place.line}` : placeText(number);
  const parts = text.split("/").flatMap((part, i) => (i ? ["/", el("wbr"), part] : [part]));
  return el("span", { class: "place", title: place && `${place.name}:${place.line}` }, parts);
}

const kindOf = (access) => `${access.atomic ? "atomic " : ""}${access.kind}`;
const heldText = (held) => (held.length ? `holds ${held.join(", ")}` : "holds no lock");

function threadName(run, id) {
  const thread = run.threads.find((t) => t.id === id);
  if (id === 0) return "main thread";
  return thread ? `thread ${id} ${thread.function}` : `thread ${id}`;
}

function chip(run, id, brief) {
  const text = brief ? (id === 0 ? "main" : `thread ${id}`) : threadName(run, id);
  return el("span", { class: `chip lane-${id % 6}` }, text);
}

const badge = (verdict) =>
  el("span", { class: `badge ${verdict}`, title: TERMS[VERDICTS[verdict].badge] }, VERDICTS[verdict].badge);

// What the user has said about a pair is a mark beside the verdict, never a reason to hide it.
function marks(pair) {
  return [
    pair.suppressed !== null && el("span", { class: "mark", title: pair.suppressed }, "suppressed"),
    pair.known && el("span", { class: "mark", title: "It is in the baseline." }, "in the baseline"),
  ];
}

function operationText(step) {
  const value = step.value && step.operation !== "free" ? ` = ${step.value}` : "";
  return [step.operation, step.address].filter(Boolean).join(" ") + value;
}
