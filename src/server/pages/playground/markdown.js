/**
 * Markdown as DOM, made of text nodes and elements created by name: a model's text can never become HTML.
 * What streams in is rendered block by block; blocks that are complete are not touched again.
 */

import { copyButton } from './clipboard.js';

const HEADING = /^(#{1,6})\s+(.*)$/s;

/** Quotes and lists within each other, at most: what is deeper is text. A page of thousands is the end of its tab. */
const DEEPEST = 20;

/**
 * Shows text as it comes in `host`.
 * @param {HTMLElement} host
 * @returns {(text: string) => void} adds text
 */
export function markdownView(host) {
  let tail = '';
  /** @type {HTMLElement | undefined} */
  let unfinished;
  return (text) => {
    const { blocks, open } = splitBlocks(tail + text);
    unfinished?.remove();
    for (const block of blocks) host.append(renderOuter(block));
    unfinished = open.trim() === '' ? undefined : renderOuter(open);
    if (unfinished) host.append(unfinished);
    tail = open;
  };
}

/** What begins a block of its own right below text (CommonMark 5.3: of numbered items only the first). */
const BEGINS = /^ {0,3}(?:(?:[-*+]|1[.)])\s+\S|>)/;

/** The beginning of a block that is no text: an item, a quote, a row of a table. */
const NO_TEXT = /^\s*(?:[-*+]\s|\d+[.)]\s|>|\|)/;

/** The line below the head of a table. */
const RULE = /^(?=.*-)(?=.*\|)[\s|:-]+$/;

/**
 * Blocks are parted by blank lines, except inside a fence, and by a list, a quote or a table right below text, as models
 * write them. `open` is the last one, to which more may be added.
 * @param {string} text
 */
function splitBlocks(text) {
  /** @type {string[]} */
  const blocks = [];
  let start = 0;
  let at = 0;
  /** Where the line before began. */
  let above = 0;
  let fence = '';
  const close = (/** @type {number} */ end) => {
    const block = text.slice(start, end);
    if (block.trim() !== '') blocks.push(block);
    start = end;
  };
  while (true) {
    const end = text.indexOf('\n', at);
    const line = text.slice(at, end < 0 ? undefined : end);
    if (!fence && at > start && !NO_TEXT.test(text.slice(start, start + 20))) {
      if (BEGINS.test(line)) close(at);
      else if (above > start && RULE.test(line) && text.slice(above, at).includes('|')) close(above);
    }
    if (end < 0) return { blocks, open: text.slice(start) };
    above = at;
    const mark = line.match(/^ {0,3}(```+|~~~+)/)?.[1] ?? '';
    if (fence && mark.startsWith(fence)) {
      fence = '';
      close(end + 1);
    } else if (!fence && mark) {
      close(at);
      fence = mark;
    } else if (!fence && HEADING.test(line)) {
      close(at);
      close(end + 1);
    } else if (!fence && line.trim() === '') close(end + 1);
    at = end + 1;
  }
}

/**
 * A block of its own runs the way its first letters do, its bullets and bars too. Code runs as it is written.
 * @param {string} block
 */
function renderOuter(block) {
  const outer = renderBlock(block);
  if (outer.className !== 'fence') outer.dir = 'auto';
  return outer;
}

/**
 * What is in a quote or below an item of a list.
 * @param {readonly string[]} lines
 * @param {number} depth
 */
function renderInner(lines, depth) {
  const { blocks, open } = splitBlocks(lines.join('\n'));
  return [...blocks, open].filter((block) => block.trim() !== '').map((block) => renderBlock(block, depth));
}

/**
 * @param {string} block
 * @param {number} [depth] how many quotes and lists it is in
 * @returns {HTMLElement}
 */
function renderBlock(block, depth = 0) {
  const lines = block.trimEnd().split(/\r?\n/);
  const first = lines[0] ?? '';
  if (/^ {0,3}(```|~~~)/.test(first)) return renderFence(lines);
  const heading = first.match(HEADING);
  if (heading) return inline(make((heading[1] ?? '').length < 3 ? 'h3' : 'h4'), heading[2] ?? '');
  if (depth === DEEPEST) return renderParagraph(lines);
  if (/^ {0,3}([-*_])(?:\s*\1){2,}\s*$/.test(first) && lines.length === 1) return make('hr');
  if (/^\s*>/.test(first)) {
    const quote = make('blockquote');
    quote.append(
      ...renderInner(
        lines.map((line) => line.replace(/^\s*> ?/, '')),
        depth + 1,
      ),
    );
    return quote;
  }
  if (/^\s*(?:[-*+]|\d+[.)])\s+/.test(first)) return renderList(lines, depth);
  if (first.includes('|') && /^[\s|:-]+$/.test(lines[1] ?? '') && lines[1]?.includes('-')) {
    return renderTable(lines);
  }
  return renderParagraph(lines);
}

/** @param {string[]} lines */
function renderParagraph(lines) {
  const paragraph = make('p');
  for (const [at, line] of lines.entries()) {
    if (at > 0) paragraph.append(make('br'));
    inline(paragraph, line);
  }
  return paragraph;
}

