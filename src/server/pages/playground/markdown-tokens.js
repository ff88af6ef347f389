/**
 * The Markdown of models as tokens. `marked` reads it (CommonMark, with GitHub's tables and strikethrough). This file
 * sets bounds for it.
 */

import { Lexer, Tokenizer } from './marked.js';

/** @import { Token } from './marked.js' */

/** How deep quotes and lists may nest. Deeper ones are text. A page with thousands of levels would crash its tab. */
const DEEPEST = 20;

/**
 * The most characters of a block that is searched for spans. No sentence is so long. The parser takes quadratic time
 * for some texts that models repeat without end (`[`, `*a `).
 */
const LONGEST_SPANS = 5_000;

/**
 * Splits a text into blocks. A line break in a paragraph stays a line break, as in chats, and does not become a space.
 * @param {string} text its lines end in LF
 * @returns {Token[]} blocks whose `raw` texts together are as long as `text`
 */
export function lexMarkdown(text) {
  return new ModelLexer({ gfm: true, breaks: true, tokenizer: new ModelTokenizer() }).lex(text);
}

class ModelLexer extends Lexer {
  /**
   * @override
   * @param {string} source
   * @param {Token[]} [tokens]
   */
  inlineTokens(source, tokens = []) {
    if (source.length <= LONGEST_SPANS) return super.inlineTokens(source, tokens);
    tokens.push({ type: 'text', raw: source, text: source });
    return tokens;
  }
}

class ModelTokenizer extends Tokenizer {
  #depth = 0;

  /**
   * @override
   * @param {string} source
   */
  blockquote(source) {
    return this.#nested(() => super.blockquote(source));
  }

  /**
   * @override
   * @param {string} source
   */
  list(source) {
    return this.#nested(() => super.list(source));
  }

  /**
   * Reads one more level, unless the text is at the deepest one.
   * @template T
   * @param {() => T} read
   */
  #nested(read) {
    if (this.#depth === DEEPEST) return undefined;
    this.#depth += 1;
    try {
      return read();
    } finally {
      this.#depth -= 1;
    }
  }

  /** HTML is shown as text, and Markdown inside it is rendered. @override */
  html() {
    return undefined;
  }

  /** @override */
  tag() {
    return undefined;
  }

  /** The address of a reference link may stream in long after the link has been shown. @override */
  def() {
    return undefined;
  }

  /**
   * Models start a formula with `\(` or `\[`, so these keep their backslash.
   * @override
   * @param {string} source
   */
  escape(source) {
    return /^\\[()[\]]/.test(source) ? undefined : super.escape(source);
  }
}
