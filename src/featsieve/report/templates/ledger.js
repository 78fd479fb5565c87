"use strict";
// The ledger: sorted, searched and filtered here, and only the rows in sight are built.
// Foreign text is set as text, never as HTML.

const data = JSON.parse(document.getElementById("data").textContent);
const ledger = data.ledger;
const FIELDS = ["verdict", "kept", "kind", "stage", "score", "low", "high", "p", "probe", "missing", "levels", "note",
  "where", "aloneScore", "aloneP", "rank", "rankP", "contextScore", "contextP", "partners", "displacedBy", "interchangeable"];
const at = Object.fromEntries(FIELDS.map((field, k) => [field, k]));
const value = (number, field) => ledger.rows[number][at[field]] ?? null;
const words = (number, field) => {
  const index = value(number, field);
  return index === null ? "" : ledger.texts[index];
};

function make(tag, attributes = {}, ...children) {
  const element = tag === "svg" || tag === "rect" || tag === "line"
    ? document.createElementNS("http://www.w3.org/2000/svg", tag)
    : document.createElement(tag);
  for (const [name, content] of Object.entries(attributes)) element.setAttribute(name, content);
  element.append(...children);
  return element;
}

// The same words as format_number, format_p_value and format_share of _pages.py.
const NOTHING = "–";
function formatNumber(x) {
  if (x === null) return NOTHING;
  if (x === 0) return "0";
  const sign = x < 0 ? "\u2212" : "", size = Math.abs(x);
  if (size < 0.0001) return sign + size.toExponential(1).replace("e-", "e\u2212");
  if (size < 0.001) return sign + String(Number(size.toPrecision(2)));
  if (size >= 999.5) return sign + Math.round(size).toLocaleString("en-US");
  return sign + size.toPrecision(3);
}
const formatP = (p) => p === null ? NOTHING : p < 0.001 ? "< 0.001" : p.toFixed(3);
function formatShare(share) {
  if (share === null) return NOTHING;
  return share > 0 && share < 0.001 ? "< 0.1 %" : (100 * share).toFixed(1).replace(/\.0$/, "") + " %";
}
const formatCount = (n) => n.toLocaleString("en-US");

function place(score) {
  const share = (score - ledger.low) / (ledger.high - ledger.low);
  return Math.round(10000 * Math.min(Math.max(share, 0), 1)) / 100;
}

function scoreBar(number) {
  const [score, low, high, probe] = ["score", "low", "high", "probe"].map((field) => value(number, field));
  const bar = make("svg", { class: "bar", "aria-hidden": "true" });
  bar.style.setProperty("--mark", `var(--${ledger.colours[value(number, "verdict")]})`);
  if (score === null) return bar;
  const zero = place(0), end = place(score);
  bar.append(
    make("rect", { class: "track", width: "100%", y: 7, height: 6, rx: 3 }),
    make("rect", { class: "fill", x: `${Math.min(zero, end)}%`, y: 7, width: `${Math.round(100 * Math.abs(end - zero)) / 100}%`, height: 6, rx: 3 }));
  if (low !== null && high !== null)
    bar.append(make("line", { class: "interval", x1: `${place(low)}%`, x2: `${place(high)}%`, y1: 10, y2: 10 }));
  if (probe !== null)
    bar.append(make("line", { class: "tick", x1: `${place(probe)}%`, x2: `${place(probe)}%`, y1: 3, y2: 17 }));
  return bar;
}

function featureName(reference) {
  const known = typeof reference === "number";
  const name = known ? ledger.names[reference] : reference;
  return make(known ? "button" : "span",
    { class: "name", title: name, ...(known && { type: "button", "data-feature": reference }) },
    make("bdi", {}, name));
}

function verdictMark(number) {
  const verdict = value(number, "verdict");
  return make("span", { class: "verdict" },
    make("i", { class: `dot ${ledger.colours[verdict]}`, "aria-hidden": "true" }), ledger.verdicts[verdict]);
}

