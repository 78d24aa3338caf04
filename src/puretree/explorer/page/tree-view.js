// The drawn tree: it can be zoomed, its subtrees can be collapsed, and arrow keys move from node to node.

import { byId, quantity, replace, svg } from "./dom.js";
import { Explorer } from "./explorer.js";
import { branchCentre, FONT_SIZE, layOut, LINE_HEIGHT, linkPath, SMALL_SIZE, SPLIT_WIDTH, textWidth, wrapText } from "./layout.js";
import { lockedAt, nodeAt, sizeOf } from "./trees.js";

/** @typedef {import("./layout.js").Box} Box */
/** @typedef {import("./layout.js").Item} Item */
/** @typedef {import("./layout.js").Layout} Layout */
/** @typedef {import("./trees.js").Tree} Tree */

const N_COLOURS = 15;
const MIN_ZOOM = 0.15;
const MAX_ZOOM = 3;
const MIN_FIT = 0.7; // smaller text is hard to read: the drawing is larger then, and scrolled
const SCROLLED = 0.9;
const MAX_OPEN = 45; // nodes that are drawn of a tree, unless somebody expands it: more are hard to survey

/**
 * Return the paths of the subtrees to hide so that few nodes are drawn, those nearest to the root.
 * @param {Tree} tree
 * @returns {Set<string>}
 */
export function hiddenOf(tree) {
  const inner = [{ node: tree, path: "" }];
  let nOpen = 1;
  let next = 0;
  while (next < inner.length && nOpen + 2 <= MAX_OPEN) {
    const { node, path } = inner[next++];
    nOpen += 2;
    if (node.yes?.no) inner.push({ node: node.yes, path: `${path}y` });
    if (node.no?.no) inner.push({ node: node.no, path: `${path}n` });
  }
  return new Set(inner.slice(next).map(({ path }) => path));
}

/**
 * Return what the nodes of a tree show.
 * @param {Explorer} explorer @param {Tree} tree
 * @param {Set<string>} collapsed The paths of nodes whose subtrees are hidden.
 * @returns {Item}
 */
export function itemsOf(explorer, tree, collapsed = new Set()) {
  const { classes, tests } = explorer.content;
  const counts = explorer.counts(tree);
  const { labels } = explorer.all.leaves;
  /** @type {(node: Tree, path: string, branch: string, excluded: Set<number>) => Item} */
  const itemOf = (node, path, branch, excluded) => {
    const ofClasses = counts.get(node) ?? [];
    const nRows = ofClasses.reduce((a, b) => a + b, 0);
    if (!node.no) {
      const label = labels[node.leaf];
      const nWrong = nRows - ofClasses[label];
      const note = quantity(nRows, "row") + (nWrong ? `, ${nWrong} wrong` : "");
      return { path, tree: node, lines: wrapText(classes[label], 130, 2, true), note, isLeaf: true, children: [], branch };
    }
    const test = tests[node.test];
    const isHidden = collapsed.has(path);
    // Missing values take the no branch unless a test above on the same column has sent them elsewhere.
    const mayBeMissing = explorer.content.columns[test.column].has_missing && !excluded.has(test.column);
    const withMissing = mayBeMissing && !test.holds_missing;
    const without = new Set([...excluded, test.column]);
    const children = isHidden
      ? []
      : [
          itemOf(node.yes, `${path}y`, "yes", test.holds_missing ? excluded : without),
          itemOf(node.no, `${path}n`, withMissing ? "no or missing" : "no", test.holds_missing ? without : excluded),
        ];
    const note = isHidden ? `… ${sizeOf(node) - 1} more nodes` : "";
    return { path, tree: node, lines: wrapText(`${test.text}?`, SPLIT_WIDTH, 5), note, isLeaf: false, children, branch };
  };
  return itemOf(tree, "", "", new Set());
}

/**
 * Return the drawing of a tree.
 * @param {Explorer} explorer @param {Layout} layout
 * @param {(box: Box) => Record<string, any>} attributesOf More attributes of a node.
 */
export function drawTree(explorer, layout, attributesOf = () => ({})) {
  const { boxes, width, height } = layout;
  const links = boxes.filter((box) => box.parent);
  return svg(
    "svg",
    { viewBox: `0 0 ${Math.ceil(width)} ${Math.ceil(height)}`, width: Math.ceil(width), height: Math.ceil(height) },
    ...links.map((box) => svg("path", { class: "link", d: linkPath(layout, box) })),
    ...links.map((box) => drawBranch(layout, box)),
    ...boxes.map((box) => drawBox(explorer, layout, box, attributesOf(box))),
  );
}

