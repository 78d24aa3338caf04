// A row of values: its path in the drawn tree, what all trees predict for it, and the nearest change of the prediction.

import { button, byId, formatCount, formatNumber, h, percent, replace } from "./dom.js";
import { floatBelow, nearestChange, UNSEEN } from "./counterfactual.js";
import { Explorer } from "./explorer.js";
import { answersOf, voteOn } from "./rows.js";

/** @typedef {import("./data.js").Column} Column */

const MAX_OPTIONS = 30; // levels in a list; of more, a text field completes the name
const MAX_SUGGESTED = 50;
const ROUNDING = 1e-12; // of sums of shares

/** Return the text of an encoded value. @param {Column} column @param {number} value */
export function formatValue(column, value) {
  if (Number.isNaN(value)) return "missing";
  if (column.kind === "number") return formatNumber(value);
  return column.levels[value] ?? "another level";
}

export class RowView {
  /**
   * @param {Explorer} explorer
   * @param {(path: string) => void} onPath Gets the way of the row in the drawn tree; "-" if there is no row.
   */
  constructor(explorer, onPath) {
    this.explorer = explorer;
    this.onPath = onPath;
    const { columns } = explorer.content;
    /** @type {number[]|null} */
    this.values = null;
    /** @type {Map<number, HTMLInputElement|HTMLSelectElement>} */
    this.fields = new Map();
    replace(byId("row-fields"), ...columns.map((column, i) => this.field(column, i)));
    this.number = /** @type {HTMLInputElement} */ (byId("row-number"));
    const { training } = explorer;
    byId("row-number-label").hidden = !training?.length;
    if (training?.length) {
      this.number.max = String(training.length - 1);
      this.number.addEventListener("input", () => {
        const row = this.number.valueAsNumber;
        if (row >= 0 && row < training.length) this.show(training.values(row));
      });
    }
    byId("row-clear").addEventListener("click", () => {
      this.number.value = "";
      this.show(null);
    });
  }

  /** @param {Column} column @param {number} i */
  field(column, i) {
    const onInput = () => this.read();
    const attributes = { id: `field-${i}`, input: onInput };
    /** @type {HTMLInputElement|HTMLSelectElement} */
    let field;
    /** @type {HTMLDataListElement|null} */
    let suggestions = null;
    if (column.kind === "number") {
      field = h("input", { ...attributes, type: "number", step: column.is_integer ? 1 : "any", placeholder: "missing" });
    } else if (column.levels.length <= MAX_OPTIONS) {
      const options = column.levels.map((level, code) => h("option", { value: code }, level));
      field = h("select", attributes, h("option", { value: "" }, "missing"), ...options);
    } else {
      const list = h("datalist", { id: `levels-${i}` });
      const suggest = () => {
        const text = /** @type {HTMLInputElement} */ (field).value.toLowerCase();
        const matching = column.levels.filter((level) => level.toLowerCase().includes(text)).slice(0, MAX_SUGGESTED);
        list.replaceChildren(...matching.map((level) => h("option", { value: level })));
      };
      field = h("input", { ...attributes, type: "text", list: list.id, placeholder: "missing", focus: suggest });
      field.addEventListener("input", suggest);
      suggestions = list;
    }
    field.dir = "auto";
    this.fields.set(i, field);
    return h("label", {}, h("bdi", {}, column.name), field, suggestions);
  }

  /** Read the values of the form. */
  read() {
    const { columns } = this.explorer.content;
    this.values = columns.map((column, i) => {
      const field = /** @type {HTMLInputElement|HTMLSelectElement} */ (this.fields.get(i));
      if (field.value === "") return NaN;
      if (column.kind === "number" || field instanceof HTMLSelectElement) return Number(field.value);
      const code = column.levels.indexOf(field.value);
      return code < 0 ? UNSEEN : code;
    });
    this.number.value = "";
    this.render();
  }

  /** Show a row in the form. @param {number[]|null} values */
  show(values) {
    this.values = values;
    this.explorer.content.columns.forEach((column, i) => {
      const value = values ? values[i] : NaN;
      const field = /** @type {HTMLInputElement|HTMLSelectElement} */ (this.fields.get(i));
      const isCode = column.kind !== "number" && !(field instanceof HTMLSelectElement);
      field.value = Number.isNaN(value) ? "" : isCode ? (column.levels[value] ?? "") : String(value);
    });
    this.render();
  }

