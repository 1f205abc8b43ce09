// Why the two accesses are not ordered: threads as lanes from top to bottom, steps as dots, edges where one orders another.

const ROW = 30;
const TOP = 34;
const LETTER = 6.7; // width of a letter of the labels

const shortOperation = (step) =>
  [step.operation.replace(/^pthread_/, "").replace(/^mutex_/, ""), step.address].filter(Boolean).join(" ");

// Nodes from the number of steps on are the accesses that the run ends before.
function nodeThread(race, node) {
  const { steps } = race.trace;
  return node < steps.length ? steps[node].thread : race.racers[node - steps.length];
}

function nodeLabel(race, node) {
  const { steps, drawing } = race.trace;
  const racer = drawing.racing.indexOf(node);
  if (racer >= 0) return `${kindOf(data.accesses[race.accesses[racer]])} ${race.trace.target}`;
  return shortOperation(steps[node]);
}

// Rows of nodes, with a number where steps are left out; accesses that are still to come share the last row.
function drawingRows(race) {
  const { drawing, steps } = race.trace;
  const rows = [];
  let last = -1;
  for (const node of drawing.rows.filter((n) => n < steps.length)) {
    if (node > last + 1) rows.push({ left: node - last - 1 });
    rows.push({ nodes: [node] });
    last = node;
  }
  if (steps.length > last + 1) rows.push({ left: steps.length - last - 1 });
  const open = drawing.racing.filter((n) => n >= steps.length);
  if (open.length) rows.push({ nodes: open });
  return rows;
}

function arrow(kind) {
  return svg(
    "marker",
    {
      id: `arrow-${kind}`,
      viewBox: "0 0 8 8",
      refX: 7,
      refY: 4,
      markerWidth: 7,
      markerHeight: 7,
      orient: "auto-start-reverse",
    },
    svg("path", { d: "M0 0 8 4 0 8z", class: `head ${kind}` }),
  );
}

function drawOrder(race, width, goTo) {
  const { drawing } = race.trace;
  const lane = Math.max(120, Math.min(420, (width - 24) / drawing.lanes.length));
  const x = (thread) => 20 + drawing.lanes.indexOf(thread) * lane;
  const rows = drawingRows(race);
  const points = new Map();
  rows.forEach((row, i) =>
    (row.nodes || []).forEach((node) => points.set(node, { x: x(nodeThread(race, node)), y: TOP + 20 + i * ROW })),
  );
  const height = TOP + rows.length * ROW + 34;
  const full = Math.max(lane * drawing.lanes.length + 16, 200);
  const letters = Math.floor((lane - 34) / LETTER);
  const cut = (text) => (text.length > letters ? `${text.slice(0, letters - 1)}…` : text);

  const lanes = drawing.lanes.map((thread) =>
    svg(
      "g",
      { class: `lane-${thread % 6}` },
      svg("line", { class: "lane", x1: x(thread), x2: x(thread), y1: TOP, y2: height - 8 }),
      svg(
        "text",
        { class: "lane-name", x: x(thread) - 6, y: 18 },
        svg("title", {}, threadName(race, thread)),
        cut(threadName(race, thread)),
      ),
    ),
  );
  const gaps = rows.map(
    (row, i) =>
      row.left && svg("text", { class: "gap", x: 34, y: TOP + 24 + i * ROW }, `⋯ ${count(row.left, "step")} not drawn`),
  );
  const edges = drawing.edges.map(([from, to, kind, label]) => {
    const a = points.get(from),
      b = points.get(to);
    const bend = (b.x - a.x) / 2;
    return svg(
      "path",
      {
        class: `edge ${kind}`,
        d: `M${a.x} ${a.y}C${a.x + bend} ${a.y} ${b.x - bend} ${b.y} ${b.x - Math.sign(bend) * 7} ${b.y}`,
        "marker-end": `url(#arrow-${kind})`,
      },
      svg("title", {}, `${kind}: ${label}`),
    );
  });
  const dots = [...points].map(([node, point]) => dot(race, node, point, cut, goTo));
  return svg(
    "svg",
    {
      class: "order",
      width: full,
      height,
      viewBox: `0 0 ${full} ${height}`,
      role: "img",
      "aria-label": orderText(race),
    },
    svg("defs", {}, ["create", "lock", "semaphore", "barrier", "signal"].map(arrow)),
    lanes,
    gaps,
    edges,
    unordered(race, points),
    dots,
  );
}

function dot(race, node, point, cut, goTo) {
  const isRacing = race.trace.drawing.racing.includes(node);
  const label = nodeLabel(race, node);
  const steps = race.trace.steps;
  return svg(
    "g",
    {
      class: `dot lane-${nodeThread(race, node) % 6}${isRacing ? " racing" : ""}`,
      "data-node": node,
      onclick: () => goTo(Math.min(node, steps.length)),
    },
    svg("circle", { cx: point.x, cy: point.y, r: isRacing ? 7 : 4.5 }),
    svg("text", { x: point.x + 13, y: point.y + 4 }, svg("title", {}, label), cut(label)),
  );
}

// The line between the two accesses that nothing orders.
function unordered(race, points) {
  const [a, b] = race.trace.drawing.racing.map((node) => points.get(node));
  if (!a || !b) return null;
  const low = Math.max(a.y, b.y) + 24; // below the labels
  return svg(
    "g",
    { class: "unordered" },
    svg("path", {
      d: `M${a.x} ${a.y}C${a.x} ${low} ${a.x} ${low} ${(a.x + b.x) / 2} ${low}S${b.x} ${low} ${b.x} ${b.y}`,
    }),
    svg("text", { x: (a.x + b.x) / 2, y: low + 4, "text-anchor": "middle" }, "not ordered"),
  );
}

function orderText(race) {
  const edges = race.trace.drawing.edges.map(
    ([from, to, kind, label]) =>
      `${kind} ${label}, from ${threadName(race, nodeThread(race, from))} to ${threadName(race, nodeThread(race, to))}`,
  );
  return `Order of the steps. ${edges.length ? `Edges: ${edges.join("; ")}.` : "No edges between threads."} Nothing orders the two accesses.`;
}

const LEGEND = {
  create: "creates the thread",
  lock: "lock handed over",
  semaphore: "semaphore",
  barrier: "barrier",
  signal: "signal: wakes, does not order",
};

function orderSection(race, goTo, onDrawn) {
  const box = el("div", {
    class: "scroll",
    tabindex: "0",
    role: "region",
    "aria-label": "Drawing of the order of the steps",
  });
  const kinds = [...new Set(race.trace.drawing.edges.map(([, , kind]) => kind))];
  let width = 0;
  const observer = new ResizeObserver(() => {
    if (Math.abs(box.clientWidth - width) < 8) return;
    width = box.clientWidth;
    box.replaceChildren(drawOrder(race, width, goTo));
    onDrawn();
  });
  observer.observe(box);
  return section(
    "Why nothing orders them",
    el(
      "p",
      { class: "quiet" },
      "Time runs downwards along the lanes; an arrow orders a step of one thread before a step of another. " +
        "No path of lanes and arrows leads from one access to the other.",
    ),
    box,
    el(
      "p",
      { class: "legend" },
      kinds.map((kind) => el("span", { class: `key ${kind}` }, LEGEND[kind])),
      el("span", { class: "key unordered" }, "the race"),
    ),
  );
}
