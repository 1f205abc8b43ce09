// One pair: a race with its run, a proof with its evidence, an open pair with what is known. And other findings.

const SWITCHES_SHOWN = 12;
const TURNS_SHOWN = 60;

function accessCard(access, title) {
  return el(
    "div",
    { class: "card access" },
    title,
    el("p", {}, el("b", {}, kindOf(access)), " in ", code(access.function)),
    el("p", { class: "quiet" }, placeNode(access.place, true)),
    el(
      "p",
      {},
      access.held.length ? ["holding ", access.held.map((lock, i) => [i ? ", " : "", code(lock)])] : "holding no lock",
    ),
    access.calls.length > 0 && el("p", { class: "quiet" }, "called from ", access.calls.map(placeText).join(", ")),
    access.note && el("p", { class: "quiet" }, access.note),
  );
}

function pairHead(pair) {
  return el(
    "header",
    { class: "head" },
    el(
      "p",
      { class: "eyebrow" },
      el("a", { href: "#overview" }, "Overview"),
      " / ",
      el("a", { href: `#pairs?location=${pair.location}` }, "this location"),
      ` / pair ${pair.id}`,
    ),
    el("h1", { tabindex: "-1" }, code(locationOf(pair))),
    el(
      "p",
      { class: "tags" },
      badge(pair.verdict),
      pair.scope && el("span", {}, SCOPES[pair.scope]),
      marks(pair),
      pair.engine &&
        el(
          "span",
          { class: "quiet" },
          pair.verdict === "unknown" ? `last looked at by ${pair.engine}` : `by ${pair.engine}`,
        ),
    ),
    pair.suppressed !== null && el("p", {}, `Suppressed: ${pair.suppressed}`),
    pair.known && el("p", {}, "Known: it is in the baseline."),
    pair.fingerprint && el("p", { class: "quiet" }, term("Fingerprint"), " ", code(pair.fingerprint)),
  );
}

function switchSection(race, goTo) {
  const { switches, steps } = race.trace;
  const list = el("ol", { class: "plain switches" });
  const before = (node) => {
    if (node < steps.length)
      return [code(operationText(steps[node])), steps[node].place >= 0 && ` (${placeText(steps[node].place)})`];
    const access = data.accesses[race.accesses[node - steps.length]];
    return [el("b", {}, `its ${kindOf(access)}`), ` (${placeText(access.place)})`];
  };
  const build = ([at, stopped, goesOn, node]) =>
    el(
      "li",
      {},
      button(`Step ${at + 1}`, () => goTo(at), { class: "link" }),
      ": ",
      chip(race, stopped),
      " is stopped before ",
      before(node),
      "; ",
      chip(race, goesOn),
      " runs.",
    );
  // The last ones lead to the race.
  const more = portions(list, [...switches].reverse(), SWITCHES_SHOWN, build, "earlier one");
  return section(
    "Switches that matter",
    el(
      "p",
      { class: "quiet" },
      switches.length
        ? "Where a thread is stopped that could have gone on; the last one first."
        : "No thread had to be stopped: each ran as far as it could.",
    ),
    list,
    more,
  );
}

function threadSection(race) {
  const shown = race.threads.slice(0, 100);
  const row = (thread) => {
    const racer = race.racers.indexOf(thread.id);
    const access = racer >= 0 ? data.accesses[race.accesses[racer]] : null;
    return el(
      "tr",
      {},
      el("th", { scope: "row" }, chip(race, thread.id)),
      el(
        "td",
        { "data-name": "created" },
        thread.id === 0
          ? "at the start"
          : [thread.created >= 0 ? [placeNode(thread.created), ", "] : "", "by ", chip(race, thread.parent, true)],
      ),
      el(
        "td",
        { "data-name": "at the race" },
        access ? [kindOf(access), " in ", code(access.function), " ", placeNode(access.place)] : "–",
      ),
      el(
        "td",
        { "data-name": "called from" },
        access && access.calls.length ? access.calls.map((call) => el("div", {}, placeNode(call))) : "–",
      ),
      el(
        "td",
        { "data-name": "locks held" },
        access ? (access.held.length ? access.held.map((lock) => el("div", {}, code(lock))) : "none") : "–",
      ),
    );
  };
  return section(
    "Threads",
    el(
      "div",
      { class: "table", tabindex: "0", role: "region", "aria-label": "Threads" },
      el(
        "table",
        {},
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            ["Thread", "Created", "At the race", "Called from", "Locks held"].map((name) =>
              el("th", { scope: "col" }, name),
            ),
          ),
        ),
        el("tbody", {}, shown.map(row)),
      ),
    ),
    race.threads.length > shown.length &&
      el("p", { class: "quiet" }, `and ${count(race.threads.length - shown.length, "more thread")}`),
  );
}

