// The interleaving, step by step: who runs when, the source of both threads, locks and values.

const ROWS_AT_ONCE = 400;
const VALUES_SHOWN = 10;

// Locks and values after step `position`, from the steps up to it.
function stateAt(race, position) {
  const { steps } = race.trace;
  const held = new Map(),
    owners = new Map(),
    values = new Map();
  for (let i = 0; i <= position && i < steps.length; i++) {
    const step = steps[i];
    const before = held.get(step.thread) || [];
    for (const lock of before) if (!step.held.includes(lock)) owners.get(lock).delete(step.thread);
    for (const lock of step.held) {
      if (!owners.has(lock)) owners.set(lock, new Set());
      // Who takes a lock for itself shows that it was free: not every unlock is a step.
      if (!before.includes(lock) && !step.operation.includes("rdlock")) owners.get(lock).clear();
      owners.get(lock).add(step.thread);
    }
    held.set(step.thread, step.held);
    if (step.value)
      values.set(step.address, { value: step.operation === "free" ? "freed" : step.value, thread: step.thread, at: i });
  }
  return { owners, values };
}

class Stepper {
  constructor(race, address) {
    this.race = race;
    this.address = address;
    this.steps = race.trace.steps;
    this.end = this.steps.length;
    this.locks = [...new Set(this.steps.flatMap((step) => step.held))];
    this.switches = new Set(race.trace.switches.map(([at]) => at));
    this.window = null;
    this.build();
    this.position = this.end;
  }

