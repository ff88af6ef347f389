/** Markdown of models as tokens: what `marked` reads (CommonMark, GitHub's tables and strikethrough), within bounds. */

import { Lexer, Tokenizer } from './marked.js';

/** @import { Token } from './marked.js' */

/** How deep quotes and lists may nest; what is deeper is text. A page with thousands of levels would end its tab. */
const DEEPEST = 20;

/**
 * The most characters of a block whose spans are looked for. No sentence is so long, and the parser takes the square of
 * the length for some of what models repeat without end (`[`, `*a `).
 */
const LONGEST_SPANS = 5_000;

/**
 * The blocks of a text. A line break within a paragraph is one, as in chats, not a space.
 * @param {string} text whose lines end in LF
 * @returns {Token[]} their `raw` texts together are as long as `text`
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

  /** HTML is text, and the Markdown within it counts. @override */
  html() {
    return undefined;
  }

  /** @override */
  tag() {
    return undefined;
  }

  /** A link's address may stream in long after the link has been shown. @override */
  def() {
    return undefined;
  }

  /**
   * Models begin a formula by `\(` or `\[`, so there the backslash is shown.
   * @override
   * @param {string} source
   */
  escape(source) {
    return /^\\[()[\]]/.test(source) ? undefined : super.escape(source);
  }
}