function kindOf(number) {
  const kind = value(number, "kind"), levels = value(number, "levels");
  return kind === null ? "" : ledger.kinds[kind] + (levels === null ? "" : `, ${formatCount(levels)} levels`);
}

// The same words as Ledger._why.
const MOST_NAMED = 3;
function whyOf(number) {
  const displaced = value(number, "displacedBy"), others = displaced ?? value(number, "partners");
  const note = words(number, "note");
  if (others === null) return note;
  const names = others.slice(0, MOST_NAMED).map((other) => typeof other === "number" ? ledger.names[other] : other);
  if (others.length > MOST_NAMED) names.push("…");
  if (note.includes(names[0])) return note;
  return `${displaced === null ? "with" : "beside"} ${names.join(", ")}: ${note}`;
}

function ledgerRow(number) {
  const why = whyOf(number);
  const verdict = make("td", { class: "verdict-column" }, verdictMark(number));
  if (value(number, "kept")) verdict.append(make("small", {}, "kept"));
  return make("tr", {},
    make("td", { class: "rank" }, String(number + 1)),
    make("th", { scope: "row", class: "feature" }, featureName(number), make("small", {}, kindOf(number))),
    verdict,
    make("td", { class: "score" }, scoreBar(number), make("span", { class: "figure" }, formatNumber(value(number, "score")))),
    make("td", { class: "p figure" }, formatP(value(number, "p"))),
    make("td", { class: "missing figure" }, formatShare(value(number, "missing"))),
    make("td", { class: "why" }, make("span", { title: why }, why)));
}

// What is shown, and in which order.
const ALL_AT_ONCE = 300;      // so many rows are simply there, and the browser can find in them
const PRINTED = 1000;
const ROW = 58, MARGIN = 12;  // pixels, as in page.css, when only rows in sight are built; and rows beyond them
const view = { search: "", filter: "", sort: "rank", down: false, order: [], printing: false };
const table = document.getElementById("ledger-table");
const scroller = document.getElementById("scroller");
const body = table?.tBodies[0];
const built = new Map();
const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
let nameRanks = null;  // by the alphabet, worked out when first asked for
function nameRank(number) {
  if (!nameRanks) {
    nameRanks = [];
    const byName = [...ledger.names.keys()].sort((a, b) => collator.compare(ledger.names[a], ledger.names[b]));
    byName.forEach((feature, rank) => { nameRanks[feature] = rank; });
  }
  return nameRanks[number];
}
const sortKeys = {
  rank: (number) => number,
  name: nameRank,
  verdict: (number) => value(number, "verdict"),
  score: (number) => value(number, "score"),
  p: (number) => value(number, "p"),
  missing: (number) => value(number, "missing"),
};
let haystacks = null;

function haystack(number) {
  haystacks ??= ledger.rows.map((_, k) => {
    const others = [...(value(k, "partners") ?? []), ...(value(k, "displacedBy") ?? [])];
    const names = others.map((other) => typeof other === "number" ? ledger.names[other] : other);
    return [ledger.names[k], words(k, "note"), words(k, "where"), ...names].join("\n").toLowerCase();
  });
  return haystacks[number];
}

function matches(number) {
  if (view.filter === "kept" && !value(number, "kept")) return false;
  if (view.filter && view.filter !== "kept" && ledger.verdicts[value(number, "verdict")] !== view.filter) return false;
  return view.search.split(/\s+/).every((word) => !word || haystack(number).includes(word));
}

function compare(a, b) {
  const sign = view.down ? -1 : 1;
  const x = sortKeys[view.sort](a), y = sortKeys[view.sort](b);
  if (x === null || y === null) return (x === null) - (y === null) || a - b;  // unknown ones last, either way
  return sign * (x - y) || a - b;
}

function rowAt(position) {
  const number = view.order[position];
  if (!built.has(number)) built.set(number, ledgerRow(number));
  const row = built.get(number);
  row.setAttribute("aria-rowindex", position + 2);
  return row;
}

function spacer(rows) {
  return make("tr", { class: "spacer", "aria-hidden": "true" }, make("td", { style: `height: ${rows * ROW}px` }));
}

