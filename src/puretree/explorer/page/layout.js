// The layout of a drawn tree, as in the Python module `export/layout.py`: subtrees are moved together until their
// outlines are a fixed gap apart (Reingold and Tilford 1981). Trees that would be too wide grow to the right.

/** @typedef {import("./trees.js").Tree} Tree */

/**
 * What a node shows.
 * @typedef {{path: string, tree: Tree, lines: string[], note: string, isLeaf: boolean, children: Item[],
 *   branch: string}} Item
 * @typedef {{item: Item, x: number, y: number, width: number, height: number, parent: Box|null, depth: number}} Box
 * @typedef {{boxes: Box[], width: number, height: number, direction: "down"|"right", gap: number}} Layout
 */

export const FONT_SIZE = 13;
export const SMALL_SIZE = 11;
export const LINE_HEIGHT = 17;
const PAD = 9;
const MARGIN = 12;
const MAX_WIDTH_DOWN = 1100;
export const SPLIT_WIDTH = 170;
const FONT_FAMILY = "system-ui, 'Segoe UI', Roboto, Helvetica, Arial, 'Noto Sans', sans-serif";

const canvas = typeof document === "undefined" ? null : document.createElement("canvas").getContext("2d");

/** Return the width of a line of text. @param {string} text @param {number} size @param {boolean} [isBold] */
export function textWidth(text, size, isBold = false) {
  if (!canvas) return text.length * size * 0.65;
  canvas.font = `${isBold ? "600 " : ""}${size}px ${FONT_FAMILY}`;
  return canvas.measureText(text).width;
}

/**
 * Break a text into lines; the last one ends in "…" if the text does not fit.
 * @param {string} text @param {number} width @param {number} maxLines @param {boolean} [isBold]
 * @returns {string[]}
 */
export function wrapText(text, width, maxLines, isBold = false) {
  const fits = (/** @type {string} */ line) => textWidth(line, FONT_SIZE, isBold) <= width;
  const lines = [""];
  for (const word of text.split(" ").flatMap((part) => (fits(part) ? [`${part} `] : [...part, " "]))) {
    if (lines[lines.length - 1] && !fits(lines[lines.length - 1] + word.trimEnd())) lines.push("");
    lines[lines.length - 1] += word;
    if (lines.length > maxLines) break;
  }
  const trimmed = lines.map((line) => line.trim());
  if (trimmed.length <= maxLines) return trimmed;
  let last = trimmed[maxLines - 1];
  while (last && !fits(`${last}…`)) last = last.slice(0, -1);
  return [...trimmed.slice(0, maxLines - 1), `${last}…`];
}

/**
 * Compute the positions of all nodes.
 * @param {Item} root
 * @param {number} [maxWidth] Of a tree that grows downwards.
 * @returns {Layout}
 */
export function layOut(root, maxWidth = MAX_WIDTH_DOWN) {
  const down = placeBoxes(root, "down");
  return down.width > maxWidth ? placeBoxes(root, "right") : down;
}

/** @param {Item} root @param {"down"|"right"} direction @returns {Layout} */
function placeBoxes(root, direction) {
  /** @type {Box[]} */
  const boxes = [{ ...sized(root, direction), parent: null, depth: 0 }];
  for (const box of boxes) {
    for (const child of box.item.children) boxes.push({ ...sized(child, direction), parent: box, depth: box.depth + 1 });
  }
  const isDown = direction === "down";
  const gap = isDown ? 46 : 40 + Math.max(...boxes.map((box) => textWidth(box.item.branch, SMALL_SIZE)));
  const [across, extent] = positionsAcross(boxes, isDown);
  /** @type {number[]} */
  const largest = [];
  for (const box of boxes) largest[box.depth] = Math.max(largest[box.depth] ?? 0, isDown ? box.height : box.width);
  const starts = [0];
  for (const size of largest) starts.push(starts[starts.length - 1] + size + gap);
  boxes.forEach((box, i) => {
    const along = starts[box.depth] + (isDown ? box.height : box.width) / 2;
    [box.x, box.y] = isDown ? [across[i] + MARGIN, along + MARGIN] : [along + MARGIN, across[i] + MARGIN];
  });
  const length = starts[starts.length - 1] - gap;
  const [width, height] = isDown ? [extent, length] : [length, extent];
  return { boxes, width: width + 2 * MARGIN, height: height + 2 * MARGIN, direction, gap };
}

