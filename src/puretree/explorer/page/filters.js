// Filters: the graph of the trees that satisfy a condition.
//
// A condition is a tree automaton that reads a tree from the root: its state at a node says what the subtree must
// satisfy. The product of graph and automaton is a graph again, so conditions are combined by applying one after the
// other, and everything else works on graphs alone. Each tree has at most one run, so no tree is counted twice.

import { Graph } from "./graph.js";

/** @typedef {number[]} Moves For each way to go on, the states at the no and at the yes branch. */

/**
 * @typedef {object} Automaton
 * @property {number} start The state at the root.
 * @property {(state: number, feature: number) => Moves} move The states after a test; none if it is not accepted.
 * @property {(state: number, leaf: number) => boolean} accepts Whether the tree may end in a leaf.
 * @property {(state: number, node: number) => number} [normal] The smallest state that is equivalent at a node.
 */

/**
 * Tests to require or to avoid: all tests of a column, or a single one.
 * @typedef {{column: number} | {test: number}} Target
 * @typedef {{answers: Uint8Array, label: number}} Agreement A row, by its answer to each test, and its class.
 * @typedef {{root: Target|null, uses: Target[], avoids: Target[], maxDepth: number|null, minSamplesLeaf: number|null,
 *   maxNodes: number|null, maxCost: number|null, agreesWith: Agreement[]}} Filters
 */

/** @type {Filters} */
export const NO_FILTERS = {
  root: null,
  uses: [],
  avoids: [],
  maxDepth: null,
  minSamplesLeaf: null,
  maxNodes: null,
  maxCost: null,
  agreesWith: [],
};

/** @type {Moves} */
const NONE = [];
/** @type {Moves} */
const FREE = [0, 0];

const UNREACHED = -2;
const EMPTY = -1; // reached, but without a tree so far

/** Applies filters one after the other, and keeps the intermediate graphs: a further filter takes one step. */
export class FilterChain {
  /**
   * @param {Graph} graph All trees.
   * @param {number[]} columnOf The column of each test.
   */
  constructor(graph, columnOf) {
    this.columnOf = columnOf;
    /** @type {{key: string, graph: Graph}[]} */
    this.steps = [{ key: "", graph }];
  }

  /**
   * Return the graph of the trees that satisfy all filters.
   * @param {Filters} filters
   * @returns {Graph}
   */
  apply(filters) {
    this.conditions(filters).forEach(([key, condition], i) => {
      if (this.steps[i + 1]?.key === key) return;
      const { graph } = this.steps[i];
      this.steps.length = i + 1;
      this.steps.push({ key, graph: condition(graph) });
    });
    this.steps.length = this.conditions(filters).length + 1;
    return this.steps[this.steps.length - 1].graph;
  }

  /**
   * Return how many trees satisfy all filters. If the last one requires a test, those are all but the ones that avoid it,
   * whose graph is smaller.
   * @param {Filters} filters
   * @returns {bigint}
   */
  count(filters) {
    const target = filters.uses.at(-1);
    if (!target || filters.agreesWith.length) return this.apply(filters).total;
    const others = this.apply({ ...filters, uses: filters.uses.slice(0, -1) });
    return others.total - restrict(others, avoidsTests(this.isTarget(target))).total;
  }

  /** Return for each test whether it is meant. @param {Target} target */
  isTarget(target) {
    return this.columnOf.map((column, test) => ("column" in target ? column === target.column : test === target.test));
  }

  /**
   * Return the steps with their identities. Those that only remove come first, since the others make copies.
   * @param {Filters} filters
   * @returns {[string, (graph: Graph) => Graph][]}
   */
  conditions({ maxNodes, maxCost, avoids, minSamplesLeaf, root, maxDepth, uses, agreesWith }) {
    /** @type {[string, (graph: Graph) => Graph][]} */
    const steps = [];
    const add = (/** @type {unknown} */ key, /** @type {(graph: Graph) => Automaton} */ automaton) =>
      steps.push([JSON.stringify([automaton.toString(), key]), (graph) => restrict(graph, automaton(graph))]);
    if (maxNodes !== null || maxCost !== null) {
      steps.push([JSON.stringify([maxNodes, maxCost]), (graph) => withRoots(graph, maxNodes, maxCost)]);
    }
    for (const target of avoids) add(target, () => avoidsTests(this.isTarget(target)));
    if (minSamplesLeaf !== null) add(minSamplesLeaf, (graph) => hasLargeLeaves(graph, minSamplesLeaf));
    if (root) add(root, () => testsAtRoot(this.isTarget(root)));
    if (maxDepth !== null) add(maxDepth, (graph) => isShallow(graph, maxDepth));
    for (const target of uses) add(target, (graph) => usesTests(graph, this.isTarget(target)));
    for (const { answers, label } of agreesWith) {
      add([Array.from(answers), label], (graph) => predicts(graph, answers, label));
    }
    return steps;
  }
}

