// Favourite trees with notes. They are kept in the browser, and exported as JSON that Python reads.

import { button, byId, h, quantity, replace } from "./dom.js";
import { Explorer } from "./explorer.js";
import { treeJson, treeOfTests } from "./trees.js";

/** @typedef {import("./trees.js").Tree} Tree */
/** @typedef {{point: number, tests: number[], json: string, note: string}} Favourite */

/** Return the tests of a tree in preorder, no before yes. @param {Tree} tree @returns {number[]} */
function testsOf(tree) {
  return tree.no ? [tree.test, ...testsOf(tree.no), ...testsOf(tree.yes)] : [-1];
}

export class Favourites {
  /** @param {Explorer} explorer */
  constructor(explorer) {
    this.explorer = explorer;
    this.key = `puretree explorer ${identity(explorer)}`;
    /** @type {Favourite[]} */
    this.list = this.load();
    this.isStored = true;
    byId("export").addEventListener("click", () => this.download());
    this.render();
  }

  load() {
    try {
      const stored = JSON.parse(localStorage.getItem(this.key) ?? "[]");
      return Array.isArray(stored) ? stored : [];
    } catch {
      return []; // a browser may refuse storage, especially to a page that was opened from a file
    }
  }

  save() {
    try {
      localStorage.setItem(this.key, JSON.stringify(this.list));
      this.isStored = true;
    } catch {
      this.isStored = false;
    }
    this.render();
  }

  add() {
    const { state, content, all } = this.explorer;
    const favourite = { point: state.point, tests: testsOf(state.tree), json: treeJson(content, all, state.tree), note: "" };
    if (this.list.some((other) => other.json === favourite.json)) return;
    this.list.push(favourite);
    this.save();
  }

  /** Return the favourites as the JSON text of a file. */
  toJson() {
    const trees = this.list.map(({ json, note }) => `{"tree":${json},"note":${JSON.stringify(note)}}`);
    return `{"format":"puretree-favourites","version":1,"trees":[${trees.join(",")}]}\n`;
  }

  download() {
    const url = URL.createObjectURL(new Blob([this.toJson()], { type: "application/json" }));
    h("a", { href: url, download: "favourites.json" }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  }

  /** @param {Favourite} favourite */
  show({ point, tests }) {
    const graph = this.explorer.graphs[point];
    if (graph) this.explorer.change({ point, tree: treeOfTests(graph, tests), locked: null });
  }

  render() {
    const items = this.list.map((favourite, i) => {
      const { n_nodes } = this.explorer.content.points[favourite.point] ?? {};
      const title = `Favourite ${i + 1}`;
      const note = h("input", { type: "text", value: favourite.note, dir: "auto", placeholder: "Note", "aria-label": `Note on favourite ${i + 1}` });
      note.addEventListener("change", () => {
        favourite.note = note.value;
        this.save();
      });
      const remove = () => {
        this.list.splice(i, 1);
        this.save();
      };
      return h(
        "li",
        {},
        h("div", {}, h("strong", {}, title), n_nodes ? ` · ${quantity((favourite.tests.length + 1) / 2, "leaf", "leaves")}` : ""),
        note,
        h(
          "span",
          { class: "buttons" },
          button("Show", () => this.show(favourite), { "aria-label": `Show ${title}`, "data-key": `favourite ${i}` }),
          button("Remove", remove, { "aria-label": `Remove ${title}`, "data-key": `unfavourite ${i}` }),
        ),
      );
    });
    const hint = "The button “Favourite” adds the drawn tree to this list.";
    replace(byId("favourite-list"), ...(items.length ? items : [h("li", { class: "hint" }, hint)]));
    /** @type {HTMLButtonElement} */ (byId("export")).disabled = !items.length;
    byId("storage-note").textContent = this.isStored
      ? "Favourites are kept in this browser."
      : "This browser does not keep favourites of this page: export them before you close it.";
    byId("favourite-count").textContent = items.length ? ` (${items.length})` : "";
  }
}

/** Return a short text that differs between pages of different trees. @param {Explorer} explorer */
function identity({ content, graphs }) {
  let hash = 2166136261;
  const text = JSON.stringify([content.tests, content.classes, graphs.map((graph) => [graph.total.toString(), graph.nEdges])]);
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
  return (hash >>> 0).toString(16);
}