  build() {
    const { race } = this;
    this.live = el("p", { class: "live", "aria-live": "polite", role: "status" });
    this.range = el("input", {
      type: "range",
      min: 0,
      max: this.end,
      step: 1,
      "aria-label": "Step of the interleaving",
      oninput: () => this.goTo(Number(this.range.value)),
    });
    this.first = button("First", () => this.goTo(0), { title: "Home" });
    this.back = button("← Back", () => this.goTo(this.position - 1), { title: "Left arrow" });
    this.next = button("Next →", () => this.goTo(this.position + 1), { title: "Right arrow" });
    this.last = button("Race", () => this.goTo(this.end), { title: "End" });
    this.panes = race.racers.map((thread) => this.pane(thread, threadName(race, thread)));
    this.other = this.steps.some((step) => !race.racers.includes(step.thread))
      ? this.pane(null, "Other threads")
      : null;
    this.list = el("div", { class: "steps", role: "listbox", tabindex: "0", "aria-label": "Steps" });
    this.lockTable = el("tbody");
    this.valueTable = el("tbody");
    const table = (caption, head, body) =>
      el(
        "table",
        { class: "state" },
        el("caption", {}, caption),
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            head.map((name) => el("th", { scope: "col" }, name)),
          ),
        ),
        body,
      );
    this.node = section(
      "The interleaving",
      this.strip(),
      el(
        "div",
        { class: "sticky" },
        el(
          "div",
          { class: "controls", role: "group", "aria-label": "Steps" },
          this.first,
          this.back,
          this.next,
          this.last,
          el(
            "span",
            { class: "quiet hint" },
            "Keys: ",
            ["←", "→", "Home", "End"].map((key) => [el("kbd", {}, key), " "]),
          ),
        ),
        this.live,
      ),
      el(
        "div",
        { class: "panes" },
        this.panes.map((pane) => pane.node),
        this.other && this.other.node,
      ),
      el(
        "div",
        { class: "beside" },
        this.list,
        el(
          "div",
          {},
          this.locks.length > 0 && table("Locks", ["Lock", "Held by"], this.lockTable),
          table("Values", ["Variable", "Value", "By"], this.valueTable),
        ),
      ),
    );
    this.node.classList.add("stepper");
    this.list.addEventListener("keydown", (event) => {
      const move = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (!move) return;
      event.preventDefault();
      this.goTo(this.position + move);
    });
  }

  pane(thread, label) {
    const pane = new Pane(`Source of ${label}`);
    const title = el("span", {}, thread === null ? el("span", { class: "chip" }, label) : chip(this.race, thread));
    const state = el("p", { class: "quiet" });
    const node = el(
      "div",
      { class: thread === null ? "pane other" : "pane" },
      el("div", { class: "pane-head" }, title, state),
      pane.body,
    );
    return { thread, pane, title, state, node };
  }

  // One track per thread: when it ran.
  strip() {
    const total = this.end + 1;
    const turns = [];
    this.steps.forEach((step, i) => {
      const turn = turns[turns.length - 1];
      if (turn && turn.thread === step.thread) turn.to = i + 1;
      else turns.push({ thread: step.thread, from: i, to: i + 1 });
    });
    const threads = [...new Set([...this.race.racers, ...turns.map((turn) => turn.thread)])]
      .sort((a, b) => a - b)
      .slice(0, 8);
    this.head = el("div", { class: "playhead" });
    const tracks = threads.map((thread, i) => {
      const pieces = turns
        .filter((turn) => turn.thread === thread)
        .map((turn) => svg("rect", { x: turn.from, y: 0, width: turn.to - turn.from, height: 1 }));
      this.race.racers.forEach((racer, which) => {
        if (racer === thread)
          pieces.push(
            svg("rect", {
              class: "race",
              x: Math.min(this.race.trace.drawing.racing[which], this.end),
              y: 0,
              width: 1,
              height: 1,
            }),
          );
      });
      const cells = [
        chip(this.race, thread, true),
        svg(
          "svg",
          {
            class: `track lane-${thread % 6}`,
            viewBox: `0 0 ${total} 1`,
            preserveAspectRatio: "none",
            "aria-hidden": "true",
          },
          pieces,
        ),
      ];
      for (const cell of cells) cell.style.gridRow = String(i + 1);
      return cells;
    });
    this.head.style.gridRow = `1 / span ${threads.length}`;
    const tracksBox = el("div", { class: "tracks" }, tracks.flat(), this.head, this.range);
    tracksBox.addEventListener("click", (event) => {
      const track = event.target.closest(".track");
      if (!track) return;
      const box = track.getBoundingClientRect();
      this.goTo(Math.floor(((event.clientX - box.left) / box.width) * total));
    });
    return tracksBox;
  }

  goTo(position) {
    this.position = Math.max(0, Math.min(this.end, position));
    this.range.value = String(this.position);
    this.range.setAttribute("aria-valuetext", this.sentence());
    this.head.style.left = `${(100 * (this.position + 0.5)) / (this.end + 1)}%`;
    for (const [control, stop] of [
      [this.first, 0],
      [this.back, 0],
      [this.next, this.end],
      [this.last, this.end],
    ]) {
      control.setAttribute("aria-disabled", String(this.position === stop));
    }
    this.live.replaceChildren(el("strong", {}, this.sentence()), " ", ...this.what());
    history.replaceState(null, "", this.addressOf(this.position));
    this.panes.forEach((pane, racer) => this.showPane(pane, (step) => step.thread === pane.thread, racer));
    if (this.other) this.showPane(this.other, (step) => !this.race.racers.includes(step.thread), null);
    this.showState();
    this.showList();
    this.markDot();
  }

  // Each step has an address, to send to others.
  addressOf(position) {
    return position === this.end ? this.address : `${this.address}/step-${position + 1}`;
  }

  // In the drawing of the order, which may be drawn anew.
  markDot() {
    document
      .querySelectorAll(".order .dot")
      .forEach((dot) => dot.classList.toggle("current", Number(dot.dataset.node) === this.position));
  }

  sentence() {
    return this.position === this.end ? "Race" : `Step ${this.position + 1} of ${this.end}`;
  }

  what() {
    const { race } = this;
    if (this.position === this.end) {
      const how = race.together
        ? "Both threads stand before their accesses"
        : "Both accesses have happened, and nothing orders them";
      return [`${how}.`];
    }
    const step = this.steps[this.position];
    return [
      chip(race, step.thread),
      " ",
      code(operationText(step)),
      " ",
      el("span", { class: "quiet" }, step.place >= 0 && [step.function, " ", placeNode(step.place)]),
    ];
  }

  showPane(pane, isOwn, racer) {
    const { race } = this;
    let at = Math.min(this.position, this.end - 1);
    while (at >= 0 && !isOwn(this.steps[at])) at--;
    const step = at >= 0 ? this.steps[at] : null;
    const access = racer === null ? null : data.accesses[race.accesses[racer]];
    const atRace = access && (this.position === this.end || this.position === race.trace.drawing.racing[racer]);
    if (pane.thread === null && step) pane.title.replaceChildren(chip(race, step.thread));
    const holds = step ? heldText(step.held) : "has not run yet";
    const stands = race.together ? `about to ${access && access.kind}` : access && kindOf(access);
    pane.state.textContent = atRace
      ? `${stands} ${race.trace.target}; ${step ? heldText(step.held) : "holds no lock"}`
      : holds;
    pane.node.classList.toggle("active", Boolean(atRace) || (step !== null && at === this.position));
    if (atRace) pane.pane.show(access.place, "race");
    else if (step) pane.pane.show(step.place, at === this.position ? "now" : "last");
    else pane.pane.show(access ? access.place : this.steps.find(isOwn).place, null);
  }

  showState() {
    const { race } = this;
    const { owners, values } = stateAt(race, this.position);
    const changed = (at) => (at === this.position ? "changed" : null);
    this.lockTable.replaceChildren(
      ...this.locks.map((lock) => {
        const holders = [...(owners.get(lock) || [])];
        return el(
          "tr",
          {},
          el("th", { scope: "row" }, code(lock)),
          el(
            "td",
            {},
            holders.length ? holders.map((thread) => chip(race, thread, true)) : el("span", { class: "quiet" }, "free"),
          ),
        );
      }),
    );
    const known = [...values].sort(
      (a, b) => (b[0] === race.trace.target) - (a[0] === race.trace.target) || b[1].at - a[1].at,
    );
    const rows = known
      .slice(0, VALUES_SHOWN)
      .map(([name, { value, thread, at }]) =>
        el(
          "tr",
          { class: changed(at) },
          el("th", { scope: "row" }, code(name)),
          el("td", {}, code(value)),
          el("td", {}, chip(race, thread, true)),
        ),
      );
    if (known.length > VALUES_SHOWN)
      rows.push(
        el(
          "tr",
          {},
          el("td", { colspan: 3, class: "quiet" }, `and ${count(known.length - VALUES_SHOWN, "more variable")}`),
        ),
      );
    if (!known.length) rows.push(el("tr", {}, el("td", { colspan: 3, class: "quiet" }, "No access has happened yet.")));
    this.valueTable.replaceChildren(...rows);
  }

  // All steps if they are few, else those around the current one.
  showList() {
    const isShown = this.window && this.position >= this.window.from && this.position <= this.window.to;
    if (!isShown) this.fillList();
    const selected = this.list.querySelector('[aria-selected="true"]');
    if (selected) selected.setAttribute("aria-selected", "false");
    const row = this.list.querySelector(`#step-${this.position}`);
    row.setAttribute("aria-selected", "true");
    this.list.setAttribute("aria-activedescendant", row.id);
    if (
      row.offsetTop < this.list.scrollTop ||
      row.offsetTop + row.offsetHeight > this.list.scrollTop + this.list.clientHeight
    ) {
      this.list.scrollTop = row.offsetTop - this.list.clientHeight / 2;
    }
  }

  fillList() {
    const from =
      this.end <= ROWS_AT_ONCE ? 0 : Math.max(0, Math.min(this.position - ROWS_AT_ONCE / 2, this.end - ROWS_AT_ONCE));
    const to = Math.min(this.end, from + ROWS_AT_ONCE);
    this.window = { from, to };
    const jump = (target, text) => el("div", { class: "jump", onclick: () => this.goTo(target) }, text);
    const rows = [];
    if (from > 0) rows.push(jump(from - 1, `${count(from, "earlier step")}`));
    for (let i = from; i <= to; i++) rows.push(this.row(i));
    if (to < this.end) rows.push(jump(to + 1, `${count(this.end - to, "later step")}`));
    this.list.replaceChildren(...rows);
  }

  row(i) {
    const step = this.steps[i];
    const properties = {
      id: `step-${i}`,
      role: "option",
      "aria-selected": "false",
      "aria-posinset": i + 1,
      "aria-setsize": this.end + 1,
      onclick: () => this.goTo(i),
    };
    if (!step)
      return el(
        "div",
        { ...properties, class: "step race" },
        el("span", { class: "no" }, "Race"),
        el(
          "span",
          { class: "what" },
          this.race.together ? "both stand before their accesses" : "nothing orders the two accesses",
        ),
      );
    const isRacing = this.race.trace.drawing.racing.includes(i);
    const isTurn = i > 0 && this.steps[i - 1].thread !== step.thread;
    return el(
      "div",
      { ...properties, class: `step lane-${step.thread % 6}${isTurn ? " turn" : ""}${isRacing ? " racing" : ""}` },
      el("a", { class: "no", href: this.addressOf(i), tabindex: -1, title: "Link to this step" }, `${step.thread}.${step.number}`),
      el(
        "span",
        { class: "what" },
        code(operationText(step)),
        this.switches.has(i) && el("span", { class: "mark" }, "switch"),
      ),
      el("span", { class: "quiet" }, step.place >= 0 && `line ${placeOf(step.place).line}`),
    );
  }
}
