// The data of a run over a corpus, or of two, and how its parts are called.

const data = JSON.parse(document.getElementById("data").textContent);

const OUTCOMES = {
  "correct true": { label: "Proved, rightly", badge: "proved", tone: "race-free" },
  "correct false": { label: "Races found, rightly", badge: "race found", tone: "found" },
  unknown: { label: "Unknown", badge: "unknown", tone: "unknown" },
  "wrong true": { label: "Proved, but racy", badge: "WRONG: proved, but racy", tone: "race" },
  "wrong false": { label: "Race reported, but race-free", badge: "WRONG: race reported, but race-free", tone: "race" },
  error: { label: "Errors", badge: "error", tone: "failed" },
};
const SCOPES = {
  "any-threads": "for all inputs and any number of threads",
  "all-inputs": "for all inputs",
  "this-input": "for the given input",
};
const FIELDS = [
  ["programs", "Programs", ""],
  ["correct_true", "Proved", "race-free"],
  ["correct_false", "Races", "found"],
  ["unknown", "Unknown", "unknown"],
  ["wrong", "Wrong", "race"],
  ["error", "Error", "failed"],
];

const last = (items) => items[items.length - 1];
const current = last(data.runs);
const isComparison = data.comparison !== null;
const signed = (number) => (number > 0 ? `+${number}` : String(number).replace("-", "−"));
const whole = (number) => number.toLocaleString("en").replace("-", "−");
const badge = (outcome) => el("span", { class: `badge ${OUTCOMES[outcome].tone}` }, OUTCOMES[outcome].badge);

// A path may be broken after each of its folders.
function pathNode(text) {
  return el("span", { class: "place" }, text.split("/").flatMap((part, i) => (i ? ["/", el("wbr"), part] : [part])));
}
