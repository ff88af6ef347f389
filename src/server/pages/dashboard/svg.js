/** Pictures, drawn element by element: no text is ever parsed as markup. */

const SVG = 'http://www.w3.org/2000/svg';

/**
 * @param {string} name
 * @param {Record<string, string | number>} attributes
 * @param {...(Element | string)} children
 * @returns {SVGElement}
 */
export function svg(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  if (!(made instanceof SVGElement)) throw new Error(`There is no ${name}.`);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, String(value));
  made.append(...children);
  return made;
}

/**
 * @param {string} name
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
 * A round number at or above `value`, and how many steps lead to it.
 * @param {number} value
 * @returns {{ top: number, steps: number }}
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
