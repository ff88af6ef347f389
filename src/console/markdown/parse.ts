/** The parser of Markdown as models write it. */

import MarkdownIt, { type Token } from 'markdown-it';
import { mathRules } from './math-rules.ts';

/** Letters of one paragraph that are read for links and emphasis. A longer one is no text of a model's, and costs much. */
const MAX_LINE_LENGTH = 20_000;

export interface Parser {
  /** The blocks of a text. */
  parse(text: string): readonly Token[];
}

/** HTML stays text, line breaks are kept, and addresses become links. */
export function createParser(): Parser {
  const markdown = new MarkdownIt({ html: false, breaks: true, linkify: true }).use(mathRules);
  markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
  markdown.core.ruler.at('inline', (state) => {
    for (const token of state.tokens) {
      if (token.type !== 'inline') continue;
      token.children ??= [];
      if (token.content.length > MAX_LINE_LENGTH) {
        const text = new state.Token('text', '', 0);
        text.content = token.content;
        token.children.push(text);
      } else state.md.inline.parse(token.content, state.md, state.env, token.children);
    }
  });
  return { parse: (text) => markdown.parse(text, {}) };
}
