// Filters: columns and tests to require, to avoid or to have at the root, and limits of depth, leaves, size and cost.

import { button, byId, formatCount, h, percent, quantity, replace } from "./dom.js";
import { Explorer } from "./explorer.js";
import { NO_FILTERS } from "./filters.js";
import { usageOf } from "./usage.js";

/** @typedef {import("./filters.js").Target} Target */
/** @typedef {import("./filters.js").Filters} Filters */
/** @typedef {import("./usage.js").Usage} Usage */

const MAX_SHOWN = 100; // columns, or tests of a column, before "show all"
const SLICE = 30; // milliseconds in which shares are computed before the page reacts again

/** @type {Usage} */
const UNUSED = { share: 0, atRoot: 0, isNecessary: false };

export class FilterView {
  /** @param {Explorer} explorer */
  constructor(explorer) {
    this.explorer = explorer;
    this.host = byId("columns");
    /** @type {Set<number>} Columns whose tests are shown. */
    this.opened = new Set();
    this.isAll = false;
    /** @type {Map<string, Usage>} */
    this.usages = new Map();
    this.run = 0;
    /** @type {[string, "maxDepth"|"minSamplesLeaf"|"maxNodes"|"maxCost"][]} */
    const limits = [
      ["max-depth", "maxDepth"],
      ["min-samples-leaf", "minSamplesLeaf"],
      ["max-nodes", "maxNodes"],
      ["max-cost", "maxCost"],
    ];
    this.limits = limits;
    for (const [id, name] of limits) {
      const input = /** @type {HTMLInputElement} */ (byId(id));
      input.addEventListener("change", () => {
        const value = input.valueAsNumber;
        explorer.filter({ [name]: Number.isFinite(value) && value >= 0 ? value : null });
      });
    }
    byId("clear").addEventListener("click", () => explorer.change({ filters: NO_FILTERS }));
  }

  render() {
    const { filters, point } = this.explorer.state;
    const { roots } = this.explorer.graphs[point];
    byId("max-nodes-label").hidden = new Set(roots.map((root) => root.n_nodes)).size < 2;
    byId("max-cost-label").hidden = new Set(roots.map((root) => root.cost)).size < 2;
    for (const [id, name] of this.limits) {
      /** @type {HTMLInputElement} */ (byId(id)).value = filters[name] === null ? "" : String(filters[name]);
    }
    byId("clear").hidden = JSON.stringify(filters) === JSON.stringify(NO_FILTERS);
    this.renderRows(filters);
    this.update();
  }

  /** Compute the shares of all shown columns and tests, in slices of time. */
  async update() {
    const run = ++this.run;
    const { explorer } = this;
    const graph = explorer.graph;
    const tests = explorer.content.tests.map((_, test) => test);
    /** @type {[string, ArrayLike<number>, number][]} */
    const groups = explorer.content.columns.map((_, column) => [`column ${column}`, explorer.columnOf, column]);
    for (const column of this.opened) {
      const ofColumn = tests.filter((test) => explorer.columnOf[test] === column);
      groups.push(...ofColumn.map((test) => /** @type {[string, number[], number]} */ ([`test ${test}`, tests, test])));
    }
    let begin = performance.now();
    /** @type {Map<string, Usage>} */
    const usages = new Map();
    for (const [key, groupOf, group] of groups) {
      usages.set(key, usageOf(graph, groupOf, [group]).get(group) ?? UNUSED);
      if (performance.now() - begin > SLICE) {
        await new Promise((resolve) => setTimeout(resolve));
        if (run !== this.run) return;
        begin = performance.now();
      }
    }
    this.usages = usages;
    this.renderColumns();
  }

  renderColumns() {
    const { columns } = this.explorer.content;
    const shareOf = (/** @type {number} */ column) => this.usageOf({ column }).share;
    const order = columns.map((_, column) => column).sort((a, b) => shareOf(b) - shareOf(a) || a - b);
    const shown = this.isAll ? order : order.slice(0, MAX_SHOWN);
    const items = shown.flatMap((column) => [
      this.item({ column }, columns[column].name),
      ...(this.opened.has(column) ? [this.testList(column)] : []),
    ]);
    const more = order.length - shown.length;
    const showAll = button(`Show ${formatCount(more)} more columns`, () => {
      this.isAll = true;
      this.renderColumns();
    });
    replace(this.host, ...items, more ? h("li", {}, showAll) : null);
  }

