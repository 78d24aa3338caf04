// The data of the page: JSON in which arrays of integers are compressed.

/**
 * @typedef {{name: string, kind: "number"|"category"|"ordered", levels: string[], has_missing: boolean,
 *   is_integer: boolean, is_boolean: boolean, range: number|null, json: string}} Column
 * @typedef {{feature: number, text: string, column: number, edges: number[], starts_inside: boolean,
 *   holds_missing: boolean, json: string}} Test
 * @typedef {{labels: string, counts: string, n_edges: string, feature: string, no: string, yes: string,
 *   roots: {node: number, n_nodes: number, cost: number}[]}} GraphContent
 * @typedef {{n_nodes: number, cost: number, lower_bound: number, status: string, note: string, tree: number[]|null,
 *   graph: GraphContent}} PointContent
 * @typedef {{codes: string, numbers: string, columns: {values: (number|null)[], codes: string}[]}} RowsContent
 * @typedef {{title: string, version: string, classes: string[], classes_json: string,
 *   minimises: "nodes"|"errors"|"cost", n_rows: number, columns: Column[], tests: Test[], n_columns: number,
 *   start: number, points: PointContent[], rows: RowsContent|null, no_rows: string,
 *   selection: RowsContent|null}} Content
 */

/**
 * Return the integers that the Python function `pack` has written.
 * @param {string} text
 * @returns {Promise<Int32Array>}
 */
export async function unpack(text) {
  const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const planes = new Uint8Array(await new Response(stream).arrayBuffer());
  const n = planes.length / 4;
  const numbers = new Int32Array(n);
  for (let i = 0; i < n; i++) {
    numbers[i] = planes[i] | (planes[n + i] << 8) | (planes[2 * n + i] << 16) | (planes[3 * n + i] << 24);
  }
  return numbers;
}
