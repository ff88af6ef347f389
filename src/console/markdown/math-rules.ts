/**
 * Formulas in Markdown: `$…$` and `\(…\)` in a line, `$$…$$` and `\[…\]` also over several lines. As in Pandoc, a dollar
 * opens a formula only before a letter or sign and closes it only after one and before no digit, so that prices stay
 * prices.
 */

import type { MarkdownIt } from 'markdown-it';

/** A formula longer than this many letters is text. */
const MAX_LENGTH = 4_000;

/** A formula over more lines than this is text. */
const MAX_LINES = 100;

const BLOCK_ENDS: Readonly<Record<string, string>> = { $$: '$$', '\\[': '\\]' };

export function mathRules(markdown: MarkdownIt): void {
  markdown.inline.ruler.before('escape', 'math', (state, silent) => {
    const found = inlineMath(state.src, state.pos);
    if (found === undefined) return false;
    if (!silent) {
      const token = state.push('math', 'math', 0);
      token.content = found.formula;
      token.markup = found.isBlock ? '$$' : '$';
    }
    state.pos = found.end;
    return true;
  });
  markdown.block.ruler.before(
    'fence',
    'math_block',
    (state, from, to, silent) => {
      const line = (at: number): string =>
        state.src.slice((state.bMarks[at] ?? 0) + (state.tShift[at] ?? 0), state.eMarks[at]);
      const found = blockMath(line, from, to);
      if (found === undefined) return false;
      if (silent) return true;
      const token = state.push('math', 'math', 0);
      token.block = true;
      token.content = found.formula;
      token.markup = '$$';
      token.map = [from, found.next];
      state.line = found.next;
      return true;
    },
    { alt: ['paragraph', 'reference', 'blockquote', 'list'] },
  );
}

interface BlockMath {
  readonly formula: string;
  /** The line after it. */
  readonly next: number;
}

function blockMath(line: (at: number) => string, from: number, to: number): BlockMath | undefined {
  const close = BLOCK_ENDS[line(from).slice(0, 2)];
  if (close === undefined) return undefined;
  const lines: string[] = [];
  for (let at = from; at < to && at - from < MAX_LINES; at += 1) {
    const text = at === from ? line(at).slice(2) : line(at);
    const end = text.indexOf(close);
    if (end < 0) {
      lines.push(text);
      continue;
    }
    // What follows on the same line is a paragraph's, which the inline rule reads.
    if (text.slice(end + 2).trim() !== '') return undefined;
    return { formula: [...lines, text.slice(0, end)].join('\n').trim(), next: at + 1 };
  }
  return undefined;
}

interface InlineMath {
  readonly formula: string;
  readonly isBlock: boolean;
  /** The place after it. */
  readonly end: number;
}

function inlineMath(text: string, at: number): InlineMath | undefined {
  const two = text.slice(at, at + 2);
  if (two === '$$' || two === '\\[' || two === '\\(') {
    const close = two === '$$' ? '$$' : two === '\\[' ? '\\]' : '\\)';
    const end = text.slice(0, at + MAX_LENGTH).indexOf(close, at + 2);
    if (end <= at + 2) return undefined;
    return { formula: text.slice(at + 2, end).trim(), isBlock: two !== '\\(', end: end + 2 };
  }
  if (text[at] !== '$' || !/\S/.test(text[at + 1] ?? '')) return undefined;
  const [whole, formula] = /^\$((?:\\.|[^$\\\n])+)\$(?!\d)/.exec(text.slice(at, at + MAX_LENGTH)) ?? [];
  if (whole === undefined || formula === undefined || /\s$/.test(formula)) return undefined;
  return { formula, isBlock: false, end: at + whole.length };
}