/**
 * Return the trees of at most some size and cost.
 * @param {Graph} graph @param {number|null} maxNodes @param {number|null} maxCost
 */
function withRoots(graph, maxNodes, maxCost) {
  const isKept = (/** @type {import("./graph.js").Root} */ root) =>
    root.n_nodes <= (maxNodes ?? Infinity) && root.cost <= (maxCost ?? Infinity);
  const { leaves, leaf, start, feature, no, yes, roots } = graph;
  return new Graph(leaves, leaf, start, feature, no, yes, roots.filter(isKept));
}

/**
 * Accept the trees that test one of some features at the root.
 * @param {boolean[]} isTarget @returns {Automaton}
 */
function testsAtRoot(isTarget) {
  return {
    start: 1,
    move: (state, feature) => (state === 0 || isTarget[feature] ? FREE : NONE),
    accepts: (state) => state === 0,
  };
}

/** @param {boolean[]} isTarget @returns {Automaton} */
function avoidsTests(isTarget) {
  return { start: 0, move: (_, feature) => (isTarget[feature] ? NONE : FREE), accepts: () => true };
}

/**
 * Accept the trees that test one of some features somewhere. If the root does not, either the no branch does, or only
 * the yes branch does: the states are 0 for any subtree, 1 for one that tests a target, 2 for one that does not, and 3
 * for one that would have to and cannot.
 * @param {Graph} graph @param {boolean[]} isTarget @returns {Automaton}
 */
function usesTests(graph, isTarget) {
  const { nNodes, start, feature, no, yes, leaf } = graph;
  const mayUse = new Uint8Array(nNodes);
  const mayAvoid = new Uint8Array(nNodes);
  for (let node = 0; node < nNodes; node++) {
    mayAvoid[node] = leaf[node] >= 0 ? 1 : 0;
    for (let edge = start[node]; edge < start[node + 1]; edge++) {
      if (isTarget[feature[edge]]) mayUse[node] = 1;
      else {
        mayUse[node] |= mayUse[no[edge]] | mayUse[yes[edge]];
        mayAvoid[node] |= mayAvoid[no[edge]] & mayAvoid[yes[edge]];
      }
    }
  }
  /** @type {Moves} */
  const either = [1, 0, 2, 1];
  /** @type {Moves} */
  const neither = [2, 2];
  const moves = [[FREE, FREE], [either, FREE], [neither, NONE], [NONE, NONE]];
  const ifNone = [0, 3, 0, 3]; // the states where no tree uses a target
  const ifAll = [0, 0, 3, 3];
  return {
    start: 1,
    move: (state, test) => moves[state][isTarget[test] ? 1 : 0],
    accepts: (state) => state === 0 || state === 2,
    normal: (state, node) => (!mayUse[node] ? ifNone[state] : !mayAvoid[node] ? ifAll[state] : state),
  };
}

/**
 * Accept the trees with at most so many tests on a path. The state is how many may follow, plus 1; 0 for any number.
 * @param {Graph} graph @param {number} depth @returns {Automaton}
 */
function isShallow(graph, depth) {
  const height = new Int32Array(graph.nNodes);
  for (let node = 0; node < graph.nNodes; node++) {
    for (let edge = graph.start[node]; edge < graph.start[node + 1]; edge++) {
      height[node] = Math.max(height[node], 1 + height[graph.no[edge]], 1 + height[graph.yes[edge]]);
    }
  }
  /** @type {Moves[]} */
  const moves = [FREE, NONE];
  for (let state = 2; state <= depth + 1; state++) moves.push([state - 1, state - 1]);
  return {
    start: depth + 1,
    move: (state) => moves[state],
    accepts: () => true,
    normal: (state, node) => (state > height[node] ? 0 : state),
  };
}

/** @param {Graph} graph @param {number} n @returns {Automaton} */
function hasLargeLeaves(graph, n) {
  return { start: 0, move: () => FREE, accepts: (_, leaf) => graph.leaves.nRows[leaf] >= n };
}

/**
 * Accept the trees that predict a class for a row. The state is 1 on the path of the row.
 * @param {Graph} graph @param {Uint8Array} answers @param {number} label @returns {Automaton}
 */
