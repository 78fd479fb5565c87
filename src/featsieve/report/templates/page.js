// All about one feature, tooltips, the heat map, copying, and light or dark.

const dialog = document.getElementById("feature");
const STAGE_WORDS = {
  screen: "screening of columns",
  alone: "what it tells alone",
  together: "what it tells together with others",
  context: "what it tells in the context of others",
  redundancy: "what others tell already",
  limit: "the number of features asked for",
};

function fact(list, term, description) {
  if (description === null || description === "" || description === NOTHING) return;
  list.append(make("div", {}, make("dt", {}, term), make("dd", {}, ...[description].flat())));
}

function withP(number, p) {
  if (number === null) return null;
  return formatNumber(number) + (p === null ? "" : `, p ${formatP(p).replace(/^(?=\d)/, "= ")}`);
}

function nameList(references) {
  return references === null ? null : references.map(featureName);
}

function showFeature(number) {
  const get = (field) => value(number, field);
  const close = make("button", { type: "button", class: "plain close", "aria-label": "Close" }, "✕");
  close.addEventListener("click", () => dialog.close());
  const facts = make("dl", { class: "settings" });
  const stage = get("stage"), low = get("low"), high = get("high");
  fact(facts, "Decided by", stage === null ? null : STAGE_WORDS[ledger.stages[stage]]);
  fact(facts, "Score", get("score") === null ? null : `${formatNumber(get("score"))} ${ledger.unit}`);
  fact(facts, "Interval", low === null || high === null ? null : `${formatNumber(low)} to ${formatNumber(high)}`);
  fact(facts, "p-value", formatP(get("p")));
  fact(facts, "Its probes reach", get("probe") === null ? null : formatNumber(get("probe")));
  fact(facts, "Together with", nameList(get("partners")));
  fact(facts, "Told already by", nameList(get("displacedBy")));
  fact(facts, get("kept") ? "Could be kept instead" : "Could be kept instead of", nameList(get("interchangeable")));
  fact(facts, "Where", words(number, "where"));
  fact(facts, "Alone", withP(get("aloneScore"), get("aloneP")));
  fact(facts, "Rank association", withP(get("rank"), get("rankP")));
  fact(facts, "In context", withP(get("contextScore"), get("contextP")));
  fact(facts, "Kind", kindOf(number));
  fact(facts, "Missing", formatShare(get("missing")));
  const kept = get("kept") ? " · kept" : "";
  dialog.replaceChildren(
    make("div", { class: "dialog-head" }, make("h2", { id: "feature-name" }, make("bdi", {}, ledger.names[number])), close),
    make("p", { class: "dialog-verdict" }, verdictMark(number), kept),
    scoreBar(number),
    make("p", {}, words(number, "note")),
    facts);
  if (!dialog.open) dialog.showModal();
  close.focus();
}

document.addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-feature]");
  if (button) showFeature(Number(button.dataset.feature));
  else if (event.target === dialog) dialog.close();  // beside it
});

// What is said to those who listen.
const told = document.body.appendChild(make("p", { class: "unseen", "aria-live": "polite", id: "told" }));

// Tooltips, for the pointer and for the keyboard.
const tip = document.getElementById("tip");
let tipAnchor = null;  // what the words belong to
function placeTip() {
  const box = tipAnchor.getBoundingClientRect(), own = tip.getBoundingClientRect();
  const most = document.documentElement.clientWidth - own.width - 8;
  const above = box.top - own.height - 8;
  tip.style.left = `${Math.max(8, Math.min(box.left + box.width / 2 - own.width / 2, most))}px`;
  tip.style.top = `${above > 8 ? above : box.bottom + 8}px`;
}
function showTip(text, anchor) {
  tipAnchor = anchor;
  tip.textContent = text;
  tip.hidden = false;
  placeTip();
}
const hideTip = () => { tip.hidden = true; tipAnchor = null; };
// A strip is as wide as the page; its words belong to the dot.
const showMark = (mark) => showTip(mark.dataset.tip, mark.querySelector("circle") ?? mark);

// A drawing of matplotlib has its words in titles.
for (const title of document.querySelectorAll(".graph g > title")) {
  const mark = title.parentElement;
  mark.setAttribute("data-tip", title.textContent);
  mark.setAttribute("aria-label", title.textContent);
  mark.setAttribute("role", "img");
  title.remove();
}
const tipped = (event) => event.target.closest?.("[data-tip]");
// Not pointerover: a page that scrolls under a resting pointer is not pointing.
for (const kind of ["pointermove", "pointerdown"])
  document.addEventListener(kind, (event) => {
    const mark = tipped(event);
    if (mark && !(tipAnchor && mark.contains(tipAnchor))) showMark(mark);
  });