/** @param {Item} item @param {"down"|"right"} direction */
function sized(item, direction) {
  const widths = item.lines.map((line) => textWidth(line, FONT_SIZE, item.isLeaf));
  const noteWidth = textWidth(item.note, SMALL_SIZE);
  const isOneLine = item.isLeaf && direction === "right" && item.note !== "";
  const width = isOneLine ? widths[0] + 10 + noteWidth : Math.max(...widths, noteWidth);
  const nLines = isOneLine ? 1 : item.lines.length + (item.note ? 1 : 0);
  const branch = direction === "down" ? textWidth(item.branch, SMALL_SIZE) : 0;
  return { item, x: 0, y: 0, width: Math.max(width + 2 * PAD, branch, 44), height: nLines * LINE_HEIGHT + PAD };
}

/**
 * Return the position of each box across the direction of growth, and the extent of the tree.
 * @param {Box[]} boxes @param {boolean} isDown
 * @returns {[number[], number]}
 */
function positionsAcross(boxes, isDown) {
  const gap = isDown ? 14 : 9;
  const index = new Map(boxes.map((box, i) => [box.item, i]));
  /** @type {{near: number[], far: number[]}[]} */
  const outlines = [];
  /** @type {number[]} */
  const half = [];
  for (let i = boxes.length - 1; i >= 0; i--) {
    const size = isDown ? boxes[i].width : boxes[i].height;
    const near = [-size / 2];
    const far = [size / 2];
    const children = boxes[i].item.children.map((child) => /** @type {number} */ (index.get(child)));
    if (children.length) {
      const [first, second] = children.map((child) => outlines[child]);
      const n = Math.min(first.far.length, second.near.length);
      let distance = 0;
      for (let level = 0; level < n; level++) distance = Math.max(distance, first.far[level] - second.near[level]);
      half[i] = (distance + gap) / 2;
      const shift = (/** @type {number[]} */ outline, /** @type {number} */ by) => outline.map((x) => x + by);
      near.push(...joined(shift(first.near, -half[i]), shift(second.near, half[i]), Math.min));
      far.push(...joined(shift(first.far, -half[i]), shift(second.far, half[i]), Math.max));
    }
    outlines[i] = { near, far };
  }
  const nearest = Math.min(...outlines[0].near);
  const positions = [-nearest];
  boxes.forEach((box, i) => {
    box.item.children.forEach((child, side) => {
      positions[/** @type {number} */ (index.get(child))] = positions[i] + (side ? half[i] : -half[i]);
    });
  });
  return [positions, Math.max(...outlines[0].far) - nearest];
}

/** @param {number[]} first @param {number[]} second @param {(a: number, b: number) => number} outer */
function joined(first, second, outer) {
  const longer = first.length > second.length ? first : second;
  return longer.map((x, level) => (level < first.length && level < second.length ? outer(first[level], second[level]) : x));
}

/**
 * Return the path of the line from a node to a child: straight to the end of the level, then a curve.
 * @param {Layout} layout @param {Box} box
 */
export function linkPath({ direction, gap }, box) {
  const parent = /** @type {Box} */ (box.parent);
  const numbers = (/** @type {number[]} */ ...values) => values.map((value) => value.toFixed(1)).join(" ");
  if (direction === "down") {
    const [x, y] = [parent.x, parent.y + parent.height / 2];
    const end = box.y - box.height / 2;
    const middle = end - gap / 2;
    return `M${numbers(x, y)}L${numbers(x, end - gap)}C${numbers(x, middle, box.x, middle, box.x, end)}`;
  }
  const [x, y] = [parent.x + parent.width / 2, parent.y];
  const end = box.x - box.width / 2;
  const middle = end - gap / 2;
  return `M${numbers(x, y)}L${numbers(end - gap, y)}C${numbers(middle, y, middle, box.y, end, box.y)}`;
}

/** Return the centre of the name of the branch that leads to a box. @param {Layout} layout @param {Box} box */
export function branchCentre({ direction }, box) {
  if (direction === "down") return [box.x, box.y - box.height / 2 - 12];
  return [box.x - box.width / 2 - 7 - textWidth(box.item.branch, SMALL_SIZE) / 2, box.y];
}
