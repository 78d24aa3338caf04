// Building a tree: what may follow at a node of a tree if everything above it stays.

import { Graph } from "./graph.js";
import { beginsWith, restrict } from "./filters.js";

/** @typedef {import("./filters.js").Locked} Locked */
/** @typedef {import("./graph.js").Root} Root */

/**
 * A test that some tree has at the node, or a leaf (test -1): how many trees have it there, and the smallest number of
 * nodes and the least cost of such a tree.
 * @typedef {{test: number, label: number, count: bigint, n_nodes: number, cost: number}} Choice
 */

/**
 * Return all choices at a node, the most frequent first.
 * @param {Graph} graph The trees to choose from.
 * @param {Locked} top What is fixed: at least all tests above the node, and nothing at it.
 * @param {string} path The way to the node.
 * @returns {Choice[]}
 */
export function choicesAt(graph, top, path) {
  const rest = isFixedBeside(top, path) ? restrict(graph, beginsWith(graph, top)) : graph;
  /** @type {Map<string, Choice>} */
  const choices = new Map();
  for (const root of rest.roots) {
    for (const [node, outside] of nodesAt(rest, root, top, path)) {
      const add = (/** @type {number} */ test, /** @type {number} */ label, /** @type {bigint} */ count) => {
        const key = `${test} ${label}`;
        const known = choices.get(key) ?? { test, label, count: 0n, n_nodes: Infinity, cost: Infinity };
        known.count += outside * count;
        // Of the trees with this choice, the cheapest one, and of these the smallest.
        if (root.cost < known.cost || (root.cost === known.cost && root.n_nodes < known.n_nodes)) {
          known.cost = root.cost;
          known.n_nodes = root.n_nodes;
        }
        choices.set(key, known);
      };
      if (rest.leaf[node] >= 0) add(-1, rest.leaves.labels[rest.leaf[node]], 1n);
      for (let edge = rest.start[node]; edge < rest.start[node + 1]; edge++) {
        add(rest.feature[edge], -1, rest.countEdge(edge));
      }
    }
  }
  return [...choices.values()].sort((a, b) => (a.count === b.count ? a.test - b.test : a.count < b.count ? 1 : -1));
}

/** Return whether anything is fixed that is not above a node. @param {Locked} top @param {string} path @returns {boolean} */
function isFixedBeside(top, path) {
  if (top === null || !("test" in top) || !path) return top !== null;
  const [above, beside] = path[0] === "y" ? [top.yes, top.no] : [top.no, top.yes];
  return beside !== null || isFixedBeside(above, path.slice(1));
}

/**
 * Return the nodes of the graph at which trees under a root arrive that have the fixed tests above, each with the number
 * of ways to complete a tree outside of it.
 * @param {Graph} graph @param {Root} root @param {Locked} top @param {string} path
 * @returns {Map<number, bigint>}
 */
function nodesAt(graph, root, top, path) {
  let nodes = new Map([[root.node, 1n]]);
  for (const answer of path) {
    const test = top && "test" in top ? top.test : -1;
    top = top && "test" in top ? (answer === "y" ? top.yes : top.no) : null;
    /** @type {Map<number, bigint>} */
    const children = new Map();
    for (const [node, outside] of nodes) {
      for (let edge = graph.start[node]; edge < graph.start[node + 1]; edge++) {
        if (graph.feature[edge] !== test) continue;
        const [child, sibling] = answer === "y" ? [graph.yes[edge], graph.no[edge]] : [graph.no[edge], graph.yes[edge]];
        children.set(child, (children.get(child) ?? 0n) + outside * graph.count(sibling));
      }
    }
    nodes = children;
  }
  return nodes;
}