  render() {
    const { explorer, values } = this;
    if (!values) {
      this.onPath("-");
      const hint = "Enter values, or the number of a training row, to see what the trees predict.";
      replace(byId("row-result"), h("p", { class: "hint" }, hint));
      return;
    }
    const { content, graph } = explorer;
    const answers = answersOf(content.tests, values);
    const steps = [];
    let node = explorer.state.tree;
    let path = "";
    while (node.no) {
      const isYes = answers[node.test] === 1;
      const { text, column } = content.tests[node.test];
      const value = formatValue(content.columns[column], values[column]);
      steps.push(h("li", {}, h("bdi", {}, `${text}?`), ` ${isYes ? "yes" : "no"} `, h("small", {}, "(it is ", h("bdi", {}, value), ")")));
      path += isYes ? "y" : "n";
      node = isYes ? node.yes : node.no;
    }
    this.onPath(path);
    const label = explorer.all.leaves.labels[node.leaf];
    replace(
      byId("row-result"),
      h("h3", {}, "The drawn tree predicts ", h("bdi", {}, content.classes[label])),
      h("ol", { class: "steps" }, ...steps),
      this.change(values, label),
      h("h3", {}, graph.total === 1n ? "The only remaining tree predicts" : `All ${formatCount(graph.total)} remaining trees predict`),
      graph.total ? this.votes(answers) : h("p", { class: "hint" }, "No tree remains."),
    );
  }

  /** @param {number[]} values @param {number} label */
  change(values, label) {
    const { content, all, state } = this.explorer;
    const { labels } = all.leaves;
    const found = nearestChange(content, state.tree, values, (leaf) => labels[leaf], label);
    if (!found) return h("p", { class: "hint" }, "No change leads to another class.");
    const items = found.changes.map(({ column, from, to }) => {
      const fitted = content.columns[column];
      return h("li", {}, h("bdi", {}, fitted.name), ": ", h("bdi", {}, formatValue(fitted, from)), " → ", h("bdi", {}, this.boundary(column, to)));
    });
    return h("div", {}, h("h3", {}, "Nearest change: ", h("bdi", {}, content.classes[labels[found.leaf]])), h("ul", {}, ...items));
  }

  /** Return a value, or the bound if it is the greatest number of an interval. @param {number} column @param {number} value */
  boundary(column, value) {
    const fitted = this.explorer.content.columns[column];
    if (fitted.kind !== "number" || Number.isNaN(value)) return formatValue(fitted, value);
    const isEdge = this.explorer.content.tests.some((test) => test.column === column && test.edges.includes(value));
    return isEdge && !fitted.is_integer ? `just above ${formatNumber(floatBelow(value))}` : formatNumber(value);
  }

  /** @param {Uint8Array} answers */
  votes(answers) {
    const { content, graph, state } = this.explorer;
    const shares = voteOn(graph, answers).map((share, label) => ({ share: share > 1 - ROUNDING ? 1 : share, label }));
    const rows = shares.filter(({ share }) => share > ROUNDING).sort((a, b) => b.share - a.share);
    return h(
      "ul",
      { class: "votes" },
      ...rows.map(({ share, label }) => {
        const bar = h("span", { class: `bar colour-${label % 15}`, "aria-hidden": "true" }, h("span", {}));
        /** @type {HTMLElement} */ (bar.firstChild).style.width = `${100 * share}%`;
        const keep = () => this.explorer.filter({ agreesWith: [...state.filters.agreesWith, { answers, label }] });
        const name = content.classes[label];
        return h(
          "li",
          {},
          h("div", { class: "usage" }, h("bdi", { class: "name" }, name), h("span", { class: "share" }, percent(share))),
          bar,
          rows.length > 1
            ? button("Only these trees", keep, { "aria-label": `Only trees that predict ${name}`, "data-key": `keep ${label}` })
            : null,
        );
      }),
    );
  }
}
