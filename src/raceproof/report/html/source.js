// Source text: excerpts around a place, and panes that follow a thread.

const TOKEN = /\/\*.*?(?:\*\/|$)|\/\/.*|"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|[A-Za-z_]\w*|\d[\w.]*|\s+|./gsu;
const KEYWORDS = new Set(
  (
    "_Atomic _Bool _Thread_local auto bool break case char const continue default do double else enum extern float for " +
    "goto if inline int long register restrict return short signed sizeof static struct switch typedef union unsigned " +
    "void volatile while size_t"
  ).split(" "),
);

function tokenClass(text) {
  if (text.startsWith("/*") || text.startsWith("//")) return "comment";
  if (text[0] === '"' || text[0] === "'") return "string";
  if (KEYWORDS.has(text)) return "keyword";
  return null;
}

// The tokens of a line; `open` says whether it begins, then whether it ends, inside a comment.
function tokens(text, open) {
  const found = [];
  let rest = text;
  if (open) {
    const end = text.indexOf("*/");
    const length = end < 0 ? text.length : end + 2;
    found.push(["comment", text.slice(0, length)]);
    rest = text.slice(length);
    if (end < 0) return { found, open: true };
  }
  for (const [token] of rest.matchAll(TOKEN)) found.push([tokenClass(token), token]);
  const [kind, last] = found[found.length - 1] || [null, ""];
  return { found, open: kind === "comment" && last.startsWith("/*") && !(last.length >= 4 && last.endsWith("*/")) };
}

function lineText(found, column) {
  let at = 0;
  return found.map(([kind, token]) => {
    const isTarget = column >= at && column < at + token.length && token.trim() !== "";
    at += token.length;
    if (isTarget) return el("mark", {}, token);
    return kind ? el("span", { class: kind }, token) : token;
  });
}

function blockOf(place) {
  const { blocks } = data.sources[place.file];
  return blocks.find(([first, lines]) => place.line >= first && place.line < first + lines.length) || null;
}

// Lines `from` to `to` of a block as elements, by line number.
function codeLines(block, from, to, target) {
  const [first, texts] = block;
  const lines = new Map();
  let open = false;
  texts.forEach((text, i) => {
    const parsed = tokens(text, open);
    open = parsed.open;
    const number = first + i;
    if (number < from || number > to) return;
    const column = target && target.line === number ? target.column : -1;
    const shown = el("span", { class: "text" }, lineText(parsed.found, column));
    const line = el("div", { class: "line" }, el("span", { class: "no", "aria-hidden": "true" }, String(number)), shown);
    line.tokens = parsed.found;
    lines.set(number, line);
  });
  return lines;
}

// A word that is marked far to the right is brought into its pane; the page does not move.
function reveal(mark) {
  const box = mark.closest(".code");
  const shown = box.getBoundingClientRect();
  const { left, right } = mark.getBoundingClientRect();
  if (left < shown.left || right > shown.right) box.scrollLeft += left - shown.left - shown.width / 3;
}

const noSource = (place) =>
  el("p", { class: "quiet" }, place ? `The source of ${place.name} is not available.` : "No line is known.");

// A few lines around a place, with the line of the place marked.
function excerpt(number, around, label) {
  const place = placeOf(number);
  const block = place && blockOf(place);
  if (!block) return el("div", { class: "code" }, noSource(place));
  const lines = codeLines(block, place.line - around, place.line + around, place);
  if (lines.has(place.line)) lines.get(place.line).classList.add("now");
  return el(
    "div",
    { class: "code", tabindex: "0", role: "region", "aria-label": label },
    el("div", { class: "lines" }, [...lines.values()]),
  );
}

// A pane shows one place at a time and keeps its lines while the place moves among them.
class Pane {
  constructor(label) {
    this.body = el("div", { class: "code pane-code", tabindex: "0", role: "region", "aria-label": label });
    this.lines = new Map();
    this.block = null;
    this.marked = null;
  }

  show(number, mark) {
    if (this.marked) {
      this.marked.classList.remove("now", "last", "race");
      this.underline(this.marked, -1);
    }
    this.marked = null;
    const place = placeOf(number);
    const block = place && blockOf(place);
    if (!block) {
      this.block = null;
      this.body.replaceChildren(noSource(place));
      return;
    }
    if (block !== this.block) {
      this.block = block;
      this.lines = codeLines(block, 1, Infinity, null);
      this.body.replaceChildren(el("div", { class: "lines" }, [...this.lines.values()]));
    }
    const line = this.lines.get(place.line);
    if (mark) {
      line.classList.add(mark);
      this.marked = line;
      if (mark !== "last") this.underline(line, place.column);
    }
    // Scroll the pane, not the page.
    this.body.scrollTop = line.offsetTop - (this.body.clientHeight - line.offsetHeight) / 2;
    const word = line.querySelector("mark");
    this.body.scrollLeft = 0;
    if (word) reveal(word);
  }

  underline(line, column) {
    line.querySelector(".text").replaceChildren(...lineText(line.tokens, column));
  }
}
