// Two to four trees side by side, and the rows on which they differ.

import { button, byId, formatCount, h, quantity, replace } from "./dom.js";
import { Explorer } from "./explorer.js";
import { layOut } from "./layout.js";
import { formatValue } from "./row-view.js";
import { drawTree, itemsOf } from "./tree-view.js";
import { leafOf, sizeOf } from "./trees.js";

/** @typedef {import("./trees.js").Tree} Tree */

const MAX_PINNED = 3; // besides the drawn tree
const MAX_ROWS_SHOWN = 100;

export class CompareView {
  /** @param {Explorer} explorer */
  constructor(explorer) {
    this.explorer = explorer;
    /** @type {Tree[]} */
    this.pinned = [];
    this.point = explorer.state.point;
  }

  /** Whether there is room for the drawn tree, and it is not there yet. */
  get canPin() {
    return this.pinned.length < MAX_PINNED && !this.pinned.some((tree) => isSame(tree, this.explorer.state.tree));
  }

  pin() {
    this.pinned.push(this.explorer.state.tree);
    this.render();
  }

  render() {
    const { explorer } = this;
    const { tree, point } = explorer.state;
    if (point !== this.point) {
      this.pinned = []; // the leaves of another point are other leaves
      this.point = point;
    }
    byId("compare").hidden = this.pinned.length === 0;
    if (!this.pinned.length) return;
    const others = this.pinned.filter((other) => !isSame(other, tree));
    const trees = [tree, ...others];
    const remove = (/** @type {Tree} */ removed) => {
      this.pinned = this.pinned.filter((other) => other !== removed);
      this.render();
    };
    replace(
      byId("compared"),
      ...trees.map((compared, i) => {
        const title = i ? `Tree ${String.fromCharCode(65 + i)}` : "Tree A (drawn above)";
        const drawing = drawTree(explorer, layOut(itemsOf(explorer, compared), 700));
        drawing.setAttribute("role", "img");
        drawing.setAttribute("aria-label", `${title}, ${quantity(sizeOf(compared), "node")}`);
        const buttons = i
          ? [
              button("Show", () => explorer.change({ tree: compared }), { "data-key": `show ${i}`, "aria-label": `Show ${title}` }),
              button("Remove", () => remove(compared), { "data-key": `remove ${i}`, "aria-label": `Remove ${title}` }),
            ]
          : [];
        return h("figure", {}, h("figcaption", {}, title, h("span", { class: "buttons" }, ...buttons)), drawing);
      }),
    );
    replace(byId("differences"), ...this.differences(trees));
  }

  /** @param {Tree[]} trees */
  differences(trees) {
    const { content, training, all } = this.explorer;
    if (trees.length < 2) return [h("p", { class: "hint" }, "Show another tree to compare it with the pinned one.")];
    if (!training) return [h("p", { class: "hint" }, `${content.no_rows} So the rows on which the trees differ are not known.`)];
    const { labels } = all.leaves;
    const predictions = training.answers.map((answers) => trees.map((tree) => labels[leafOf(tree, answers)]));
    const differing = predictions.map((_, row) => row).filter((row) => new Set(predictions[row]).size > 1);
    if (!differing.length) return [h("p", {}, "The trees predict the same class for every training row.")];
    const used = new Set(trees.flatMap((tree) => columnsOf(content, tree)));
    const columns = [...used].sort((a, b) => a - b);
    const header = ["row", "class", ...trees.map((_, i) => String.fromCharCode(65 + i)), ...columns.map((i) => content.columns[i].name)];
    const body = differing.slice(0, MAX_ROWS_SHOWN).map((row) =>
      h(
        "tr",
        {},
        h("th", { scope: "row" }, String(training.numbers[row])),
        h("td", {}, h("bdi", {}, content.classes[training.labels[row]])),
        ...predictions[row].map((label) =>
          h("td", { class: label === training.labels[row] ? "right" : "wrong" }, h("bdi", {}, content.classes[label])),
        ),
        ...columns.map((i) => h("td", {}, h("bdi", {}, formatValue(content.columns[i], training.columns[i][row])))),
      ),
    );
    const shown = differing.length > MAX_ROWS_SHOWN ? `, of which the first ${MAX_ROWS_SHOWN} are shown` : "";
    return [
      h("p", {}, `The trees differ on ${formatCount(differing.length)} of ${quantity(training.length, "training row")}${shown}.`),
      h(
        "div",
        { class: "wide", tabindex: 0, role: "region", "aria-label": "Rows on which the trees differ" },
        h("table", {}, h("thead", {}, h("tr", {}, ...header.map((name) => h("th", { scope: "col" }, h("bdi", {}, name))))), h("tbody", {}, ...body)),
      ),
    ];
  }
}

/** @param {import("./data.js").Content} content @param {Tree} tree @returns {number[]} */
function columnsOf(content, tree) {
  return tree.no ? [content.tests[tree.test].column, ...columnsOf(content, tree.no), ...columnsOf(content, tree.yes)] : [];
}

/** Return whether two trees of a point are equal. @param {Tree} a @param {Tree} b @returns {boolean} */
export function isSame(a, b) {
  if (a.no === null || b.no === null) return a.leaf === b.leaf && a.no === b.no;
  return a.test === b.test && isSame(a.no, b.no) && isSame(a.yes, b.yes);
}
