// Single trees: from the graph by their rank, and as exported JSON.

import { Graph } from "./graph.js";

/** @typedef {import("./data.js").Content} Content */
/** @typedef {import("./filters.js").Locked} Locked */

/**
 * A node of a tree with its subtree. A leaf has test -1.
 * @typedef {{test: number, leaf: number, no: Tree, yes: Tree} | {test: -1, leaf: number, no: null, yes: null}} Tree
 */

/**
 * A node of a tree with its place: the answers on the way to it, such as "ynn".
 * @typedef {{tree: Tree, path: string}} Placed
 */

/**
 * Return the tree of a rank: trees are ordered by their roots, then by the edges, then by the no branch.
 * @param {Graph} graph
 * @param {bigint} rank From 0 to graph.total - 1.
 * @returns {Tree}
 */
export function treeOfRank(graph, rank) {
  for (const root of graph.roots) {
    const count = graph.count(root.node);
    if (rank < count) return treeUnder(graph, root.node, rank);
    rank -= count;
  }
  throw new RangeError("there is no tree of this rank");
}

/** @param {Graph} graph @param {number} node @param {bigint} rank @returns {Tree} */
function treeUnder(graph, node, rank) {
  if (graph.leaf[node] >= 0) return { test: -1, leaf: graph.leaf[node], no: null, yes: null };
  let edge = graph.start[node];
  for (let count = graph.countEdge(edge); rank >= count; count = graph.countEdge(edge)) {
    rank -= count;
    edge += 1;
  }
  const nYes = graph.count(graph.yes[edge]);
  return {
    test: graph.feature[edge],
    leaf: -1,
    no: treeUnder(graph, graph.no[edge], rank / nYes),
    yes: treeUnder(graph, graph.yes[edge], rank % nYes),
  };
}

/**
 * Return the rank of a tree, or null if the graph does not contain it.
 * @param {Graph} graph
 * @param {Tree} tree
 * @returns {bigint|null}
 */
export function rankOf(graph, tree) {
  let before = 0n;
  for (const root of graph.roots) {
    const rank = rankUnder(graph, root.node, tree);
    if (rank !== null) return before + rank;
    before += graph.count(root.node);
  }
  return null;
}

/** @param {Graph} graph @param {number} node @param {Tree} tree @returns {bigint|null} */
function rankUnder(graph, node, tree) {
  if (tree.no === null) return graph.leaf[node] === tree.leaf ? 0n : null;
  let before = 0n;
  for (let edge = graph.start[node]; edge < graph.start[node + 1]; edge++) {
    if (graph.feature[edge] === tree.test) {
      const no = rankUnder(graph, graph.no[edge], tree.no);
      const yes = no === null ? null : rankUnder(graph, graph.yes[edge], tree.yes);
      if (no !== null && yes !== null) return before + no * graph.count(graph.yes[edge]) + yes;
    }
    before += graph.countEdge(edge);
  }
  return null;
}

/**
 * Return the tree with given tests in preorder, no before yes; -1 at leaves.
 * @param {Graph} graph @param {number[]} tests @returns {Tree}
 */
export function treeOfTests(graph, tests) {
  let next = 0;
  /** @type {(node: number) => Tree|null} */
  const read = (node) => {
    const test = tests[next++];
    if (test < 0) return graph.leaf[node] < 0 ? null : makeLeaf(graph.leaf[node]);
    const begin = next;
    for (let edge = graph.start[node]; edge < graph.start[node + 1]; edge++) {
      if (graph.feature[edge] !== test) continue;
      next = begin;
      const no = read(graph.no[edge]);
      const yes = no && read(graph.yes[edge]);
      if (no && yes) return { test, leaf: -1, no, yes };
    }
    return null;
  };
  for (const root of graph.roots) {
    next = 0;
    const tree = read(root.node);
    if (tree) return tree;
  }
  return treeOfRank(graph, 0n);
}

/** @param {number} leaf @returns {Tree} */
export function makeLeaf(leaf) {
  return { test: -1, leaf, no: null, yes: null };
}

/**
 * Return a random integer from 0 to n - 1, each with the same probability.
 * @param {bigint} n
 */
export function randomBelow(n) {
  const nBits = n.toString(2).length;
  const words = new Uint32Array(Math.ceil(nBits / 32));
  for (;;) {
    crypto.getRandomValues(words);
    let drawn = 0n;
    for (const word of words) drawn = (drawn << 32n) | BigInt(word);
    drawn = BigInt.asUintN(nBits, drawn);
    if (drawn < n) return drawn;
  }
}

/**
 * Return the nodes in breadth-first order, no before yes: the order of their numbers in Python.
 * @param {Tree} tree @returns {Placed[]}
 */
export function nodesOf(tree) {
  /** @type {Placed[]} */
  const nodes = [{ tree, path: "" }];
  for (const { tree: node, path } of nodes) {
    if (node.no) nodes.push({ tree: node.no, path: `${path}n` }, { tree: node.yes, path: `${path}y` });
  }
  return nodes;
}

