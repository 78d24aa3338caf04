// Elements of the page. Names from the data are only ever text and attributes, never markup.

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Record<string, string|number|boolean|null|undefined|((event: any) => void)>} Attributes */

/**
 * Return a new HTML element.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Attributes} attributes Functions are listeners; true stands for an empty value; false and null are omitted.
 * @param {...(Node|string|null)} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function h(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/**
 * Return a new SVG element.
 * @template {keyof SVGElementTagNameMap} Name
 * @param {Name} name @param {Attributes} attributes @param {...(Node|string|null)} children
 * @returns {SVGElementTagNameMap[Name]}
 */
export function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

/**
 * @template {Element} E
 * @param {E} element @param {Attributes} attributes @param {(Node|string|null)[]} children
 * @returns {E}
 */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/**
 * Return the element of the page with an id.
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no element ${id}`);
  return element;
}

/**
 * Return a button.
 * @param {string} text @param {() => void} onClick @param {Attributes} attributes
 */
export function button(text, onClick, attributes = {}) {
  return h("button", { type: "button", click: onClick, ...attributes }, text);
}

/**
 * Replace the children of an element, and keep the focus on the element with the same key.
 * @param {Element} host @param {...(Node|string|null)} children
 */
export function replace(host, ...children) {
  const focused = document.activeElement;
  const key = focused && host.contains(focused) ? focused.getAttribute("data-key") : null;
  host.replaceChildren(...children.filter((child) => child !== null));
  if (key === null) return;
  const again = /** @type {(HTMLElement|SVGElement)[]} */ ([...host.querySelectorAll("[data-key]")]);
  again.find((element) => element.getAttribute("data-key") === key)?.focus({ preventScroll: true });
}

/**
 * Return a count with its digits in groups of three; one with too many digits as a power of ten.
 * @param {bigint|number} count @param {number} [maxDigits]
 */
export function formatCount(count, maxDigits = 60) {
  const digits = count.toString();
  if (digits.length > maxDigits) return `${digits[0]}.${digits.slice(1, 4)} × 10^${digits.length - 1}`;
  return digits.replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Return a number of things. @param {bigint|number} n @param {string} noun @param {string} [plural] */
export function quantity(n, noun, plural = `${noun}s`) {
  return `${formatCount(n)} ${n == 1 ? noun : plural}`;
}

/** Return a share as a percentage that is 0 or 100 only if the share is. @param {number} share */
export function percent(share) {
  if (share === 0 || share === 1) return `${100 * share}%`;
  if (share < 0.001) return "<0.1%";
  if (share > 0.999) return ">99.9%";
  return `${(100 * share).toFixed(1)}%`;
}

/** Return a number with few digits. @param {number} x */
export function formatNumber(x) {
  return Number.isInteger(x) ? String(x) : String(Number(x.toPrecision(6)));
}