/** @param {Layout} layout @param {Box} box */
function drawBranch(layout, box) {
  const [x, y] = branchCentre(layout, box);
  const width = textWidth(box.item.branch, SMALL_SIZE) + 4;
  return svg(
    "g",
    { class: "branch" },
    svg("rect", { x: x - width / 2, y: y - 7, width, height: 14 }),
    svg("text", { x, y: y + 4 }, box.item.branch),
  );
}

/** @param {Explorer} explorer @param {Layout} layout @param {Box} box @param {Record<string, any>} attributes */
function drawBox(explorer, layout, box, attributes) {
  const { item, x, y, width, height } = box;
  const label = item.isLeaf ? explorer.all.leaves.labels[item.tree.leaf] : -1;
  const kind = item.isLeaf ? `leaf colour-${label % N_COLOURS}` : "split";
  const top = y - height / 2 + 18;
  const isOneLine = item.isLeaf && layout.direction === "right" && item.note !== "";
  const noteWidth = textWidth(item.note, SMALL_SIZE);
  const textX = isOneLine ? x - (noteWidth + 10) / 2 : x;
  const texts = item.lines.map((line, i) =>
    svg("text", { x: textX, y: top + i * LINE_HEIGHT, class: "name", "font-size": FONT_SIZE }, line),
  );
  if (item.note) {
    const place = isOneLine
      ? { x: x + width / 2 - 9 - noteWidth / 2, y: top }
      : { x, y: top + item.lines.length * LINE_HEIGHT };
    texts.push(svg("text", { ...place, class: "note", "font-size": SMALL_SIZE }, item.note));
  }
  const { class: more = "", ...others } = attributes;
  const rect = svg("rect", { x: x - width / 2, y: y - height / 2, width, height, rx: 6 });
  return svg("g", { class: `node ${kind} ${more}`, ...others }, svg("title", {}, titleOf(explorer, item)), rect, ...texts);
}

/** Return the full text of a node. @param {Explorer} explorer @param {Item} item */
export function titleOf(explorer, item) {
  const { classes, tests } = explorer.content;
  if (!item.isLeaf) return `${tests[item.tree.test].text}?`;
  return `${classes[explorer.all.leaves.labels[item.tree.leaf]]}, ${item.note}`;
}

export class TreeView {
  /**
   * @param {Explorer} explorer
   * @param {(path: string) => void} onSelect
   */
  constructor(explorer, onSelect) {
    this.explorer = explorer;
    this.onSelect = onSelect;
    this.host = byId("tree");
    /** @type {Set<string>} */
    this.collapsed = new Set();
    this.isSurvey = true; // whether large trees are collapsed; until somebody collapses or expands one
    this.selected = "";
    /** @type {string} The way of the row of the form; "-" if there is none. */
    this.rowPath = "-";
    this.zoom = 1;
    /** @type {Tree|null} */
    this.rendered = null;
    this.isFitted = true;
    byId("zoom-in").addEventListener("click", () => this.zoomBy(1.25));
    byId("zoom-out").addEventListener("click", () => this.zoomBy(0.8));
    byId("zoom-fit").addEventListener("click", () => this.fit());
    byId("expand").addEventListener("click", () => this.collapse(new Set()));
    this.host.addEventListener("keydown", (event) => this.onKey(event));
    this.host.addEventListener("wheel", (event) => this.onWheel(event), { passive: false });
    new ResizeObserver(() => this.isFitted && this.fit()).observe(this.host);
  }

  get locked() {
    return this.explorer.state.locked;
  }

  render() {
    const { explorer } = this;
    const { tree } = explorer.state;
    if (this.isSurvey && this.rendered !== tree) this.collapsed = tree.no ? hiddenOf(tree) : new Set();
    while (!nodeAt(tree, this.selected)) this.selected = this.selected.slice(0, -1);
    while ([...this.collapsed].some((path) => this.selected !== path && this.selected.startsWith(path))) {
      this.selected = this.selected.slice(0, -1);
    }
    const width = this.host.clientWidth / MIN_FIT;
    this.layout = layOut(itemsOf(explorer, tree, this.collapsed), Math.max(width, 600));
    const drawing = drawTree(explorer, this.layout, (box) => this.attributesOf(box));
    drawing.setAttribute("role", "tree");
    drawing.setAttribute("aria-label", `The drawn tree, ${quantity(sizeOf(tree), "node")}`);
    this.drawing = drawing;
    replace(this.host, drawing);
    const { scrollLeft, scrollTop } = this.host;
    if (!this.isFitted || this.rendered === tree) this.setZoom(this.zoom);
    else this.fit();
    if (this.rendered === tree) this.host.scrollTo(scrollLeft, scrollTop);
    this.rendered = tree;
    byId("expand").hidden = this.collapsed.size === 0;
  }