document.addEventListener("pointerout", (event) => { if (tipAnchor && tipped(event)?.contains(tipAnchor)) hideTip(); });
document.addEventListener("focusin", (event) => {
  const mark = tipped(event);
  if (mark?.matches(":focus-visible")) showMark(mark);
});
document.addEventListener("focusout", hideTip);
document.addEventListener("keydown", (event) => { if (event.key === "Escape") hideTip(); });
addEventListener("scroll", () => { if (tipAnchor) placeTip(); }, { passive: true, capture: true });

// One tab stop for each drawing; arrow keys walk over its points.
const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
for (const drawing of document.querySelectorAll("[data-points]")) {
  const points = [...drawing.querySelectorAll("[data-tip]:not([aria-hidden])")];
  points.forEach((point, k) => point.setAttribute("tabindex", k ? -1 : 0));
  drawing.addEventListener("keydown", (event) => {
    const now = points.indexOf(event.target);
    if (now < 0) return;
    let next = now + (STEPS[event.key] ?? 0);
    if (event.key === "Home") next = 0;
    if (event.key === "End") next = points.length - 1;
    if (next === now || !points[next]) return;
    event.preventDefault();
    points[now].setAttribute("tabindex", -1);
    points[next].setAttribute("tabindex", 0);
    points[next].focus();
  });
}

// The heat map is a few paths; the cell under the pointer is computed.
const heat = document.getElementById("heat");
if (heat && data.heat) {
  const { names, positions, values, by, unit } = data.heat;
  const cursor = heat.querySelector(".cursor");
  const cell = { row: 0, column: 0 };
  const clamp = (x, most) => Math.min(Math.max(Math.floor(x), 0), most - 1);
  const showCell = (speak) => {
    cursor.setAttribute("x", cell.column * heat.dataset.column);
    cursor.setAttribute("y", cell.row * heat.dataset.row);
    cursor.setAttribute("visibility", "visible");
    const text = `${names[cell.row]} tells ${formatNumber(values[cell.row][cell.column])} ${unit} where ${by} is near ${positions[cell.column]}`;
    showTip(text, cursor);
    if (speak) told.textContent = text;
  };
  const hideCell = () => { cursor.setAttribute("visibility", "hidden"); hideTip(); };
  heat.addEventListener("pointermove", (event) => {
    const box = heat.getBoundingClientRect();
    cell.column = clamp(positions.length * (event.clientX - box.left) / box.width, positions.length);
    cell.row = clamp(names.length * (event.clientY - box.top) / box.height, names.length);
    showCell(false);
  });
  heat.addEventListener("pointerleave", hideCell);
  heat.addEventListener("blur", hideCell);
  heat.addEventListener("focus", () => { if (heat.matches(":focus-visible")) showCell(true); });
  heat.addEventListener("keydown", (event) => {
    if (!(event.key in STEPS)) return;
    event.preventDefault();
    if (event.key === "ArrowRight" || event.key === "ArrowLeft") cell.column = clamp(cell.column + STEPS[event.key], positions.length);
    else cell.row = clamp(cell.row + STEPS[event.key], names.length);
    showCell(true);
  });
}

// Copying; a page from a file may have no clipboard, but can always select.
async function copy(button) {
  const source = document.getElementById(button.dataset.copy);
  const text = (source.content ?? source).textContent;
  const before = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = make("textarea", { class: "unseen", readonly: "" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    button.focus();
  }
  button.textContent = told.textContent = "Copied";
  setTimeout(() => { button.textContent = before; told.textContent = ""; }, 1500);
}
for (const button of document.querySelectorAll("[data-copy]"))
  button.addEventListener("click", () => copy(button));

document.getElementById("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const now = root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  root.dataset.theme = now === "dark" ? "light" : "dark";
  try { localStorage.setItem("featsieve-theme", root.dataset.theme); } catch { /* not remembered, still switched */ }
});

// Where one is.
const links = new Map([...document.querySelectorAll("nav.contents a")].map((link) => [link.hash.slice(1), link]));
const seen = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (!entry.isIntersecting) continue;
    for (const link of links.values()) link.removeAttribute("aria-current");
    links.get(entry.target.id)?.setAttribute("aria-current", "true");
  }
}, { rootMargin: "-20% 0px -70% 0px" });
for (const section of document.querySelectorAll("main > section")) seen.observe(section);
document.documentElement.dataset.ready = "true";
