// The words of the page that a newcomer may not know, each with its meaning, shown on hover.

const TERMS = {
  "data race": "Two accesses of different threads to the same bytes, one of them a write, not both atomic, and nothing orders them. Undefined behaviour in C.",
  "not decided": "No engine has proved it, and no execution has raced on it. It may be a race.",
  "race-free": "Proved: no execution that the scope covers has a race here.",
  scope: "How far the answer reaches: for all inputs, for the given input only, or up to a bound.",
  "executed with": "What the program was given when it was run. With other inputs it may behave otherwise.",
  fingerprint: "Names the pair by what it touches and where, not by line numbers: it stays when lines move.",
  interleaving: "The order in which the steps of the threads were executed, one after the other.",
  "switches that matter": "Places where a thread is stopped that could have gone on. A race needs them; it would not show without.",
  schedule: "Which thread runs up to which of its steps: enough to repeat the run exactly.",
  trace: "The steps of one execution. The number is a hash of them: the same run has the same number.",
  "order": "What happens before what: creation and joining of threads, locks, conditions, atomics.",
  assumptions: "What the answer takes for granted.",
  engines: "Methods that look at pairs one after the other: static proofs first, then execution.",
  locations: "Variables, fields and blocks of memory that threads share.",
  pairs: "Two accesses that may touch the same bytes in different threads. Each is proved, shown to race, or open.",
};

const ENGINES = {
  lockset: "Proves what locks, order and ownership decide, for all inputs.",
  shapes: "Proves who owns the objects that threads take out of lists and put into them.",
  petri: "Proves for any number of threads what follows from locks, creation and joining.",
  transactions: "Proves what values decide: flags, counters, states.",
  bmc: "A solver looks for inputs and a schedule, or proves that there are none up to a bound.",
  explore: "Runs the program under every schedule that matters.",
};

const explained = (text, meaning) => (meaning ? el("abbr", { title: meaning }, text) : text);
const term = (text) => explained(text, TERMS[text.toLowerCase()]);