/** @param {string[]} lines */
function renderFence(lines) {
  const closed = lines.length > 1 && /^ {0,3}(```+|~~~+)\s*$/.test(lines.at(-1) ?? '');
  const code = make('code');
  code.textContent = lines.slice(1, closed ? -1 : undefined).join('\n');
  const pre = make('pre');
  pre.append(code);
  const box = make('div');
  box.className = 'fence';
  box.append(
    pre,
    copyButton('the code', () => code.textContent ?? ''),
  );
  return box;
}

/**
 * @param {string[]} lines
 * @param {number} depth
 */
function renderList(lines, depth) {
  const ordered = /^\s*\d/.test(lines[0] ?? '');
  const list = make(ordered ? 'ol' : 'ul');
  // Items with blank lines between them are lists of their own here, and must not all be number one.
  if (ordered) list.setAttribute('start', lines[0]?.match(/\d+/)?.[0] ?? '1');
  const margin = indent(lines[0] ?? '');
  /** @type {string[]} */
  let nested = [];
  const closeNested = () => {
    list.lastElementChild?.append(...renderInner(nested, depth + 1));
    nested = [];
  };
  for (const line of lines) {
    const item = line.match(/^\s*(?:[-*+]|\d+[.)])\s+(.*)$/s);
    if (indent(line) > margin + 1 || !item) nested.push(line);
    else {
      closeNested();
      list.append(inline(make('li'), item[1] ?? ''));
    }
  }
  closeNested();
  return list;
}

/** @param {string} line */
function indent(line) {
  return line.length - line.trimStart().length;
}

/** @param {string[]} lines */
function renderTable(lines) {
  const table = make('table');
  for (const [at, line] of lines.entries()) {
    if (at === 1) continue;
    const row = make('tr');
    for (const cell of line
      .trim()
      .replace(/^\||\|$/g, '')
      .split('|')) {
      row.append(inline(make(at === 0 ? 'th' : 'td'), cell.trim()));
    }
    table.append(row);
  }
  return table;
}

const SPANS = new RegExp(
  [
    // What stands for itself. Not brackets and parentheses: `\\(` and `\\[` are how models begin a formula.
    String.raw`\\(?<plain>[*_~#|>\x60])`,
    String.raw`(?<ticks>\x60+)(?<code>.+?)\k<ticks>`,
    String.raw`\*\*(?<strong>.+?)\*\*(?!\*)`,
    String.raw`(?<!\w)__(?!\s)(?<heavy>.+?)(?<!\s)__(?!\w)`,
    String.raw`~~(?!\s)(?<gone>.+?)(?<!\s)~~`,
    String.raw`(?<![\w*])\*(?!\s)(?<star>.+?)(?<!\s)\*(?!\w)`,
    String.raw`(?<!\w)_(?!\s)(?<underscore>.+?)(?<!\s)_(?!\w)`,
    String.raw`\[(?<label>[^\]]+)\]\((?<address>[^)\s]+)\)`,
    String.raw`(?<!\w)(?<bare>https?:\/\/[^\s<>()[\]\x60"*|]*[^\s<>()[\]\x60"*|.,;:!?'_~])`,
  ].join('|'),
  'g',
);

/** No paragraph is so long. What opens a span and is never closed is looked for to the end, from every such place. */
const LONGEST_LINE = 5_000;

/**
 * Adds a line of text with its spans to `host`.
 * @param {HTMLElement} host
 * @param {string} text
 */
function inline(host, text) {
  let at = 0;
  for (const match of text.length > LONGEST_LINE ? [] : text.matchAll(SPANS)) {
    host.append(text.slice(at, match.index));
    at = match.index + match[0].length;
    const { plain, code, strong, heavy, gone, star, underscore, label, address, bare } = match.groups ?? {};
    if (plain !== undefined) host.append(plain);
    else if (code !== undefined) host.append(Object.assign(make('code'), { textContent: code }));
    else if (strong !== undefined || heavy !== undefined)
      host.append(inline(make('strong'), strong ?? heavy ?? ''));
    else if (gone !== undefined) host.append(inline(make('del'), gone));
    else if (star !== undefined || underscore !== undefined)
      host.append(inline(make('em'), star ?? underscore ?? ''));
    else host.append(link(label ?? bare ?? '', address ?? bare ?? ''));
  }
  host.append(text.slice(at));
  return host;
}

/**
 * A link to the web; anything else (`javascript:`, `data:`) stays text.
 * @param {string} label
 * @param {string} address
 */
function link(label, address) {
  if (!/^https?:\/\//i.test(address)) return document.createTextNode(`[${label}](${address})`);
  const anchor = document.createElement('a');
  anchor.href = address;
  anchor.rel = 'noopener noreferrer nofollow';
  anchor.target = '_blank';
  anchor.textContent = label;
  return anchor;
}

/**
 * @param {string} name
 * @returns {HTMLElement}
 */
function make(name) {
  return document.createElement(name);
}