  /** @param {Box} box */
  attributesOf({ item, depth }) {
    const isLocked = lockedAt(this.locked, item.path) !== null;
    const isOnPath = this.rowPath !== "-" && this.rowPath.startsWith(item.path);
    const states = [item.path === this.selected && "selected", isLocked && "locked", isOnPath && "on-path"];
    const branch = item.branch ? `${item.branch}: ` : "";
    const hidden = this.collapsed.has(item.path) ? `, ${sizeOf(item.tree) - 1} nodes below are hidden` : "";
    return {
      class: states.filter(Boolean).join(" "),
      role: "treeitem",
      tabindex: item.path === this.selected ? 0 : -1,
      "data-key": `node ${item.path}`,
      "aria-level": depth + 1,
      "aria-selected": item.path === this.selected ? "true" : "false",
      "aria-expanded": item.isLeaf ? null : this.collapsed.has(item.path) ? "false" : "true",
      "aria-label": branch + titleOf(this.explorer, item) + (isLocked ? ", fixed" : "") + hidden,
      click: () => this.select(item.path),
      dblclick: () => this.toggle(item.path),
    };
  }

  /** @param {string} path */
  select(path) {
    this.selected = path;
    this.render();
    this.focusSelected();
    this.onSelect(path);
  }

  focusSelected() {
    const node = this.host.querySelector('[tabindex="0"]');
    if (node instanceof SVGElement) node.focus({ preventScroll: true });
    node?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** @param {string} path */
  toggle(path) {
    if (!nodeAt(this.explorer.state.tree, path)?.no) return;
    const collapsed = new Set(this.collapsed);
    if (!collapsed.delete(path)) collapsed.add(path);
    this.collapse(collapsed);
  }

  /** @param {Set<string>} collapsed */
  collapse(collapsed) {
    this.isSurvey = false;
    this.collapsed = collapsed;
    this.render();
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const path = this.selected;
    const visible = (/** @type {string} */ child) =>
      nodeAt(this.explorer.state.tree, child) && !this.collapsed.has(child.slice(0, -1));
    const sibling = path.slice(0, -1) + (path.endsWith("y") ? "n" : "y");
    const isDown = this.layout?.direction === "down";
    /** @type {Record<string, () => void>} */
    const actions = {
      parent: () => path && this.select(path.slice(0, -1)),
      child: () => visible(`${path}y`) && this.select(`${path}y`),
      sibling: () => path && this.select(sibling),
      first: () => this.select(""),
      toggle: () => this.toggle(path),
      choose: () => this.onSelect(path),
    };
    const [up, down, side] = ["parent", "child", "sibling"];
    const meaning = {
      ArrowUp: isDown ? up : side,
      ArrowDown: isDown ? down : side,
      ArrowLeft: isDown ? side : up,
      ArrowRight: isDown ? side : down,
      Home: "first",
      " ": "toggle",
      Enter: "choose",
    }[event.key];
    if (!meaning || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    actions[meaning]();
  }

  /** @param {WheelEvent} event */
  onWheel(event) {
    if (!event.ctrlKey) return;
    event.preventDefault();
    this.zoomBy(event.deltaY < 0 ? 1.1 : 1 / 1.1);
  }

  /** @param {number} factor */
  zoomBy(factor) {
    this.isFitted = false;
    this.setZoom(Math.min(MAX_ZOOM, Math.max(MIN_ZOOM, this.zoom * factor)));
  }

  /** Show the whole width of the tree, unless the text would be too small. */
  fit() {
    this.isFitted = true;
    if (!this.layout) return;
    const whole = Math.min(1, (this.host.clientWidth - 2) / this.layout.width);
    this.setZoom(whole < MIN_FIT ? SCROLLED : whole);
    const { x, y } = this.layout.boxes[0];
    if (whole < MIN_FIT) this.host.scrollTo(SCROLLED * x - this.host.clientWidth / 2, SCROLLED * y - this.host.clientHeight / 2);
  }

  /** @param {number} zoom */
  setZoom(zoom) {
    this.zoom = zoom;
    if (!this.layout || !this.drawing) return;
    this.drawing.setAttribute("width", String(Math.round(this.layout.width * zoom)));
    this.drawing.setAttribute("height", String(Math.round(this.layout.height * zoom)));
    byId("zoom").textContent = `${Math.round(100 * zoom)}%`;
  }
}