function turnList(run) {
  if (!run.turns.length) return el("p", { class: "quiet" }, "It shows as the program starts: no turns are needed.");
  const list = el("ol", { class: "turns" });
  const more = portions(
    list,
    run.turns,
    TURNS_SHOWN,
    ([thread, until]) => el("li", {}, chip(run, thread, true), ` to step ${until}`),
    "turn",
  );
  return [list, more];
}

function inputList(run) {
  const place = (i) => run.inputPlaces[i] ?? -1;
  return el(
    "ol",
    { class: "plain inputs" },
    run.inputs
      .slice(0, 100)
      .map((value, i) => el("li", {}, code(String(value)), place(i) >= 0 && [" taken ", placeNode(place(i))])),
  );
}

function commandRow(command) {
  const shown = code(command, { class: "command" });
  const copy = button("Copy", async () => {
    try {
      await navigator.clipboard.writeText(command);
      copy.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(shown); // no clipboard here: one keystroke away
    }
  });
  return el("div", { class: "row command-row" }, shown, copy);
}

// What could be done, and the patch where one was made and has passed its check.
function fixSection(pair) {
  if (!pair.fix) return null;
  const { repair } = pair;
  return section(
    "How to repair it",
    el("p", {}, `${pair.fix[0].toUpperCase()}${pair.fix.slice(1)}.`),
    repair
      ? [
          el(
            "p",
            {},
            el("b", {}, repair.title),
            `: checked, ${repair.isProved ? "proved race-free then" : "the race is gone, not all of the location is proved"}.`,
            repair.together.length > 0 && ` Together with: ${repair.together.join("; ")}.`,
          ),
          el(
            "pre",
            { class: "patch", tabindex: "0", role: "region", "aria-label": "Patch" },
            repair.patch.split("\n").map((line) => el("span", { class: patchClass(line) }, `${line}\n`)),
          ),
        ]
      : [
          el("p", {}, "A patch that is tried on a copy, compiled and checked:"),
          commandRow(`raceproof fix ${data.report} --race ${pair.id}`),
        ],
  );
}

function patchClass(line) {
  if (line.startsWith("+++") || line.startsWith("---")) return "file";
  return { "+": "added", "-": "removed", "@": "file" }[line[0]] || null;
}

function replaySection(run, option) {
  return section(
    "Run it again",
    data.check && [el("p", {}, "Write the report with the runs:"), commandRow(data.check)],
    data.check ? el("p", {}, "Then repeat this one, step by step:") : el("p", {}, "Step by step, from ", code(data.report), ":"),
    commandRow(`raceproof replay ${data.report} ${option}`),
    run.inputs.length > 0 && [el("p", {}, "The inputs that it was given, in this order:"), inputList(run)],
    run.trace &&
      el(
        "p",
        { class: "quiet" },
        `${count(run.trace.steps.length, "step")}, `,
        term("trace"),
        " ",
        code(run.trace.digest),
        run.trace.repeated ? "" : ". This run did not show again what was reported.",
      ),
    el(
      "details",
      { open: !run.trace },
      el("summary", {}, `Schedule: ${count(run.turns.length, "turn")}`),
      turnList(run),
    ),
  );
}

