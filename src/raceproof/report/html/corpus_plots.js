// Score over time, and what each engine is worth.

const WIDTH = 760;
const HEIGHT = 340;
const MARGIN = { left: 62, right: 18, top: 16, bottom: 46 };
const LEAST = 0.01; // seconds; a logarithm needs a beginning

function niceStep(span, parts) {
  const raw = Math.max(span / parts, 1);
  const power = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].map((n) => n * power).find((step) => step >= raw);
}

function scales() {
  const points = data.runs.flatMap((run) => run.curve);
  const scores = points.map(([score]) => score);
  const low = Math.min(0, ...data.runs.map((run) => run.start));
  const high = Math.max(low + 1, ...scores, current.tally.best);
  const times = points.map(([, time]) => Math.max(time, LEAST));
  const bottom = 10 ** Math.floor(Math.log10(Math.min(...times, 1)));
  const top = 10 ** Math.ceil(Math.log10(Math.max(...times, ...data.runs.map((run) => run.timeLimit))));
  const x = (score) => MARGIN.left + ((score - low) / (high - low)) * (WIDTH - MARGIN.left - MARGIN.right);
  const part = (time) => Math.log10(Math.max(time, LEAST) / bottom) / Math.log10(top / bottom);
  const y = (time) => HEIGHT - MARGIN.bottom - part(time) * (HEIGHT - MARGIN.top - MARGIN.bottom);
  return { x, y, low, high, bottom, top };
}

function axes({ x, y, low, high, bottom, top }) {
  const nodes = [];
  const left = MARGIN.left;
  const right = WIDTH - MARGIN.right;
  const step = niceStep(high - low, 8);
  for (let score = Math.ceil(low / step) * step; score <= high; score += step) {
    nodes.push(svg("line", { class: "grid", x1: x(score), x2: x(score), y1: MARGIN.top, y2: HEIGHT - MARGIN.bottom }));
    nodes.push(svg("text", { x: x(score), y: HEIGHT - MARGIN.bottom + 18, "text-anchor": "middle" }, whole(score)));
  }
  const parts = top / bottom > 1000 ? [1] : [1, 2, 5];
  for (let i = 0; bottom * 10 ** Math.floor(i / parts.length) <= top * 1.001; i += 1) {
    const time = bottom * 10 ** Math.floor(i / parts.length) * parts[i % parts.length];
    if (time > top * 1.001) break;
    nodes.push(svg("line", { class: "grid", x1: left, x2: right, y1: y(time), y2: y(time) }));
    const label = `${Number(time.toPrecision(1)).toLocaleString("en")} s`;
    nodes.push(svg("text", { x: left - 8, y: y(time) + 4, "text-anchor": "end" }, label));
  }
  const limit = y(current.timeLimit);
  const best = x(current.tally.best);
  nodes.push(svg("line", { class: "limit", x1: left, x2: right, y1: limit, y2: limit }));
  nodes.push(svg("text", { x: left + 6, y: limit - 5 }, "time limit"));
  nodes.push(svg("line", { class: "limit", x1: best, x2: best, y1: MARGIN.top, y2: HEIGHT - MARGIN.bottom }));
  nodes.push(svg("text", { x: (left + right) / 2, y: HEIGHT - 6, "text-anchor": "middle" }, "accumulated score"));
  return nodes;
}

function curve(run, index, scale) {
  const points = run.curve.map(([score, time]) => [scale.x(score), scale.y(time)]);
  const path = points.map(([px, py], i) => `${i ? `V${py}` : `M${scale.x(run.start)},${py}`}H${px}`).join("");
  const told = ([score, time]) => `${score} points within ${seconds(time)}`;
  return svg(
    "g",
    { class: `curve run-${index}` },
    svg("path", { d: path }),
    points.map(([px, py], i) => svg("circle", { cx: px, cy: py, r: 3 }, svg("title", {}, told(run.curve[i])))),
  );
}

const runKeys = () =>
  isComparison &&
  el(
    "p",
    { class: "legend" },
    data.runs.map((run, i) => el("span", { class: `key run-${i}` }, `${run.label}: ${run.tally.score} points`)),
  );

function quantilePlot() {
  const told = (run) =>
    `${run.label || "the run"} reaches ${run.tally.score} of ${run.tally.best} points with ` +
    count(run.curve.length, "program");
  const about = `Score over time: ${data.runs.map(told).join("; ")}.`;
  const scale = scales();
  return section(
    "Score over time",
    el(
      "p",
      { class: "quiet" },
      "Programs answered rightly, the quickest first: how many points are reached if none may take more CPU time " +
        "than that. Wrong answers count from the beginning. The dashed line to the right is the best possible score.",
    ),
    el(
      "div",
      { class: "scroll" },
      svg(
        "svg",
        { class: "plot", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": about },
        axes(scale),
        data.runs.map((run, i) => curve(run, i, scale)),
      ),
    ),
    runKeys(),
  );
}

// One bar for each engine and run, in two parts.
function engineBars(title, note, parts) {
  const names = [...new Set(data.runs.flatMap((run) => run.byEngine.map((entry) => entry.engine)))];
  const value = (run, name) => run.byEngine.find((entry) => entry.engine === name);
  const sum = (entry) => (entry ? parts.reduce((total, [field]) => total + entry[field], 0) : 0);
  const most = Math.max(1, ...data.runs.flatMap((run) => run.byEngine.map(sum)));
  const bar = (run, name) => {
    const entry = value(run, name);
    const told = entry ? parts.map(([field, word]) => `${whole(entry[field])} ${word}`).join(", ") : "did not run";
    const box = el("div", { class: "bar", role: "img", "aria-label": `${name} ${run.label}: ${told}`, title: told });
    for (const [field, , tone] of parts) {
      const piece = el("span", { class: tone });
      piece.style.width = `${entry ? (100 * entry[field]) / most : 0}%`;
      box.append(piece);
    }
    return [box, el("span", { class: "number" }, entry ? whole(sum(entry)) : "–")];
  };
  return el(
    "div",
    { class: "card" },
    el("h3", {}, title),
    el("p", { class: "quiet" }, note),
    el(
      "div",
      { class: "bars" },
      names.flatMap((name) =>
        data.runs.flatMap((run, i) => [el("span", { class: "bar-name" }, i ? "" : name), bar(run, name)]),
      ),
    ),
    el(
      "p",
      { class: "legend" },
      parts.map(([, word, tone]) => el("span", { class: `swatch ${tone}` }, word)),
    ),
  );
}

function enginePlots() {
  return section(
    "Engines",
    isComparison && el("p", { class: "quiet" }, "The upper bar of each engine is the first run, the lower the second."),
    el(
      "div",
      { class: "charts" },
      engineBars("Programs", "Answered rightly, by the engines that the verdict rests on.", [
        ["alone", "alone", "race-free"],
        ["together", "with others", "shared"],
      ]),
      engineBars("Pairs of accesses", "In all programs, by the engine that decided them.", [
        ["proved", "proved", "race-free"],
        ["witnessed", "races", "found"],
      ]),
    ),
  );
}