  /** @param {number} column */
  testList(column) {
    const { tests } = this.explorer.content;
    const ofColumn = tests.map((_, test) => test).filter((test) => tests[test].column === column);
    const used = ofColumn.filter((test) => this.usageOf({ test }).share > 0 || this.stateOf({ test }) !== "");
    const shown = this.isAll ? used : used.slice(0, MAX_SHOWN);
    const unused = ofColumn.length - shown.length;
    return h(
      "li",
      { class: "tests" },
      h("ul", {}, ...shown.map((test) => this.item({ test }, tests[test].text))),
      unused ? h("p", { class: "hint" }, `${quantity(unused, "other test")} in no remaining tree.`) : null,
    );
  }

  /** @param {Target} target */
  usageOf(target) {
    return this.usages.get("column" in target ? `column ${target.column}` : `test ${target.test}`) ?? UNUSED;
  }

  /** Return which filter a target is part of. @param {Target} target @returns {"root"|"uses"|"avoids"|""} */
  stateOf(target) {
    const { root, uses, avoids } = this.explorer.state.filters;
    const isTarget = (/** @type {Target|null} */ other) => JSON.stringify(other) === JSON.stringify(target);
    return isTarget(root) ? "root" : uses.some(isTarget) ? "uses" : avoids.some(isTarget) ? "avoids" : "";
  }

  /** @param {Target} target @param {string} name */
  item(target, name) {
    const { share, atRoot, isNecessary } = this.usageOf(target);
    const key = JSON.stringify(target);
    const state = this.stateOf(target);
    const toggle = (/** @type {"root"|"uses"|"avoids"} */ kind, /** @type {string} */ text, /** @type {string} */ what) =>
      button(text, () => this.toggle(target, kind), {
        class: `toggle ${kind}`,
        "aria-pressed": state === kind ? "true" : "false",
        "aria-label": `${what} ${name}`,
        "data-key": `${kind} ${key}`,
      });
    const bar = h("span", { class: "bar", "aria-hidden": "true" }, h("span", { "data-share": share }));
    const fillOf = /** @type {HTMLElement} */ (bar.firstChild);
    fillOf.style.width = `${100 * share}%`;
    return h(
      "li",
      { class: state },
      h(
        "div",
        { class: "usage" },
        h("bdi", { class: "name", title: name }, name),
        h("span", { class: "share" }, isNecessary ? "in all" : percent(share)),
      ),
      bar,
      h(
        "div",
        { class: "toggles", role: "group", "aria-label": name },
        toggle("root", `Root ${percent(atRoot)}`, "At the root:"),
        toggle("uses", "Require", "Require"),
        toggle("avoids", "Avoid", "Avoid"),
        "column" in target ? this.opener(target.column, name) : null,
      ),
    );
  }

  /** @param {number} column @param {string} name */
  opener(column, name) {
    const isOpen = this.opened.has(column);
    const toggle = () => {
      if (!this.opened.delete(column)) this.opened.add(column);
      this.renderColumns();
      this.update();
    };
    return button(isOpen ? "Tests ▴" : "Tests ▾", toggle, {
      class: "opener",
      "aria-expanded": isOpen ? "true" : "false",
      "aria-label": `Tests of ${name}`,
      "data-key": `tests ${column}`,
    });
  }

  /** @param {Target} target @param {"root"|"uses"|"avoids"} kind */
  toggle(target, kind) {
    const { root, uses, avoids } = this.explorer.state.filters;
    const isOn = this.stateOf(target) !== kind;
    const others = (/** @type {Target[]} */ targets) =>
      targets.filter((other) => JSON.stringify(other) !== JSON.stringify(target));
    /** @type {Partial<Filters>} */
    const change = { uses: others(uses), avoids: others(avoids) };
    if (kind === "root") change.root = isOn ? target : null;
    else {
      if (this.stateOf(target) === "root") change.root = null;
      else change.root = root;
      if (isOn) change[kind] = [...(change[kind] ?? []), target];
    }
    this.explorer.filter(change);
  }

  /** List the rows that trees must agree with. @param {Filters} filters */
  renderRows({ agreesWith }) {
    const { classes } = this.explorer.content;
    const chips = agreesWith.map((row, i) => {
      const remove = () => this.explorer.filter({ agreesWith: agreesWith.filter((_, j) => j !== i) });
      const name = `Row ${i + 1}: ${classes[row.label]}`;
      return h("li", {}, h("bdi", {}, name), button("×", remove, { "aria-label": `Remove ${name}`, "data-key": `row ${i}` }));
    });
    replace(byId("agreements"), ...chips);
  }
}