// No wider than the narrowest screen has columns: more would make new ones.
function sentence(text) {
  return make("tr", {}, make("td", { colspan: 3, class: "sentence" }, text));
}

let drawn = [-1, -1];  // the positions of rows that stand in the table
function draw(force = false, top = Math.floor(scroller.scrollTop / ROW)) {
  const total = view.order.length;
  const virtual = total > ALL_AT_ONCE && !view.printing;
  let first = 0, last = view.printing ? Math.min(total, PRINTED) : total;
  if (virtual) {
    const fits = Math.ceil(scroller.clientHeight / ROW);
    first = Math.max(0, top - MARGIN);
    last = Math.min(total, top + fits + MARGIN);
    const [from, to] = drawn;
    const covered = from <= Math.max(0, top - 2) && to >= Math.min(total, top + fits + 2);
    if (!force && covered) return;
  }
  drawn = [first, last];
  const focused = document.activeElement?.closest?.("#ledger-table tbody [data-feature]");
  table.classList.toggle("virtual", virtual);
  table.setAttribute("aria-rowcount", total + 1);
  const rows = [];
  for (let position = first; position < last; position++) rows.push(rowAt(position));
  if (first > 0) rows.unshift(spacer(first));
  if (last < total && virtual) rows.push(spacer(total - last));
  if (total === 0) rows.push(sentence("No feature matches."));
  if (last < total && view.printing) rows.push(sentence(`The first ${formatCount(last)} of ${formatCount(total)} are printed.`));
  body.replaceChildren(...rows);
  if (focused?.isConnected) focused.focus({ preventScroll: true });
}

// The next Tab needs the next row to be there, and may come before the table has scrolled.
function drawAround(row) {
  const position = Number(row.getAttribute("aria-rowindex")) - 2, [from, to] = drawn;
  const atTop = from > 0 && position - from < 2, atEnd = to < view.order.length && to - position < 3;
  if (atTop || atEnd) draw(true, position);
}

function update() {
  const numbers = ledger.rows.keys();
  view.order = [...numbers].filter(matches).sort(compare);
  scroller.scrollTop = 0;
  draw(true);
  const total = ledger.rows.length, shown = view.order.length;
  document.getElementById("shown").textContent =
    shown === total ? `All ${formatCount(total)} features.` : `${formatCount(shown)} of ${formatCount(total)} features match.`;
  for (const button of document.querySelectorAll("[data-filter]"))
    button.setAttribute("aria-pressed", String(button.dataset.filter === view.filter));
  for (const head of table.querySelectorAll("th[data-sort]")) {
    if (head.dataset.sort === view.sort) head.setAttribute("aria-sort", view.down ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
  }
}

function startLedger() {
  if (!table) return;
  for (const head of table.querySelectorAll("th[data-sort]")) {
    const key = head.dataset.sort;
    const button = make("button", { type: "button" }, ...head.childNodes);
    button.addEventListener("click", () => {
      view.down = view.sort === key ? !view.down : key === "score" || key === "missing";
      view.sort = key;
      update();
    });
    head.append(button);
  }
  const search = document.getElementById("search");
  search.addEventListener("input", () => { view.search = search.value.toLowerCase(); update(); });
  for (const button of document.querySelectorAll("[data-filter]"))
    button.addEventListener("click", () => { view.filter = button.dataset.filter; update(); });
  for (const tile of document.querySelectorAll("[data-show]"))
    tile.addEventListener("click", () => {
      view.filter = tile.dataset.show;
      update();
      document.getElementById("ledger").scrollIntoView();
      scroller.focus({ preventScroll: true });
    });
  scroller.addEventListener("scroll", () => draw(), { passive: true });
  body.addEventListener("focusin", (event) => drawAround(event.target.closest("tr")));
  addEventListener("resize", () => draw());
  addEventListener("beforeprint", () => { view.printing = true; draw(true); });
  addEventListener("afterprint", () => { view.printing = false; draw(true); });
  update();
}
startLedger();
