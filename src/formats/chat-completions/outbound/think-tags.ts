/**
 * Thoughts in the text of an answer, between `<think>` and `</think>` at its very beginning. Services and servers write
 * them so if they do not separate them: Groq by default ("raw"), MiniMax without `reasoning_split`, and llama.cpp, vLLM and
 * others without a parser for the model. The tags may come in pieces. If the chat template writes the first tag into the
 * prompt (DeepSeek R1, QwQ), the answer has the second one only.
 */

const OPENING = '<think>';
const CLOSING = '</think>';
/** Chat templates put the end on a line of its own. */
const CLOSING_LINE = `\n${CLOSING}`;

/** What a piece of the text says. */
interface Split {
  readonly thought: string;
  readonly answer: string;
}

/** Splits the text of one answer, piece by piece. White space after a tag is no part of what follows. */
export class ThinkTagSplitter {
  /** The tag that may come; '' after both, and if the first has not come. */
  #next: typeof OPENING | typeof CLOSING | '' = OPENING;
  /** The end of what came, if it may be the beginning of that tag: eight characters at most. */
  #held = '';
  /** Whether nothing but white space has come after a tag. */
  #isAfterTag = false;
  readonly #isOpened: boolean;

  /**
   * @param isOpened whether a text without the first tag is a thought too, up to the second one, as it is to the parsers
   *   `deepseek_r1` of vLLM and `deepseek-r1` of SGLang.
   */
  constructor(isOpened = false) {
    this.#isOpened = isOpened;
  }

  /** Whether nothing has come yet. */
  isNew(): boolean {
    return this.#next === OPENING && this.#held === '';
  }

  /** Whether everything that comes is the answer. */
  isOver(): boolean {
    return this.#next === '' && !this.#isAfterTag;
  }

  /** The next piece of the text. */
  split(piece: string): Split {
    const text = this.#held + piece;
    this.#held = '';
    if (this.#next === CLOSING) return this.#inThought(text);
    if (this.#next === '') return { thought: '', answer: this.#trim(text) };
    if (text.startsWith(OPENING)) {
      this.#pass(CLOSING);
      return this.#inThought(text.slice(OPENING.length));
    }
    if (OPENING.startsWith(text)) {
      this.#held = text;
      return { thought: '', answer: '' };
    }
    if (this.#isOpened) {
      this.#pass(CLOSING);
      return this.#inThought(text);
    }
    this.#next = '';
    return { thought: '', answer: text };
  }

  /** What was held back, because no more of it comes. */
  flush(): Split {
    const held = this.#trim(this.#held);
    this.#held = '';
    if (held !== '' && this.#next === OPENING) this.#next = this.#isOpened ? CLOSING : '';
    if (this.#next === CLOSING) return { thought: held, answer: '' };
    return { thought: '', answer: held };
  }

  #inThought(text: string): Split {
    const end = text.indexOf(CLOSING);
    const isLine = text[end - 1] === '\n';
    const count = end === -1 ? text.length - countHeld(text) : end - Number(isLine);
    const thought = this.#trim(text.slice(0, count));
    if (end === -1) {
      this.#held = text.slice(count);
      return { thought, answer: '' };
    }
    this.#pass('');
    return { thought, answer: this.#trim(text.slice(end + CLOSING.length)) };
  }

  #pass(next: typeof CLOSING | ''): void {
    this.#next = next;
    this.#isAfterTag = true;
  }

  #trim(text: string): string {
    const trimmed = this.#isAfterTag ? text.trimStart() : text;
    this.#isAfterTag &&= trimmed === '';
    return trimmed;
  }
}

/** The number of characters at the end of a thought that may begin its closing tag. */
function countHeld(text: string): number {
  for (let count = Math.min(text.length, CLOSING_LINE.length - 1); count > 0; count -= 1) {
    const end = text.slice(-count);
    if (CLOSING_LINE.startsWith(end) || CLOSING.startsWith(end)) return count;
  }
  return 0;
}

/** A thought as the text in front of the answer, as chat templates write it; '' for no thought. */
export function renderThinkTags(thought: string): string {
  return thought === '' ? '' : `${OPENING}\n${thought}${CLOSING_LINE}\n\n`;
}
