// The smallest change of a row that leads to another class, as the Python module `tree/explanation.py` defines it: the
// fewest columns, then the fewest missing or unseen values, then the smallest change.

import { contains } from "./rows.js";

/** @typedef {import("./data.js").Column} Column */
/** @typedef {import("./data.js").Content} Content */
/** @typedef {import("./trees.js").Tree} Tree */
/** @typedef {Pick<import("./data.js").Test, "edges"|"starts_inside"|"holds_missing">} Region */
/** @typedef {{column: number, from: number, to: number}} Change */
/** @typedef {{changes: Change[], leaf: number}} Counterfactual */

/** The code of a level that training did not contain. */
export const UNSEEN = -1;

/**
 * Return the nearest change, or null if no other class can be reached.
 * @param {Content} content @param {Tree} tree
 * @param {number[]} values The encoded value of each column; NaN if missing.
 * @param {(leaf: number) => number} labelOf
 * @param {number} label The class that the tree predicts.
 * @returns {Counterfactual|null}
 */
export function nearestChange(content, tree, values, labelOf, label) {
  const scales = scalesOf(content, tree, values);
  /** @type {{cost: number[], counterfactual: Counterfactual}|null} */
  let best = null;
  for (const { leaf, conditions } of leavesWithConditions(content, tree)) {
    if (labelOf(leaf) === label) continue;
    if ([...conditions].some(([column, region]) => isEmpty(content.columns[column], region))) continue;
    /** @type {Change[]} */
    const changes = [];
    let nUnusual = 0;
    let distance = 0;
    for (const [column, region] of conditions) {
      const now = values[column];
      if (contains(region, now)) continue;
      const to = nearestIn(content.columns[column], region, now);
      if (to === null) break;
      changes.push({ column, from: now, to });
      const isNumber = content.columns[column].kind === "number" && Number.isFinite(now) && Number.isFinite(to);
      if (Number.isNaN(to) || (content.columns[column].kind !== "number" && to === UNSEEN)) nUnusual += 1;
      distance += isNumber ? Math.abs(to / scales[column] - now / scales[column]) : 1;
    }
    const nViolated = [...conditions].filter(([column, region]) => !contains(region, values[column])).length;
    if (changes.length < nViolated) continue;
    const cost = [changes.length, nUnusual, distance];
    if (best === null || isLess(cost, best.cost)) best = { cost, counterfactual: { changes, leaf } };
  }
  return best && best.counterfactual;
}

/** @param {number[]} a @param {number[]} b */
function isLess(a, b) {
  const i = a.findIndex((x, j) => x !== b[j]);
  return i >= 0 && a[i] < b[i];
}

/**
 * Return the leaves in the order of the rules, yes branches first, with the region of each column that leads there.
 * @param {Content} content @param {Tree} tree
 */
function leavesWithConditions(content, tree) {
  /** @type {{leaf: number, conditions: Map<number, Region>}[]} */
  const leaves = [];
  const visit = (/** @type {Tree} */ node, /** @type {Map<number, Region>} */ conditions) => {
    if (!node.no) {
      leaves.push({ leaf: node.leaf, conditions });
      return;
    }
    const test = content.tests[node.test];
    const and = (/** @type {Region} */ region) => {
      const known = conditions.get(test.column);
      return new Map([...conditions, [test.column, known ? intersection(known, region) : region]]);
    };
    visit(node.yes, and(test));
    visit(node.no, and(complement(test)));
  };
  visit(tree, new Map());
  return leaves;
}

/** @param {Region} region @returns {Region} */
function complement(region) {
  return { edges: region.edges, starts_inside: !region.starts_inside, holds_missing: !region.holds_missing };
}

/** @param {Region} a @param {Region} b @returns {Region} */
function intersection(a, b) {
  const cuts = [...new Set([...a.edges, ...b.edges])].sort((x, y) => x - y);
  const isInside = (/** @type {number} */ x) => contains(a, x) && contains(b, x);
  const starts = isInside(-Infinity);
  let last = starts;
  const edges = cuts.filter((cut) => {
    const changes = isInside(cut) !== last;
    last = isInside(cut);
    return changes;
  });
  return { edges, starts_inside: starts, holds_missing: a.holds_missing && b.holds_missing };
}

/** @param {Column} column @param {Region} region */
function isEmpty(column, region) {
  if (region.holds_missing) return false;
  if (column.kind === "number") return !region.edges.length && !region.starts_inside;
  return !contains(region, UNSEEN) && !column.levels.some((_, code) => contains(region, code));
}

/**
 * Return the nearest code in a region: a number or level, else missing, else an unseen level; null if there is none.
 * @param {Column} column @param {Region} region @param {number} now
 * @returns {number|null}
 */
function nearestIn(column, region, now) {
  const from = Number.isNaN(now) ? 0 : now;
  const candidates =
    column.kind === "number"
      ? intervalsOf(region).map(([low, high]) => nearestInInterval(low, high, from, column.is_integer))
      : column.levels.map((_, code) => code).filter((code) => contains(region, code));
  if (candidates.length) {
    if (column.kind === "category") return candidates[0];
    return candidates.reduce((a, b) => (Math.abs(b - from) < Math.abs(a - from) ? b : a));
  }
  if (region.holds_missing) return NaN;
  return column.is_boolean || !contains(region, UNSEEN) ? null : UNSEEN;
}

/** @param {Region} region @returns {[number, number][]} Intervals low ≤ x < high. */
function intervalsOf(region) {
  const ends = [...(region.starts_inside ? [-Infinity] : []), ...region.edges];
  if (ends.length % 2) ends.push(Infinity);
  return Array.from({ length: ends.length / 2 }, (_, i) => [ends[2 * i], ends[2 * i + 1]]);
}

/** @param {number} low @param {number} high @param {number} x @param {boolean} isInteger */
function nearestInInterval(low, high, x, isInteger) {
  if (low <= x && x < high) return x;
  const nearest = x < low ? low : floatBelow(high);
  const integer = isInteger ? (x < low ? Math.ceil(nearest) : Math.floor(nearest)) : nearest;
  return low <= integer && integer < high ? integer : nearest;
}

/** Return the greatest number below a number. @param {number} x */
export function floatBelow(x) {
  if (x === 0) return -Number.MIN_VALUE;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x);
  view.setBigInt64(0, view.getBigInt64(0) - (x > 0 ? 1n : -1n));
  return view.getFloat64(0);
}

/** Return the number that a change of 1 stands for, by column. @param {Content} content @param {Tree} tree @param {number[]} values */
function scalesOf(content, tree, values) {
  const scales = content.columns.map((column, i) => {
    const now = Math.abs(values[i]);
    return Math.max(column.is_integer ? 1 : 0, Number.isFinite(now) ? now : 0);
  });
  const visit = (/** @type {Tree} */ node) => {
    if (!node.no) return;
    const { column, edges } = content.tests[node.test];
    for (const edge of edges) scales[column] = Math.max(scales[column], Math.abs(edge));
    visit(node.no);
    visit(node.yes);
  };
  visit(tree);
  return scales.map((scale, i) => content.columns[i].range || scale || 1);
}
