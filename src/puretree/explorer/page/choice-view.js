// What may follow at the selected node: every test that some remaining tree has there, and what it costs.

import { button, byId, formatCount, formatNumber, h, percent, quantity, replace } from "./dom.js";
import { choicesAt } from "./choices.js";
import { Explorer } from "./explorer.js";
import { ratio } from "./graph.js";
import { lockedAt, nodeAt, wholeTop, withPart } from "./trees.js";

/** @typedef {import("./choices.js").Choice} Choice */
/** @typedef {import("./filters.js").Locked} Locked */
/** @typedef {import("./trees.js").Tree} Tree */

const MAX_SHOWN_CHOICES = 100;
const MAX_DIGITS = 12; // of a count in the table; all of them are in its tooltip

export class ChoiceView {
  /**
   * @param {Explorer} explorer
   * @param {(path: string) => void} onCollapse
   */
  constructor(explorer, onCollapse) {
    this.explorer = explorer;
    this.onCollapse = onCollapse;
    this.path = "";
    this.isAll = false;
  }

  /** @param {string} path */
  select(path) {
    this.path = path;
    this.isAll = false;
    this.render();
  }

  render() {
    const { explorer } = this;
    const { tree, locked } = explorer.state;
    while (!nodeAt(tree, this.path)) this.path = this.path.slice(0, -1);
    const { path } = this;
    const node = /** @type {Tree} */ (nodeAt(tree, path));
    // Everything above the node stays as it is drawn; the node itself and everything below it are open.
    const top = withPart(locked, tree, path, null);
    const choices = explorer.filtered.total ? choicesAt(explorer.filtered, top, path) : [];
    const shown = this.isAll ? choices : choices.slice(0, MAX_SHOWN_CHOICES);
    const more = choices.length - shown.length;
    const showAll = button(`Show ${formatCount(more)} more`, () => {
      this.isAll = true;
      this.render();
    });
    replace(
      byId("choices"),
      this.describe(node),
      this.actions(node),
      h("h3", {}, path ? "What trees with the same tests above have here" : "What trees have at the root"),
      choices.length ? this.table(shown, choices, node) : h("p", { class: "hint" }, "No remaining tree has this node."),
      more ? showAll : null,
    );
  }

  /** @param {Tree} node */
  describe(node) {
    const { content, all } = this.explorer;
    const counts = this.explorer.counts(node).get(node) ?? [];
    const text = node.no ? `${content.tests[node.test].text}?` : content.classes[all.leaves.labels[node.leaf]];
    const rows = counts.map((n, label) => ({ n, label })).filter(({ n }) => n > 0);
    return h(
      "div",
      { class: "node-facts" },
      h("p", { class: "node-name" }, h("bdi", {}, text)),
      h(
        "p",
        { class: "hint" },
        `${quantity(counts.reduce((a, b) => a + b, 0), "training row")}: `,
        ...rows.flatMap(({ n, label }, i) => [i ? ", " : null, `${formatCount(n)} `, h("bdi", {}, content.classes[label])]),
      ),
    );
  }

  /** @param {Tree} node */
  actions(node) {
    const { explorer, path } = this;
    const { tree, locked } = explorer.state;
    const fix = (/** @type {Locked} */ part) => explorer.change({ locked: withPart(locked, tree, path, part), tree });
    const test = node.no ? { test: node.test, no: null, yes: null } : wholeTop(explorer.all, node);
    const isLocked = lockedAt(locked, path) !== null;
    return h(
      "div",
      { class: "buttons" },
      button(isLocked ? "Release" : "Fix", () => fix(isLocked ? null : test), {
        title: isLocked ? "Let this node and its subtree vary again" : "Keep this node and all tests above it",
        "data-key": "fix",
      }),
      node.no
        ? button("Fix subtree", () => fix(wholeTop(explorer.all, node)), {
            title: "Keep this node, all tests above it, and everything below it",
            "data-key": "fix subtree",
          })
        : null,
      locked ? button("Release all", () => explorer.change({ locked: null, tree }), { "data-key": "release" }) : null,
      node.no ? button("Collapse", () => this.onCollapse(path), { "data-key": "collapse" }) : null,
    );
  }

  /** @param {Choice[]} choices @param {Choice[]} all @param {Tree} node */
  table(choices, all, node) {
    const { explorer } = this;
    const total = all.reduce((sum, choice) => sum + choice.count, 0n);
    const { roots } = explorer.all;
    const hasSizes = new Set(roots.map((root) => root.n_nodes)).size > 1;
    const hasCosts = new Set(roots.map((root) => root.cost)).size > 1;
    const unit = explorer.content.minimises === "cost" ? "cost" : "errors";
    const header = ["test", "trees", hasSizes && "nodes", hasCosts && unit].filter(Boolean);
    const rows = choices.map((choice) => {
      const isDrawn = node.no ? choice.test === node.test : choice.test < 0 && choice.label === explorer.all.leaves.labels[node.leaf];
      return h(
        "tr",
        { class: isDrawn ? "drawn" : null },
        h("th", { scope: "row" }, this.chooser(choice, isDrawn)),
        h("td", { title: `${formatCount(choice.count)} trees` }, formatCount(choice.count, MAX_DIGITS), h("small", {}, percent(ratio(choice.count, total)))),
        hasSizes ? h("td", {}, String(choice.n_nodes)) : null,
        hasCosts ? h("td", {}, formatNumber(choice.cost)) : null,
      );
    });
    return h(
      "table",
      { class: "choices" },
      h("thead", {}, h("tr", {}, ...header.map((name) => h("th", { scope: "col" }, String(name))))),
      h("tbody", {}, ...rows),
    );
  }

  /** @param {Choice} choice @param {boolean} isDrawn */
  chooser(choice, isDrawn) {
    const { tests, classes } = this.explorer.content;
    const isLeaf = choice.test < 0;
    const name = isLeaf ? `leaf: ${classes[choice.label]}` : `${tests[choice.test].text}?`;
    const chosen = h("button", {
      type: "button",
      class: "choice",
      "aria-current": isDrawn ? "true" : null,
      "data-key": `choice ${choice.test} ${choice.label}`,
      click: () => this.choose(choice),
    });
    chosen.append(h("bdi", {}, name));
    return chosen;
  }

  /** Fix a test or a leaf at the node, and everything above it. @param {Choice} choice */
  choose({ test, label }) {
    const { tree, locked } = this.explorer.state;
    const part = test < 0 ? { label } : { test, no: null, yes: null };
    this.explorer.change({ locked: withPart(locked, tree, this.path, part) });
  }

  /** What is fixed, as a number of nodes. @param {Locked} locked @returns {number} */
  static nFixed(locked) {
    if (locked === null) return 0;
    return "test" in locked ? 1 + ChoiceView.nFixed(locked.no) + ChoiceView.nFixed(locked.yes) : 1;
  }
}

