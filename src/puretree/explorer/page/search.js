// The best tree of a graph by a score that adds over the nodes: the most similar or most different tree to others, the
// most accurate one on other rows, and the one that agrees most with the vote of all trees.

import { Graph } from "./graph.js";
import { mixedRows, Rows, voteOn } from "./rows.js";
import { leafOf, makeLeaf, randomBelow, sizeOf, treeOfRank } from "./trees.js";

/** @typedef {import("./data.js").Content} Content */
/** @typedef {import("./trees.js").Tree} Tree */

/**
 * What the score of a subtree depends on, as a state at its node, like that of an automaton.
 * @typedef {object} Scorer
 * @property {number} start
 * @property {(state: number, node: number) => number|null} known The score, if it does not depend on the subtree.
 * @property {(state: number, feature: number) => {score: number, no: number, yes: number}} move
 * @property {(state: number, leaf: number) => number} leaf
 */

/**
 * A tree, and whether it is proved that none scores higher.
 * @typedef {{tree: Tree, score: number, isExact: boolean}} Found
 */

const MAX_MOVES = 4_000_000;
const N_SAMPLED = 1000;
const N_MIXED_ROWS = 200;

/** More states were needed than a page can go through. */
class TooMany extends Error {}

/**
 * Return a tree with the highest score.
 * @param {Graph} graph @param {Scorer} scorer
 * @returns {Found}
 */
function findBest(graph, scorer) {
  /** @type {Map<number, {score: number, edge: number, no: number, yes: number}>} */
  const best = new Map();
  let nMoves = 0;
  const scoreOf = (/** @type {number} */ node, /** @type {number} */ state) => {
    if (graph.leaf[node] >= 0) return scorer.leaf(state, graph.leaf[node]);
    const known = scorer.known(state, node);
    if (known !== null) return known;
    const key = state * graph.nNodes + node;
    const found = best.get(key);
    if (found) return found.score;
    let top = { score: -Infinity, edge: -1, no: 0, yes: 0 };
    for (let edge = graph.start[node]; edge < graph.start[node + 1]; edge++) {
      if (++nMoves > MAX_MOVES) throw new TooMany();
      const { score, no, yes } = scorer.move(state, graph.feature[edge]);
      /** @type {number} */
      const sum = score + scoreOf(graph.no[edge], no) + scoreOf(graph.yes[edge], yes);
      if (sum > top.score) top = { score: sum, edge, no, yes };
    }
    best.set(key, top);
    return top.score;
  };
  /** @type {(node: number, state: number) => Tree} */
  const build = (node, state) => {
    if (graph.leaf[node] >= 0) return makeLeaf(graph.leaf[node]);
    const { edge, no, yes } = best.get(state * graph.nNodes + node) ?? firstMove(graph, node, state, scorer);
    return { test: graph.feature[edge], leaf: -1, no: build(graph.no[edge], no), yes: build(graph.yes[edge], yes) };
  };
  const scores = graph.roots.map((root) => scoreOf(root.node, scorer.start));
  const score = Math.max(...scores);
  return { tree: build(graph.roots[scores.indexOf(score)].node, scorer.start), score, isExact: true };
}

/** @param {Graph} graph @param {number} node @param {number} state @param {Scorer} scorer */
function firstMove(graph, node, state, scorer) {
  const edge = graph.start[node];
  return { edge, ...scorer.move(state, graph.feature[edge]) };
}

/**
 * Return the tree that differs least or most from others. The distance of two trees is the number of pairs of a place
 * in the tree and a test there that only one of them has.
 * @param {Graph} graph @param {Tree[]} trees @param {"least"|"most"} which
 * @returns {Found}
 */
export function findByDistance(graph, trees, which) {
  const sign = which === "most" ? 1 : -1;
  const n = trees.length;
  const sizes = treeSizes(graph);
  /** @type {(Tree|null)[][]} For each state, the nodes of the trees at the same place. */
  const places = [trees.map(() => null), trees];
  /** @type {Map<number, [number, number]>} */
  const children = new Map();
  const childrenOf = (/** @type {number} */ state) => {
    let pair = children.get(state);
    if (!pair) {
      const sides = /** @type {("no"|"yes")[]} */ (["no", "yes"]).map((side) => {
        const nodes = places[state].map((tree) => tree && tree[side]);
        return nodes.some((tree) => tree !== null && tree.no !== null) ? places.push(nodes) - 1 : 0;
      });
      pair = [sides[0], sides[1]];
      children.set(state, pair);
    }
    return pair;
  };
  const found = findBest(graph, {
    start: 1,
    known: (state, node) => (state === 0 ? sign * n * sizes[node] : null),
    move(state, feature) {
      const [no, yes] = childrenOf(state);
      const nCommon = places[state].filter((tree) => tree !== null && tree.test === feature).length;
      return { score: sign * (n - 2 * nCommon), no, yes };
    },
    leaf: () => 0,
  });
  const nTests = trees.reduce((sum, tree) => sum + (sizeOf(tree) - 1) / 2, 0);
  return { ...found, score: sign * found.score + nTests };
}

