/**
 * Thoughts in the text of an answer, between `<think>` and `</think>` or other tags of the model's, at its very beginning.
 * Services and servers write them so if they do not separate them: Groq by default ("raw"), MiniMax without
 * `reasoning_split`, and llama.cpp, vLLM and others without a parser for the model. The tags may come in pieces. If the
 * chat template writes the first tag into the prompt (DeepSeek R1, QwQ), the answer has the second one only.
 */

/** The tags around a thought. */
interface ThinkTag {
  readonly opening: string;
  readonly closing: string;
}

const makeTag = (name: string): ThinkTag => ({ opening: `<${name}>`, closing: `</${name}>` });

const USUAL = makeTag('think');

/**
 * The models that write tags of their own: MiniMax M3 (smg-project/smg#1815; MiniMax's own service writes the usual ones)
 * and Seed-OSS (vLLM, `seed_oss_reasoning_parser`).
 */
const OF_MODELS: readonly (readonly [model: RegExp, tag: ThinkTag])[] = [
  [/minimax-?m3/i, makeTag('mm:think')],
  [/seed-?oss/i, makeTag('seed:think')],
];

const TAGS: readonly ThinkTag[] = [USUAL, ...OF_MODELS.map(([, tag]) => tag)];

/** The tags that a model itself writes. */
export function findThinkTag(model: string): ThinkTag {
  return OF_MODELS.find(([name]) => name.test(model))?.[1] ?? USUAL;
}

/** What a piece of the text says. */
interface Split {
  readonly thought: string;
  readonly answer: string;
}

/** Splits the text of one answer, piece by piece. White space after a tag is no part of what follows. */
export class ThinkTagSplitter {
  #state: 'start' | 'thought' | 'answer' = 'start';
  /** The end of what came, if it may be the beginning of a tag: a few characters at most. */
  #held = '';
  /** Whether nothing but white space has come after a tag. */
  #isAfterTag = false;
  readonly #isOpened: boolean;
  #closing: string;

  /**
   * @param isOpened whether a text without the first tag is a thought too, up to the second one, as it is to the parsers
   *   `deepseek_r1` of vLLM and `deepseek-r1` of SGLang.
   * @param tag the tags of that thought. Others are known by the first of them.
   */
  constructor(isOpened = false, tag: ThinkTag = USUAL) {
    this.#isOpened = isOpened;
    this.#closing = tag.closing;
  }

  /** Whether nothing has come yet. */
  isNew(): boolean {
    return this.#state === 'start' && this.#held === '';
  }

  /** Whether everything that comes is the answer. */
  isOver(): boolean {
    return this.#state === 'answer' && !this.#isAfterTag;
  }

  /** The next piece of the text. */
  split(piece: string): Split {
    const text = this.#held + piece;
    this.#held = '';
    if (this.#state === 'thought') return this.#inThought(text);
    if (this.#state === 'answer') return { thought: '', answer: this.#trim(text) };
    const tag = TAGS.find(({ opening }) => text.startsWith(opening));
    if (tag !== undefined) {
      this.#closing = tag.closing;
      this.#pass('thought');
      return this.#inThought(text.slice(tag.opening.length));
    }
    if (TAGS.some(({ opening }) => opening.startsWith(text))) {
      this.#held = text;
      return { thought: '', answer: '' };
    }
    if (this.#isOpened) {
      this.#pass('thought');
      return this.#inThought(text);
    }
    this.#state = 'answer';
    return { thought: '', answer: text };
  }

  /** What was held back, because no more of it comes. */
  flush(): Split {
    const held = this.#trim(this.#held);
    this.#held = '';
    if (held !== '' && this.#state === 'start') this.#state = this.#isOpened ? 'thought' : 'answer';
    if (this.#state === 'thought') return { thought: held, answer: '' };
    return { thought: '', answer: held };
  }

  #inThought(text: string): Split {
    const end = text.indexOf(this.#closing);
    const isLine = text[end - 1] === '\n';
    const count = end === -1 ? text.length - countHeld(text, this.#closing) : end - Number(isLine);
    const thought = this.#trim(text.slice(0, count));
    if (end === -1) {
      this.#held = text.slice(count);
      return { thought, answer: '' };
    }
    const rest = text.slice(end + this.#closing.length);
    this.#pass('answer');
    return { thought, answer: this.#trim(rest) };
  }

  #pass(state: 'thought' | 'answer'): void {
    this.#state = state;
    this.#isAfterTag = true;
  }

  #trim(text: string): string {
    const trimmed = this.#isAfterTag ? text.trimStart() : text;
    this.#isAfterTag &&= trimmed === '';
    return trimmed;
  }
}

/** The number of characters at the end of a thought that may begin its closing tag, which templates put on its own line. */
function countHeld(text: string, closing: string): number {
  const line = `\n${closing}`;
  for (let count = Math.min(text.length, line.length - 1); count > 0; count -= 1) {
    const end = text.slice(-count);
    if (line.startsWith(end) || closing.startsWith(end)) return count;
  }
  return 0;
}

/** A thought as the text in front of the answer, as chat templates write it; '' for no thought. */
export function renderThinkTags(thought: string, { opening, closing }: ThinkTag): string {
  return thought === '' ? '' : `${opening}\n${thought}\n${closing}\n\n`;
}
