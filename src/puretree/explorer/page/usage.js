// How often features are tested: in which share of the trees, at the root, or in all.

import { Graph, ratio } from "./graph.js";

/**
 * @typedef {{share: number, atRoot: number, isNecessary: boolean}} Usage Of the trees, the share that tests one of a
 *   group of features somewhere, and at the root, and whether all trees do.
 */

const TINY = 1e-12; // rounding of sums of shares

/**
 * Return the usage of each group of features.
 * @param {Graph} graph
 * @param {ArrayLike<number>} groupOf The group of each test.
 * @param {Iterable<number>} groups
 * @returns {Map<number, Usage>}
 */
export function usageOf(graph, groupOf, groups) {
  const { start, feature, no, yes, weights } = graph;
  const edgeGroup = feature.map((test) => groupOf[test]);
  const atRoot = rootShares(graph, groupOf);
  const occurring = new Set(edgeGroup);
  /** @type {Map<number, Usage>} */
  const usages = new Map();
  for (const group of groups) {
    if (!occurring.has(group) || graph.total === 0n) {
      usages.set(group, { share: 0, atRoot: 0, isNecessary: false });
      continue;
    }
    const avoiding = new Float64Array(graph.nNodes);
    for (let node = 0; node < graph.nNodes; node++) {
      let sum = graph.leaf[node] >= 0 ? 1 : 0;
      for (let edge = start[node]; edge < start[node + 1]; edge++) {
        if (edgeGroup[edge] !== group) sum += weights[edge] * avoiding[no[edge]] * avoiding[yes[edge]];
      }
      avoiding[node] = sum;
    }
    const share = 1 - graph.meanOverRoots((node) => avoiding[node]);
    const isNecessary = graph.roots.every((root) => avoiding[root.node] === 0);
    usages.set(group, { share: isNecessary ? 1 : share < TINY ? 0 : share, atRoot: atRoot.get(group) ?? 0, isNecessary });
  }
  return usages;
}

/** @param {Graph} graph @param {ArrayLike<number>} groupOf @returns {Map<number, number>} */
function rootShares(graph, groupOf) {
  /** @type {Map<number, bigint>} */
  const counts = new Map();
  for (const { node } of graph.roots) {
    for (let edge = graph.start[node]; edge < graph.start[node + 1]; edge++) {
      const group = groupOf[graph.feature[edge]];
      counts.set(group, (counts.get(group) ?? 0n) + graph.countEdge(edge));
    }
  }
  return new Map([...counts].map(([group, count]) => [group, ratio(count, graph.total)]));
}
