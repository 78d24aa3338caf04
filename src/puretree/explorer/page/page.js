// The page: reads the data, and connects the views.

import { byId, formatCount, formatNumber, quantity } from "./dom.js";
import { ChoiceView } from "./choice-view.js";
import { CompareView } from "./compare-view.js";
import { Explorer } from "./explorer.js";
import { Favourites } from "./favourites.js";
import { FilterView } from "./filter-view.js";
import { FrontView } from "./front-view.js";
import { RowView } from "./row-view.js";
import { TreeView } from "./tree-view.js";
import { depthOf, sizeOf } from "./trees.js";

/** Text that says what is proved of the trees. @param {Explorer} explorer */
function claim({ content, state, graphs }) {
  const { status, note, n_nodes, cost } = content.points[state.point];
  const { total, roots } = graphs[state.point];
  const isPure = content.minimises === "nodes";
  const range = (/** @type {number[]} */ values) => [...new Set([Math.min(...values), Math.max(...values)])].map(formatNumber).join(" to ");
  const size = `${range(roots.map((root) => root.n_nodes))} node${roots.some((root) => root.n_nodes > 1) ? "s" : ""}`;
  const costs = isPure ? "" : ` and ${content.minimises === "cost" ? "cost " : ""}${range(roots.map((root) => root.cost))}`;
  const unit = content.minimises === "errors" ? " errors" : "";
  const best = roots.length > 1 ? `around ${quantity(n_nodes, "node")}${isPure ? "" : ` and ${formatNumber(cost)}${unit}`}, ` : "";
  const proof = `${best}${status === "optimal" ? "proved" : "not proved"} ${isPure ? "minimum" : "optimal"}`;
  const trees = quantity(total, "tree");
  return `${trees} of ${size}${costs}${unit} on ${quantity(content.n_rows, "training row")}, ${proof}. ${note}`.trim();
}

/** Let arrow keys move between the tabs, of which one is open. */
function connectTabs() {
  const tabs = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('[role="tab"]')]);
  const open = (/** @type {HTMLElement} */ tab) => {
    for (const other of tabs) {
      const isOpen = other === tab;
      other.setAttribute("aria-selected", String(isOpen));
      other.tabIndex = isOpen ? 0 : -1;
      byId(other.getAttribute("aria-controls") ?? "").hidden = !isOpen;
    }
  };
  tabs.forEach((tab, i) => {
    tab.addEventListener("click", () => open(tab));
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const next = tabs[(i + step + tabs.length) % tabs.length];
      open(next);
      next.focus();
    });
  });
  open(tabs[0]);
  return (/** @type {string} */ id) => open(byId(id));
}

async function openPage() {
  const content = JSON.parse(byId("content").textContent ?? "");
  const explorer = await Explorer.read(content);
  const openTab = connectTabs();
  const choices = new ChoiceView(explorer, (path) => tree.toggle(path));
  const tree = new TreeView(explorer, (path) => {
    openTab("tab-node");
    choices.select(path);
  });
  const row = new RowView(explorer, (path) => {
    tree.rowPath = path;
    tree.render();
  });
  const front = new FrontView(explorer);
  const filters = new FilterView(explorer);
  const compare = new CompareView(explorer);
  const favourites = new Favourites(explorer);

  const pin = () => {
    compare.pin();
    update();
    byId("tree-note").textContent = "This tree is pinned: below the page compares it with the trees that you show next.";
  };
  const buttonOf = (/** @type {string} */ id) => /** @type {HTMLButtonElement} */ (byId(id));
  const several = () => explorer.graph.total > 1n;
  // Buttons with what they do, and whether they can.
  const commands = /** @type {[string, () => void, () => boolean][]} */ ([
    ["previous", () => explorer.step(-1n), several],
    ["next", () => explorer.step(1n), several],
    ["random", () => explorer.random(), several],
    ["different", () => explorer.mostDifferent(compare.pinned), several],
    ["best", () => explorer.best(), several],
    ["vote", () => explorer.vote(), several],
    ["undo", () => explorer.undo(), () => explorer.history.length > 0],
    ["pin", pin, () => compare.canPin],
    ["favourite", () => favourites.add(), () => true],
    ["print", () => window.print(), () => true],
  ]);
  for (const [id, run] of commands) buttonOf(id).addEventListener("click", run);
  buttonOf("best").textContent = explorer.selection ? "Most accurate" : "Best";
  buttonOf("best").title = explorer.selection
    ? "The remaining tree that is most accurate on the selection rows"
    : "The first remaining tree with the fewest errors, and of these the fewest nodes";

  const count = (/** @type {bigint} */ total) => {
    byId("count").textContent = formatCount(total);
    byId("count-noun").textContent = total === 1n ? "tree remains" : "trees remain";
    document.documentElement.dataset.busy = "true";
  };
  const update = () => {
    const { graph, state } = explorer;
    const { total } = graph;
    byId("claim").textContent = claim(explorer);
    const nFixed = ChoiceView.nFixed(state.locked);
    const { rank } = explorer;
    const place = rank === null ? "not among the remaining trees" : `number ${formatCount(rank + 1n)}`;
    const fixed = nFixed ? ` · ${quantity(nFixed, "node")} fixed` : "";
    byId("tree-facts").textContent = `${quantity(sizeOf(state.tree), "node")}, depth ${depthOf(state.tree)} · ${place}${fixed}`;
    byId("tree-note").textContent = total === 0n ? "No tree satisfies all filters: clear some of them." : state.note;
    for (const [id, , can] of commands) buttonOf(id).disabled = !can();
    front.render();
    tree.render();
    choices.render();
    row.render();
    compare.render();
    filters.render();
    delete document.documentElement.dataset.busy;
  };
  explorer.onCount = count;
  explorer.onChange = update;
  byId("title").textContent = content.title;
  count(explorer.graph.total);
  update();
  document.documentElement.dataset.ready = "true";
}

openPage().catch((error) => {
  byId("claim").textContent = `This page needs a current browser: ${error.message}`;
  throw error;
});
