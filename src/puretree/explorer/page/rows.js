// Rows: their answers to the tests, and the votes of all trees on them.

import { Graph } from "./graph.js";
import { unpack } from "./data.js";

/** @typedef {import("./data.js").Content} Content */
/** @typedef {import("./data.js").Test} Test */
/** @typedef {import("./data.js").RowsContent} RowsContent */

/**
 * Return whether an encoded value satisfies a test; NaN stands for a missing value.
 * @param {Pick<Test, "edges"|"starts_inside"|"holds_missing">} region @param {number} value
 */
export function contains(region, value) {
  if (Number.isNaN(value)) return region.holds_missing;
  let isInside = region.starts_inside;
  for (const edge of region.edges) {
    if (value < edge) break;
    isInside = !isInside;
  }
  return isInside;
}

/**
 * Return the answers of a row to all tests.
 * @param {Test[]} tests
 * @param {number[]} values The encoded value of each column.
 */
export function answersOf(tests, values) {
  return Uint8Array.from(tests, (test) => (contains(test, values[test.column]) ? 1 : 0));
}

/** Labelled rows: those of training, or others. */
export class Rows {
  /**
   * @param {Int32Array} labels The class of each row, -1 if no tree predicts it.
   * @param {Int32Array} numbers The numbers of the rows in the table.
   * @param {number[][]} columns The encoded values, column by column.
   * @param {Test[]} tests
   */
  constructor(labels, numbers, columns, tests) {
    this.labels = labels;
    this.numbers = numbers;
    this.columns = columns;
    this.tests = tests;
    /** @type {Uint8Array[]|null} */
    this.cachedAnswers = null;
  }

  /** @param {RowsContent} content @param {Test[]} tests @returns {Promise<Rows>} */
  static async read(content, tests) {
    const columns = content.columns.map(async ({ values, codes }) => {
      const numbers = values.map((value) => value ?? NaN);
      return Array.from(await unpack(codes), (code) => numbers[code]);
    });
    const [labels, numbers] = await Promise.all([unpack(content.codes), unpack(content.numbers)]);
    return new Rows(labels, numbers, await Promise.all(columns), tests);
  }

  get length() {
    return this.labels.length;
  }

  /** @param {number} row @returns {number[]} */
  values(row) {
    return this.columns.map((column) => column[row]);
  }

  /** The answers of each row to all tests, computed once. */
  get answers() {
    this.cachedAnswers ??= Array.from(this.labels, (_, row) => answersOf(this.tests, this.values(row)));
    return this.cachedAnswers;
  }
}

/**
 * Return the share of all trees that predict each class for a row.
 * @param {Graph} graph @param {Uint8Array} answers
 * @returns {number[]}
 */
export function voteOn(graph, answers) {
  const { leaves, leaf, start, feature, no, yes, weights } = graph;
  return Array.from({ length: leaves.nClasses }, (_, label) => {
    const share = new Float64Array(graph.nNodes);
    for (let node = 0; node < graph.nNodes; node++) {
      let sum = leaf[node] >= 0 && leaves.labels[leaf[node]] === label ? 1 : 0;
      for (let edge = start[node]; edge < start[node + 1]; edge++) {
        sum += weights[edge] * share[answers[feature[edge]] ? yes[edge] : no[edge]];
      }
      share[node] = sum;
    }
    return graph.meanOverRoots((node) => share[node]);
  });
}

/**
 * Make rows of which each value is that of a training row, or without training rows any value between the thresholds:
 * pure trees agree on the training rows, so only other rows tell them apart.
 * @param {Content} content @param {Rows|null} training @param {number} n
 * @returns {Rows}
 */
export function mixedRows(content, training, n) {
  const random = seededRandom(1);
  const columns = content.columns.map((_, column) => {
    const values = training?.length ? training.columns[column] : cellsOf(content, column);
    return Array.from({ length: n }, () => values[Math.floor(random() * values.length)]);
  });
  return new Rows(new Int32Array(n).fill(-1), new Int32Array(n), columns, content.tests);
}

/** @param {Content} content @param {number} column @returns {number[]} */
function cellsOf(content, column) {
  const edges = content.tests.filter((test) => test.column === column).flatMap((test) => test.edges);
  const ascending = [...new Set(edges)].sort((a, b) => a - b);
  const cells = [(ascending[0] ?? 0) - 1, ...ascending];
  return content.columns[column].has_missing ? [...cells, NaN] : cells;
}

/** Return a generator of numbers from 0 to 1: mulberry32. @param {number} seed */
function seededRandom(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