/** @param {Tree} tree @param {string} path @returns {Tree|null} */
export function nodeAt(tree, path) {
  /** @type {Tree|null} */
  let node = tree;
  for (const answer of path) node = node && (answer === "y" ? node.yes : node.no);
  return node;
}

/** @param {Tree} tree @returns {number} The number of tests on the longest path. */
export function depthOf(tree) {
  return tree.no ? 1 + Math.max(depthOf(tree.no), depthOf(tree.yes)) : 0;
}

/** @param {Tree} tree @returns {number} */
export function sizeOf(tree) {
  return tree.no ? 1 + sizeOf(tree.no) + sizeOf(tree.yes) : 1;
}

/**
 * Return the leaf that a row reaches.
 * @param {Tree} tree
 * @param {Uint8Array} answers Of the row to each test.
 */
export function leafOf(tree, answers) {
  let node = tree;
  while (node.no) node = answers[node.test] ? node.yes : node.no;
  return node.leaf;
}

/**
 * Return the top of a tree above a node, which is left open.
 * @param {Tree} tree @param {string} path
 * @returns {Locked}
 */
export function topAbove(tree, path) {
  if (!path || !tree.no) return null;
  const isYes = path[0] === "y";
  return {
    test: tree.test,
    no: isYes ? null : topAbove(tree.no, path.slice(1)),
    yes: isYes ? topAbove(tree.yes, path.slice(1)) : null,
  };
}

/**
 * Return a top with a part of it replaced, which exists in the tree at this path.
 * @param {Locked} locked @param {Tree} tree @param {string} path @param {Locked} part
 * @returns {Locked}
 */
export function withPart(locked, tree, path, part) {
  if (!path || !tree.no) return part;
  const top = locked && "test" in locked ? locked : { test: tree.test, no: null, yes: null };
  const isYes = path[0] === "y";
  return {
    test: tree.test,
    no: isYes ? top.no : withPart(top.no, tree.no, path.slice(1), part),
    yes: isYes ? withPart(top.yes, tree.yes, path.slice(1), part) : top.yes,
  };
}

/**
 * Return a whole tree as a top.
 * @param {Graph} graph @param {Tree} tree @returns {Locked}
 */
export function wholeTop(graph, tree) {
  if (!tree.no) return { label: graph.leaves.labels[tree.leaf] };
  return { test: tree.test, no: wholeTop(graph, tree.no), yes: wholeTop(graph, tree.yes) };
}

/** @param {Locked} locked @param {string} path @returns {Locked} */
export function lockedAt(locked, path) {
  /** @type {Locked} */
  let top = locked;
  for (const answer of path) top = top && "test" in top ? (answer === "y" ? top.yes : top.no) : null;
  return top;
}

/**
 * Return the number of training rows of each class at each node, in breadth-first order.
 * @param {Graph} graph @param {Tree} tree
 */
export function countsOf(graph, tree) {
  /** @type {Map<Tree, number[]>} */
  const counts = new Map();
  for (const { tree: node } of nodesOf(tree).reverse()) {
    const [no, yes] = node.no ? [counts.get(node.no) ?? [], counts.get(node.yes) ?? []] : [];
    counts.set(node, no && yes ? no.map((n, label) => n + yes[label]) : graph.leaves.countsOf(node.leaf));
  }
  return counts;
}

/**
 * Return the JSON text of a tree, in the format of the Python method `Tree.to_dict`. Columns, classes and numbers are
 * inserted as Python wrote them.
 * @param {Content} content @param {Graph} graph @param {Tree} tree
 */
export function treeJson(content, graph, tree) {
  const nodes = nodesOf(tree);
  const counts = countsOf(graph, tree);
  const tests = [...new Set(nodes.map(({ tree: node }) => node.test).filter((test) => test >= 0))].sort((a, b) => a - b);
  const columns = [...new Set(tests.map((test) => content.tests[test].column))];
  let nextChild = 1;
  const nodeTexts = nodes.map(({ tree: node }) => {
    const end = `"counts":${JSON.stringify(counts.get(node))}}`;
    if (!node.no) return `{"label":${graph.leaves.labels[node.leaf]},${end}`;
    nextChild += 2;
    return `{"test":${tests.indexOf(node.test)},"left":${nextChild - 2},${end}`;
  });
  const testTexts = tests.map((test) => {
    const { feature, column, json } = content.tests[test];
    return `{"feature":${feature},${json},"column":${columns.indexOf(column)}}`;
  });
  return [
    `{"format":"puretree/tree","version":1,"classes":${content.classes_json}`,
    `"columns":[${columns.map((column) => content.columns[column].json).join(",")}]`,
    `"n_columns":${content.n_columns}`,
    `"tests":[${testTexts.join(",")}]`,
    `"nodes":[${nodeTexts.join(",")}]}`,
  ].join(",");
}