function excerpts(accesses) {
  return el(
    "div",
    { class: "panes" },
    accesses.map((access) =>
      el(
        "div",
        { class: "pane" },
        el(
          "div",
          { class: "pane-head" },
          el("span", {}, el("b", {}, kindOf(access)), " in ", code(access.function)),
          el("p", { class: "quiet" }, `${access.thread}; ${heldText(access.held)}`),
          el(
            "p",
            { class: "quiet" },
            placeNode(access.place, true),
            access.calls.length > 0 && `, called from ${access.calls.map(placeText).join(", ")}`,
          ),
          access.note && el("p", { class: "quiet" }, access.note),
        ),
        excerpt(access.place, 8, `Source of the ${access.kind} in ${access.function}`),
      ),
    ),
  );
}

function raceView(pair) {
  const { race } = pair;
  const accesses = accessesOf(pair);
  const how = race.together
    ? "both threads stood before their accesses"
    : "one access came after the other, and nothing orders the two";
  const cards = el(
    "div",
    { class: "panes" },
    accesses.map((access, i) => accessCard(access, chip(race, race.racers[i]))),
  );
  const intro = [pairHead(pair), el("p", {}, `Executed and repeated: ${how}.`), cards];
  const rest = [threadSection(race), replaySection(race, `--race ${pair.id}`)];
  const fix = fixSection(pair);
  if (!race.trace) return { nodes: [...intro, fix, section("Source", excerpts(accesses)), ...rest] };
  const stepper = new Stepper(race, addressOf(pair));
  const goTo = (position) => {
    stepper.goTo(position);
    stepper.node.scrollIntoView({ block: "start" });
  };
  const ended = race.trace.ended.map((text) => el("p", {}, `The run ended with: ${text}`));
  return {
    nodes: [
      ...intro,
      fix,
      stepper.node,
      ...ended,
      orderSection(race, goTo, () => stepper.markDot()),
      switchSection(race, goTo),
      ...rest,
    ],
    stepper,
  };
}

function pairView(pair) {
  if (isRace(pair)) return raceView(pair);
  const isProof = pair.verdict === "race-free";
  const explain = (text) => RULES[text.split(" ")[0]];
  const evidence = el(
    "ul",
    { class: "plain" },
    pair.evidence.map((text) =>
      el(
        "li",
        {},
        isProof ? evidenceText(text) : text,
        isProof && explain(text) && el("span", { class: "quiet" }, ` – ${explain(text)}`),
      ),
    ),
  );
  return {
    nodes: [
      pairHead(pair),
      section(
        isProof ? "Why there is no race" : "What is known",
        pair.evidence.length ? evidence : el("p", { class: "quiet" }, "Nothing."),
      ),
      !isProof &&
        section(
          "What would help",
          el(
            "ul",
            { class: "plain" },
            pair.advice.map((text) => el("li", {}, text)),
          ),
        ),
      section("Source", excerpts(accessesOf(pair))),
    ],
  };
}

function incidentView(incident) {
  return {
    nodes: [
      el(
        "header",
        { class: "head" },
        el("p", { class: "eyebrow" }, el("a", { href: "#overview" }, "Overview"), ` / other finding ${incident.id}`),
        el("h1", { tabindex: "-1" }, incident.kind),
        incident.message && el("p", {}, incident.message),
        el(
          "p",
          { class: "quiet" },
          "By ",
          chip(incident, incident.thread),
          incident.function && [" in ", code(incident.function)],
          `, ${placeText(incident.place)}. It is no race and does not change the verdict.`,
        ),
      ),
      section("Source", el("div", { class: "pane" }, excerpt(incident.place, 8, "Source"))),
      threadTable(incident),
      replaySection(incident, `--other ${incident.id}`),
    ],
  };
}

function threadTable(run) {
  return section(
    "Threads",
    el(
      "ul",
      { class: "plain" },
      run.threads
        .slice(0, 100)
        .map((thread) =>
          el(
            "li",
            {},
            chip(run, thread.id),
            thread.id !== 0 &&
              el(
                "span",
                { class: "quiet" },
                ` created at ${placeText(thread.created)} by ${threadName(run, thread.parent)}`,
              ),
          ),
        ),
    ),
  );
}
