// The front: cost against the number of nodes, as a curve to move along.

import { byId, formatNumber, quantity, replace, svg } from "./dom.js";
import { Explorer } from "./explorer.js";

const WIDTH = 300;
const HEIGHT = 150;
const LEFT = 34;
const BOTTOM = 20;
const TOP = 10;
const RIGHT = 10;

export class FrontView {
  /** @param {Explorer} explorer */
  constructor(explorer) {
    this.explorer = explorer;
    this.points = explorer.content.points;
    this.slider = /** @type {HTMLInputElement} */ (byId("front-slider"));
    this.slider.max = String(this.points.length - 1);
    this.slider.addEventListener("input", () => explorer.moveTo(Number(this.slider.value)));
    byId("front").hidden = this.points.length < 2;
    if (explorer.content.minimises === "cost") byId("front-title").textContent = "Cost against nodes";
  }

  render() {
    const { point } = this.explorer.state;
    const { n_nodes, cost, status, lower_bound, note } = this.points[point];
    const unit = this.explorer.content.minimises === "cost" ? `cost ${formatNumber(cost)}` : quantity(cost, "error");
    const proof = status === "optimal" ? "proved" : `at least ${formatNumber(lower_bound)}`;
    const text = `${quantity(n_nodes, "node")}, ${unit} (${proof})`;
    byId("front-text").textContent = text;
    byId("front-note").textContent = note;
    this.slider.value = String(point);
    this.slider.setAttribute("aria-valuetext", text);
    if (this.points.length > 1) replace(byId("front-curve"), this.curve(point));
  }

  /** @param {number} current */
  curve(current) {
    const { points } = this;
    const right = points[points.length - 1].n_nodes;
    // A single leaf often costs so much more than all other trees that it would flatten the curve.
    const highest = points[0].cost > 3 * points[1].cost ? 1.5 * points[1].cost : points[0].cost;
    const x = (/** @type {number} */ nodes) => LEFT + (nodes / right) * (WIDTH - LEFT - RIGHT);
    const y = (/** @type {number} */ cost) =>
      HEIGHT - BOTTOM - (Math.min(cost, highest) / (highest || 1)) * (HEIGHT - BOTTOM - TOP);
    const steps = points.map(({ n_nodes, cost }, i) => (i ? `H${x(n_nodes)}V${y(cost)}` : `M${x(n_nodes)} ${y(cost)}`));
    const marks = points.map((point, i) => {
      const state = `${point.status === "optimal" ? "proved" : "open"} ${i === current ? "current" : ""}`;
      const circle = svg("circle", { cx: x(point.n_nodes), cy: y(point.cost), r: i === current ? 6 : 3.5, class: state });
      const area = svg("circle", { cx: x(point.n_nodes), cy: y(point.cost), r: 10, class: "area" });
      area.append(svg("title", {}, `${point.n_nodes} nodes, ${formatNumber(point.cost)}`));
      area.addEventListener("click", () => this.explorer.moveTo(i));
      return svg("g", {}, circle, area);
    });
    const axis = HEIGHT - BOTTOM;
    const text = (/** @type {number} */ left, /** @type {number} */ top, /** @type {string} */ label, anchor = "middle") =>
      svg("text", { x: left, y: top, "text-anchor": anchor }, label);
    return svg(
      "svg",
      { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true" },
      svg("path", { class: "axis", d: `M${LEFT} ${TOP}V${axis}H${WIDTH - RIGHT}` }),
      text(LEFT - 5, y(highest) + 4, formatNumber(Math.round(highest)), "end"),
      text(LEFT - 5, axis + 4, "0", "end"),
      text(x(right), axis + 14, String(right), "end"),
      text(LEFT, axis + 14, "nodes", "start"),
      svg("path", { class: "curve", d: steps.join("") }),
      ...marks,
    );
  }
}