function predicts(graph, answers, label) {
  /** @type {Moves[]} */
  const moves = [[1, 0], [0, 1]];
  return {
    start: 1,
    move: (state, feature) => (state ? moves[answers[feature]] : FREE),
    accepts: (state, leaf) => !state || graph.leaves.labels[leaf] === label,
  };
}

/**
 * The top of a tree that is fixed: a test, a leaf of a class, or null where anything may follow.
 * @typedef {{test: number, no: Locked, yes: Locked} | {label: number} | null} Locked
 */

/**
 * Accept the trees that begin with a fixed top.
 * @param {Graph} graph @param {Locked} locked @returns {Automaton}
 */
export function beginsWith(graph, locked) {
  /** @type {Locked[]} */
  const tops = [null];
  /** @type {Moves[]} */
  const moves = [FREE];
  const number = (/** @type {Locked} */ top) => {
    if (top === null) return 0;
    const state = tops.push(top) - 1;
    if ("test" in top) moves[state] = [number(top.no), number(top.yes)];
    return state;
  };
  const start = number(locked);
  return {
    start,
    move(state, feature) {
      const top = tops[state];
      return top === null || ("test" in top && top.test === feature) ? moves[state] : NONE;
    },
    accepts(state, leaf) {
      const top = tops[state];
      return top === null || ("label" in top && top.label === graph.leaves.labels[leaf]);
    },
  };
}

/**
 * Return the graph of the trees that an automaton accepts.
 * @param {Graph} graph
 * @param {Automaton} automaton
 * @returns {Graph}
 */
export function restrict(graph, automaton) {
  const { nNodes, leaf, start: edgeStart, feature: test, no: ifNo, yes: ifYes } = graph;
  const { start: begin, move, accepts, normal } = automaton;
  /** @type {Int32Array[]} For each state and node the node of the product, if there is one. */
  const numbers = [];
  /** @type {number[]} The states that occur. */
  const states = [];

  /** Return the table of a state at a node. @param {number} node @param {number} state */
  const tableOf = (node, state) => {
    const reduced = normal ? normal(state, node) : state;
    if (!numbers[reduced]) {
      numbers[reduced] = new Int32Array(nNodes).fill(UNREACHED);
      states.push(reduced);
    }
    return numbers[reduced];
  };
  for (const root of graph.roots) tableOf(root.node, begin)[root.node] = EMPTY;
  let nCopies = 0;
  for (let node = nNodes - 1; node >= 0; node--) {
    for (const state of states) {
      if (numbers[state][node] === UNREACHED) continue;
      for (let edge = edgeStart[node]; edge < edgeStart[node + 1]; edge++) {
        const moves = move(state, test[edge]);
        for (let i = 0; i < moves.length; i += 2) {
          tableOf(ifNo[edge], moves[i])[ifNo[edge]] = EMPTY;
          tableOf(ifYes[edge], moves[i + 1])[ifYes[edge]] = EMPTY;
          nCopies += 1;
        }
      }
    }
  }

  const [feature, no, yes] = [0, 0, 0].map(() => new Int32Array(nCopies));
  const leaves = [];
  const start = [0];
  let nEdges = 0;
  for (let node = 0; node < nNodes; node++) {
    for (const state of states) {
      if (numbers[state][node] === UNREACHED) continue;
      const first = nEdges;
      for (let edge = edgeStart[node]; edge < edgeStart[node + 1]; edge++) {
        const moves = move(state, test[edge]);
        for (let i = 0; i < moves.length; i += 2) {
          no[nEdges] = tableOf(ifNo[edge], moves[i])[ifNo[edge]];
          yes[nEdges] = tableOf(ifYes[edge], moves[i + 1])[ifYes[edge]];
          if (no[nEdges] >= 0 && yes[nEdges] >= 0) feature[nEdges++] = test[edge];
        }
      }
      if (nEdges > first || (leaf[node] >= 0 && accepts(state, leaf[node]))) {
        numbers[state][node] = leaves.length;
        leaves.push(leaf[node]);
        start.push(nEdges);
      }
    }
  }
  const roots = graph.roots
    .map((root) => ({ ...root, node: tableOf(root.node, begin)[root.node] }))
    .filter((root) => root.node >= 0);
  const [features, noChildren, yesChildren] = [feature, no, yes].map((edges) => edges.slice(0, nEdges));
  return new Graph(graph.leaves, new Int32Array(leaves), new Int32Array(start), features, noChildren, yesChildren, roots);
}
