/** Elements of SVG and HTML, made one by one. No text is ever parsed as markup. */

const SVG = 'http://www.w3.org/2000/svg';

/**
 * @param {string} name the name of an SVG element
 * @param {Record<string, string | number>} attributes
 * @param {...(Element | string)} children
 * @returns {SVGElement}
 * @throws Error if SVG has no such element
 */
export function svg(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  if (!(made instanceof SVGElement)) throw new Error(`There is no ${name}.`);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, String(value));
  made.append(...children);
  return made;
}

/**
 * @param {string} name the name of an HTML element
 * @param {{ className?: string, text?: string }} [looks]
 * @param {...(Element | string)} children
 */
export function element(name, { className, text } = {}, ...children) {
  const made = document.createElement(name);
  if (className !== undefined) made.className = className;
  if (text !== undefined) made.textContent = text;
  made.append(...children);
  return made;
}

/**
 * The axis of a chart.
 * @param {number} value the largest value that it shows
 * @returns {{ top: number, steps: number }} a round number at or above `value`, and the number of steps up to it
 */
export function scale(value) {
  if (value <= 0) return { top: 1, steps: 1 };
  const power = 10 ** Math.floor(Math.log10(value));
  for (const [factor, steps] of /** @type {const} */ ([
    [1, 4],
    [2, 4],
    [2.5, 5],
    [4, 4],
    [5, 5],
    [8, 4],
    [10, 5],
  ])) {
    if (factor * power >= value) return { top: factor * power, steps };
  }
  return { top: 10 * power, steps: 5 };
}
