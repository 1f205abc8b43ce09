// Elements. Whatever comes from the analysed program goes into the page as text, through here.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, properties, children) {
  for (const [name, value] of Object.entries(properties || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) node.append(child);
  }
  return node;
}

const el = (tag, properties, ...children) => fill(document.createElement(tag), properties, children);
const svg = (tag, properties, ...children) => fill(document.createElementNS(SVG, tag), properties, children);

const code = (text, properties) => el("code", properties, text);
const button = (label, onclick, properties) => el("button", { type: "button", onclick, ...properties }, label);

function count(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

function seconds(number) {
  return `${number < 10 ? number.toFixed(2) : Math.round(number).toLocaleString("en")} s`;
}

function choice(label, name, options, value) {
  return el(
    "label",
    {},
    el("span", {}, label),
    el(
      "select",
      { name },
      options.map(([key, text]) => el("option", { value: key, selected: key === (value || "") }, text)),
    ),
  );
}

// `The interleaving`, with what that is.
function heading(title) {
  const [, article, words] = /^(The )?(.*)$/.exec(title);
  return [article, term(words)];
}

function section(title, ...children) {
  const id = `h-${title.toLowerCase().replace(/[^a-z]+/g, "-")}`;
  return el("section", { "aria-labelledby": id }, el("h2", { id }, heading(title)), children);
}

// A long list, a portion at a time.
function portions(parent, items, size, build, noun) {
  let shown = 0;
  const more = button("", () => grow(true), { class: "more" });
  function grow(focus) {
    const nodes = items.slice(shown, shown + size).map(build);
    shown += nodes.length;
    parent.append(...nodes);
    more.textContent = `Show more: ${count(items.length - shown, noun)} left`;
    more.hidden = shown >= items.length;
    const target = focus && nodes.length ? nodes[0].querySelector("a, summary, button") : null;
    if (target) target.focus();
  }
  grow(false);
  return more;
}
