// The state of the page: the point, the filters, what is fixed of the tree, and the tree that is drawn.

import { beginsWith, FilterChain, NO_FILTERS, restrict } from "./filters.js";
import { Graph } from "./graph.js";
import { Rows } from "./rows.js";
import { findByDistance, findByVote, findMostAccurate } from "./search.js";
import { countsOf, randomBelow, rankOf, treeOfRank, treeOfTests } from "./trees.js";

/** @typedef {import("./data.js").Content} Content */
/** @typedef {import("./filters.js").Filters} Filters */
/** @typedef {import("./filters.js").Locked} Locked */
/** @typedef {import("./search.js").Found} Found */
/** @typedef {import("./trees.js").Tree} Tree */
/** @typedef {{point: number, filters: Filters, locked: Locked, tree: Tree, note: string}} State */

export class Explorer {
  /**
   * @param {Content} content
   * @param {Graph[]} graphs The trees of each point.
   * @param {Rows|null} training @param {Rows|null} selection
   */
  constructor(content, graphs, training, selection) {
    this.content = content;
    this.graphs = graphs;
    this.training = training;
    this.selection = selection;
    this.columnOf = content.tests.map((test) => test.column);
    this.chains = graphs.map((graph) => new FilterChain(graph, this.columnOf));
    /** @type {State[]} */
    this.history = [];
    /** Called as soon as the remaining trees are counted. @type {(total: bigint) => void} */
    this.onCount = () => {};
    /** Called when the drawn tree is one of them. @type {() => void} */
    this.onChange = () => {};
    this.timer = 0;
    const point = content.start;
    /** @type {State} */
    this.state = { point, filters: NO_FILTERS, locked: null, tree: this.firstTree(point), note: "" };
    this.filtered = this.graph = graphs[point];
  }

  /** @param {Content} content @returns {Promise<Explorer>} */
  static async read(content) {
    const read = (/** @type {import("./data.js").RowsContent|null} */ rows) => rows && Rows.read(rows, content.tests);
    const graphs = await Promise.all(content.points.map((point) => Graph.read(point.graph)));
    return new Explorer(content, graphs, await read(content.rows), await read(content.selection));
  }

  /** Return the tree of a point that is drawn first. @param {number} point */
  firstTree(point) {
    const { tree } = this.content.points[point];
    return tree ? treeOfTests(this.graphs[point], tree) : this.cheapest(this.graphs[point]);
  }

  /** Return the first tree of least cost, and of these the smallest. @param {Graph} graph */
  cheapest(graph) {
    let rank = 0n;
    let before = 0n;
    let best = graph.roots[0];
    for (const root of graph.roots) {
      if (root.cost < best.cost || (root.cost === best.cost && root.n_nodes < best.n_nodes)) [best, rank] = [root, before];
      before += graph.count(root.node);
    }
    return treeOfRank(graph, rank);
  }

  /** All trees of the point. */
  get all() {
    return this.graphs[this.state.point];
  }

  /** The position of the drawn tree among those that satisfy everything, or null. */
  get rank() {
    return rankOf(this.graph, this.state.tree);
  }

  /** The numbers of training rows at the nodes of a tree. @param {Tree} tree */
  counts(tree) {
    return countsOf(this.all, tree);
  }

  /**
   * Change the state, so that it can be undone.
   * @param {Partial<State>} change
   */
  change(change) {
    this.history.push(this.state);
    this.show({ note: "", ...change });
  }

  undo() {
    const previous = this.history.pop();
    if (previous) this.show(previous);
  }

  /**
   * Count the trees at once, and draw one of them a moment later.
   * @param {Partial<State>} change
   */
  show(change) {
    const before = this.state.point;
    this.state = { ...this.state, ...change };
    const { point, filters, locked } = this.state;
    if (point !== before && !change.tree) this.state.tree = this.firstTree(point);
    const chain = this.chains[point];
    const apply = () => {
      this.filtered = chain.apply(filters);
      this.graph = locked ? restrict(this.filtered, beginsWith(this.filtered, locked)) : this.filtered;
    };
    if (locked) apply();
    this.onCount(locked ? this.graph.total : chain.count(filters));
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      apply();
      if (this.graph.total > 0n && this.rank === null) {
        this.state.tree = findByDistance(this.graph, [this.state.tree], "least").tree;
      }
      this.onChange();
    });
  }

  /** @param {Partial<Filters>} change */
  filter(change) {
    this.change({ filters: { ...this.state.filters, ...change } });
  }

  /** @param {number} point */
  moveTo(point) {
    const filters = { ...this.state.filters, maxNodes: null, maxCost: null };
    this.change({ point, filters, locked: null });
  }

  // Other trees that satisfy everything

  /** @param {bigint} step */
  step(step) {
    const { total } = this.graph;
    this.change({ tree: treeOfRank(this.graph, ((this.rank ?? -step) + step + total) % total) });
  }

  random() {
    this.change({ tree: treeOfRank(this.graph, randomBelow(this.graph.total)) });
  }

  /** The tree that differs most from the drawn tree and some others. @param {Tree[]} others */
  mostDifferent(others) {
    const { tree, score } = findByDistance(this.graph, [this.state.tree, ...others], "most");
    this.change({ tree, note: `This tree differs from ${others.length ? "the others" : "the one before"} in ${score} tests.` });
  }

  best() {
    if (!this.selection) {
      this.change({ tree: this.cheapest(this.graph) });
      return;
    }
    const { tree, score, isExact } = findMostAccurate(this.graph, this.selection);
    const what = isExact ? "No tree is more accurate" : "The best of 1,000 random trees";
    this.change({ tree, note: `${what}: ${score} of ${this.selection.length} selection rows are correct.` });
  }

  vote() {
    const { tree, isExact } = findByVote(this.graph, this.content, this.training);
    const among = isExact ? "This tree agrees" : "Of 1,000 random trees, this one agrees";
    this.change({ tree, note: `${among} most with the vote of all trees.` });
  }
}