/** Return the number of tests of the trees under each node. @param {Graph} graph */
function treeSizes(graph) {
  const sizes = new Int32Array(graph.nNodes);
  for (let node = 0; node < graph.nNodes; node++) {
    const edge = graph.start[node];
    if (edge < graph.start[node + 1]) sizes[node] = 1 + sizes[graph.no[edge]] + sizes[graph.yes[edge]];
  }
  return sizes;
}

/**
 * Return the tree with the greatest sum of scores of its predictions. If too many sets of rows occur in the graph, it
 * is the best of some random trees.
 * @param {Graph} graph @param {Rows} rows
 * @param {(row: number, label: number) => number} scoreOf
 * @returns {Found}
 */
export function findByScores(graph, rows, scoreOf) {
  const { labels } = graph.leaves;
  /** @type {number[][]} For each state, the rows that reach the node. */
  const sets = [[], Array.from(rows.labels, (_, row) => row)];
  const stateOf = new Map([["", 0], [sets[1].join(), 1]]);
  /** @type {Map<number, {score: number, no: number, yes: number}>[]} For each state, the states after each test. */
  const moves = [];
  /** @type {Map<number, number>[]} For each state, the score of each class. */
  const scores = [];
  const intern = (/** @type {number[]} */ set) => {
    const key = set.join();
    let state = stateOf.get(key);
    if (state === undefined) {
      state = sets.push(set) - 1;
      stateOf.set(key, state);
    }
    return state;
  };
  const { answers } = rows;
  try {
    return findBest(graph, {
      start: rows.length ? 1 : 0,
      known: (state) => (state === 0 ? 0 : null),
      move(state, feature) {
        const known = (moves[state] ??= new Map());
        let move = known.get(feature);
        if (!move) {
          const yes = sets[state].filter((row) => answers[row][feature]);
          const no = sets[state].filter((row) => !answers[row][feature]);
          move = { score: 0, no: intern(no), yes: intern(yes) };
          known.set(feature, move);
        }
        return move;
      },
      leaf(state, leaf) {
        const known = (scores[state] ??= new Map());
        const label = labels[leaf];
        let sum = known.get(label);
        if (sum === undefined) {
          sum = sets[state].reduce((total, row) => total + scoreOf(row, label), 0);
          known.set(label, sum);
        }
        return sum;
      },
    });
  } catch (error) {
    if (!(error instanceof TooMany)) throw error;
    return bestOfSample(graph, rows, scoreOf);
  }
}

/**
 * @param {Graph} graph @param {Rows} rows @param {(row: number, label: number) => number} scoreOf
 * @returns {Found}
 */
function bestOfSample(graph, rows, scoreOf) {
  /** @type {Found|null} */
  let best = null;
  for (let i = 0; i < N_SAMPLED; i++) {
    const tree = treeOfRank(graph, randomBelow(graph.total));
    const score = rows.answers.reduce(
      (sum, answers, row) => sum + scoreOf(row, graph.leaves.labels[leafOf(tree, answers)]),
      0,
    );
    if (best === null || score > best.score) best = { tree, score, isExact: false };
  }
  return /** @type {Found} */ (best);
}

/**
 * Return the tree with the most correct predictions.
 * @param {Graph} graph @param {Rows} rows
 */
export function findMostAccurate(graph, rows) {
  return findByScores(graph, rows, (row, label) => (rows.labels[row] === label ? 1 : 0));
}

/**
 * Return the tree that agrees most with the vote of all trees, on rows that are mixed of training rows.
 * @param {Graph} graph @param {Content} content @param {Rows|null} training
 */
export function findByVote(graph, content, training) {
  const rows = mixedRows(content, training, N_MIXED_ROWS);
  const votes = rows.answers.map((answers) => voteOn(graph, answers));
  return findByScores(graph, rows, (row, label) => votes[row][label]);
}
