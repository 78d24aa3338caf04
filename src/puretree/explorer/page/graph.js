// The AND/OR graph of trees: a node stands for the trees of a set of rows, an edge for a test at their root, with any
// tree of its no branch and any tree of its yes branch. Children have smaller numbers than their parents.

import { unpack } from "./data.js";

/** @typedef {import("./data.js").GraphContent} GraphContent */

const EXACT = 2 ** 53; // sums and products of integers below are exact

/** The leaves of a graph, and of all graphs of some of its trees. */
export class Leaves {
  /**
   * @param {Int32Array} labels The class of each leaf.
   * @param {Int32Array} counts The number of training rows of each class, leaf by leaf.
   */
  constructor(labels, counts) {
    this.labels = labels;
    this.nClasses = counts.length / labels.length;
    this.counts = counts;
    /** The number of training rows in each leaf. */
    this.nRows = labels.map((_, leaf) => this.countsOf(leaf).reduce((a, b) => a + b, 0));
  }

  /** @param {number} leaf @returns {number[]} */
  countsOf(leaf) {
    return Array.from(this.counts.subarray(leaf * this.nClasses, (leaf + 1) * this.nClasses));
  }
}

/**
 * What the trees under a root have in common.
 * @typedef {{node: number, n_nodes: number, cost: number}} Root
 */

export class Graph {
  /**
   * @param {Leaves} leaves
   * @param {Int32Array} leaf The leaf that a node is, -1 for a node with edges.
   * @param {Int32Array} start The edges of node i are start[i] to start[i + 1].
   * @param {Int32Array} feature The test of each edge.
   * @param {Int32Array} no @param {Int32Array} yes The children of each edge.
   * @param {Root[]} roots In the order of the trees.
   */
  constructor(leaves, leaf, start, feature, no, yes, roots) {
    this.leaves = leaves;
    this.leaf = leaf;
    this.start = start;
    this.feature = feature;
    this.no = no;
    this.yes = yes;
    this.roots = roots;
    this.nNodes = leaf.length;
    this.nEdges = feature.length;
    /** @type {Map<number, bigint>} */
    this.large = new Map();
    /** @type {Float64Array|null} */
    this.cachedWeights = null;
    this.approximate = this.countTrees();
    this.total = roots.reduce((sum, root) => sum + this.count(root.node), 0n);
  }

  /** @param {GraphContent} content @returns {Promise<Graph>} */
  static async read(content) {
    const [labels, counts, nEdges, feature, no, yes] = await Promise.all(
      [content.labels, content.counts, content.n_edges, content.feature, content.no, content.yes].map(unpack),
    );
    const nLeaves = labels.length;
    const leaf = new Int32Array(nLeaves + nEdges.length).map((_, node) => (node < nLeaves ? node : -1));
    const start = new Int32Array(leaf.length + 1);
    nEdges.forEach((n, i) => (start[nLeaves + i + 1] = start[nLeaves + i] + n));
    return new Graph(new Leaves(labels, counts), leaf, start, feature, no, yes, content.roots);
  }

  /** Count the trees under each node in floating point, and exactly where that is not exact. */
  countTrees() {
    const { leaf, start, no, yes } = this;
    const counts = new Float64Array(this.nNodes);
    for (let node = 0; node < this.nNodes; node++) {
      let sum = leaf[node] >= 0 ? 1 : 0;
      for (let edge = start[node]; edge < start[node + 1]; edge++) sum += counts[no[edge]] * counts[yes[edge]];
      counts[node] = sum;
      if (!(sum < EXACT)) {
        let exact = 0n;
        for (let edge = start[node]; edge < start[node + 1]; edge++) exact += this.countEdge(edge, counts);
        this.large.set(node, exact);
      }
    }
    return counts;
  }

  /**
   * Return the exact number of trees under a node.
   * @param {number} node
   * @returns {bigint}
   */
  count(node, counts = this.approximate) {
    return this.large.get(node) ?? BigInt(counts[node]);
  }

  /**
   * Return the exact number of trees that begin with an edge.
   * @param {number} edge
   * @returns {bigint}
   */
  countEdge(edge, counts = this.approximate) {
    return this.count(this.no[edge], counts) * this.count(this.yes[edge], counts);
  }

  /**
   * The fraction of the trees under the parent of each edge that begin with the edge.
   * @returns {Float64Array}
   */
  get weights() {
    this.cachedWeights ??= this.computeWeights();
    return this.cachedWeights;
  }

  computeWeights() {
    const { approximate, start, no, yes } = this;
    const weights = new Float64Array(this.nEdges);
    for (let node = 0; node < this.nNodes; node++) {
      const isFinite = approximate[node] < Infinity;
      const logarithm = isFinite ? 0 : log2(this.count(node));
      for (let edge = start[node]; edge < start[node + 1]; edge++) {
        weights[edge] = isFinite
          ? (approximate[no[edge]] * approximate[yes[edge]]) / approximate[node]
          : 2 ** (log2(this.count(no[edge])) + log2(this.count(yes[edge])) - logarithm);
      }
    }
    return weights;
  }

  /**
   * Return the mean over all trees of what is computed for each tree, given the mean for the trees of each node.
   * @param {(node: number) => number} meanOf
   */
  meanOverRoots(meanOf) {
    return this.roots.reduce((sum, root) => sum + ratio(this.count(root.node), this.total) * meanOf(root.node), 0);
  }
}

/** @param {bigint} count @returns {number} */
function log2(count) {
  const shift = Math.max(0, count.toString(16).length * 4 - 64);
  return Math.log2(Number(count >> BigInt(shift))) + shift;
}

/**
 * Return the quotient of two counts of any size.
 * @param {bigint} part @param {bigint} whole
 */
export function ratio(part, whole) {
  if (whole === 0n) return 0;
  const quotient = Number(part) / Number(whole);
  return quotient < Infinity && Number(whole) < Infinity ? quotient : Number((part << 60n) / whole) / 2 ** 60;
}
