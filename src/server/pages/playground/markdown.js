/**
 * Markdown as DOM nodes. Each node is made by name from a parser's token. No text of a model is ever parsed as HTML,
 * which the page's Trusted Types forbid anyway. Text that streams in is shown block by block. A complete block does not
 * change any more.
 */

import { copyButton } from './clipboard.js';
import { lexMarkdown } from './markdown-tokens.js';

/** @import { Token, MarkedToken, Tokens } from './marked.js' */

/**
 * Shows a text in `host` as it streams in.
 * @param {HTMLElement} host
 * @returns {(text: string) => void} adds a piece of the text
 */
export function markdownView(host) {
  /** The text of the last block, which may still grow. */
  let open = '';
  /** @type {Node[]} */
  let shown = [];
  return (text) => {
    // A CR at the end may be the first half of a CRLF.
    const half = text.endsWith('\r') ? '\r' : '';
    const source = (open + (half ? text.slice(0, -1) : text)).replace(/\r\n?/g, '\n');
    const blocks = lexMarkdown(source);
    // Blank text at the end may still become part of the block before it, such as a list that gets more items.
    const last = Math.max(
      0,
      blocks.findLastIndex(({ raw }) => raw.trim() !== ''),
    );
    for (const node of shown) node.parentNode?.removeChild(node);
    host.append(...blocks.slice(0, last).flatMap(renderOuter));
    shown = blocks.slice(last).flatMap(renderOuter);
    host.append(...shown);
    // Only the lengths of the blocks are reliable: the parser turns a blank at the end of a block into a line feed.
    const complete = blocks.slice(0, last).reduce((length, { raw }) => length + raw.length, 0);
    open = source.slice(complete) + half;
  };
}

/**
 * Renders an outermost block. Its direction follows its first letters, also for its bullets and bars. Code keeps the
 * direction of the page.
 * @param {Token} token
 * @returns {Node[]}
 */
function renderOuter(token) {
  const nodes = render(token);
  for (const node of nodes) if (node instanceof HTMLElement && node.className !== 'fence') node.dir = 'auto';
  return nodes;
}

/** @param {readonly Token[] | undefined} tokens */
function renderAll(tokens) {
  return (tokens ?? []).flatMap(render);
}

/**
 * Renders a block or a span. A token of an unknown kind is shown as its own text.
 * @param {Token} any
 * @returns {Node[]}
 */
function render(any) {
  const token = /** @type {MarkedToken} */ (any);
  switch (token.type) {
    case 'space':
      return [];
    case 'paragraph':
      return [make('p', renderAll(token.tokens))];
    case 'heading':
      return [make(token.depth < 3 ? 'h3' : 'h4', renderAll(token.tokens))];
    case 'code':
      return [renderCode(token.text)];
    case 'blockquote':
      return [make('blockquote', renderAll(token.tokens))];
    case 'list':
      return [renderList(token)];
    case 'checkbox':
      return [text(token.checked ? '☑ ' : '☐ ')];
    case 'table':
      return [renderTable(token)];
    case 'hr':
    case 'br':
      return [make(token.type)];
    case 'strong':
    case 'em':
    case 'del':
      return [make(token.type, renderAll(token.tokens))];
    case 'codespan':
      return [make('code', [text(token.text)])];
    case 'link':
    case 'image':
      return renderLink(token);
    case 'escape':
      return [text(token.text)];
    case 'text':
      return token.tokens === undefined ? [text(token.text)] : renderAll(token.tokens);
    default:
      return [text(token.raw)];
  }
}

/** @param {string} written */
function renderCode(written) {
  const code = make('code', [text(written)]);
  const box = make('div', [make('pre', [code]), copyButton('the code', () => written)]);
  box.className = 'fence';
  return box;
}

/** @param {Tokens.List} list */
function renderList({ ordered, start, items }) {
  const list = make(
    ordered ? 'ol' : 'ul',
    items.map(({ tokens }) => make('li', renderAll(tokens))),
  );
  if (ordered && start !== 1) list.setAttribute('start', String(start));
  return list;
}

/** @param {Tokens.Table} table */
function renderTable({ header, rows }) {
  const row = (/** @type {readonly Tokens.TableCell[]} */ cells) =>
    make(
      'tr',
      cells.map((cell) => {
        const made = make(cell.header ? 'th' : 'td', renderAll(cell.tokens));
        if (cell.align) made.style.textAlign = cell.align;
        return made;
      }),
    );
  return make('table', [make('thead', [row(header)]), make('tbody', rows.map(row))]);
}

/**
 * Renders a link to the web. An image is a link too, since the page loads nothing from other sites. A link to any other
 * kind of address (`javascript:`, `data:`) stays text.
 * @param {Tokens.Link | Tokens.Image} link
 * @returns {Node[]}
 */
function renderLink({ href, raw, tokens }) {
  if (!/^https?:\/\//i.test(href)) return [text(raw)];
  const anchor = document.createElement('a');
  anchor.href = href;
  anchor.rel = 'noopener noreferrer nofollow';
  anchor.target = '_blank';
  anchor.append(...renderAll(tokens));
  return [anchor];
}

/** @param {string} shown */
function text(shown) {
  return document.createTextNode(shown);
}

/**
 * @param {string} name
 * @param {readonly Node[]} [children]
 * @returns {HTMLElement}
 */
function make(name, children = []) {
  const element = document.createElement(name);
  element.append(...children);
  return element;
}
