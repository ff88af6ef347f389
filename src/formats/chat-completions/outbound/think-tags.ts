/**
 * Thoughts in the text of an answer, between `<think>` and `</think>` at its very beginning. Services and servers write
 * them so if they do not separate them: Groq by default ("raw"), MiniMax without `reasoning_split`, and llama.cpp, vLLM and
 * others without a parser for the model. The tags may come in pieces.
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

/** Splits the text of one answer, piece by piece. */
export class ThinkTagSplitter {
  #state: 'start' | 'thought' | 'gap' | 'answer' = 'start';
  /** The end of what came, if it may be the beginning of a tag: eight characters at most. */
  #held = '';
  #hasThought = false;

  /** Whether nothing has come yet. */
  isNew(): boolean {
    return this.#state === 'start' && this.#held === '';
  }

  /** Whether everything that comes is the answer. */
  isOver(): boolean {
    return this.#state === 'answer';
  }

  /** The next piece of the text. White space after a tag is no part of what follows. */
  split(piece: string): Split {
    const text = this.#held + piece;
    this.#held = '';
    if (this.#state === 'thought') return this.#inThought(text);
    if (this.#state !== 'start') return { thought: '', answer: this.#inAnswer(text) };
    if (text.startsWith(OPENING)) {
      this.#state = 'thought';
      return this.#inThought(text.slice(OPENING.length));
    }
    if (OPENING.startsWith(text)) {
      this.#held = text;
      return { thought: '', answer: '' };
    }
    this.#state = 'answer';
    return { thought: '', answer: text };
  }

  /** What was held back, because no more of it comes. */
  flush(): Split {
    const held = this.#held;
    this.#held = '';
    if (this.#state === 'thought') return { thought: this.#trim(held), answer: '' };
    if (held !== '') this.#state = 'answer';
    return { thought: '', answer: held };
  }

  #inThought(text: string): Split {
    const end = text.indexOf(CLOSING);
    if (end === -1) {
      const count = text.length - countHeld(text);
      this.#held = text.slice(count);
      return { thought: this.#trim(text.slice(0, count)), answer: '' };
    }
    this.#state = 'gap';
    const isLine = text[end - 1] === '\n';
    const thought = this.#trim(text.slice(0, isLine ? end - 1 : end));
    return { thought, answer: this.#inAnswer(text.slice(end + CLOSING.length)) };
  }

  #trim(text: string): string {
    const trimmed = this.#hasThought ? text : text.trimStart();
    this.#hasThought ||= trimmed !== '';
    return trimmed;
  }

  #inAnswer(text: string): string {
    if (this.#state === 'answer') return text;
    const answer = text.trimStart();
    if (answer !== '') this.#state = 'answer';
    return answer;
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
