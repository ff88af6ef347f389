/**
 * Puts interleaved blocks one after another. Anthropic never interleaves them, but services that make its streams of
 * chat-completions start a call before the text has stopped, and its SDKs collect what comes by its `index`. A block that
 * starts while another is open waits until that one has stopped. A text or a thought does not wait for a text or a
 * thought, which ends there: some services leave out its stop, and the caller should see a text as it is written.
 */

import type { PromptOutline } from '../../../conversation/prompt-outline.ts';
import type { ReplyEvent } from '../../../conversation/reply.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import type { Sink } from '../../../streams/step.ts';
import type { Calls } from '../wire/finish-reasons.ts';
import { BlockParser } from './parse-blocks.ts';

type Out = Sink<ReplyEvent>;

/** The types of blocks that are text from beginning to end. */
const TEXTS: ReadonlySet<Json | undefined> = new Set(['text', 'thinking', 'redacted_thinking']);

interface Block {
  /** Its index in the stream; undefined in a whole answer. */
  readonly at: Json | undefined;
  readonly isText: boolean;
}

interface WaitingBlock extends Block {
  readonly block: JsonObject;
  readonly deltas: JsonObject[];
  isStopped: boolean;
}

/** The blocks of one answer. */
export class BlockOrder {
  readonly #blocks: BlockParser;
  #open: Block | undefined;
  /** Most answers have none. */
  #waiting: WaitingBlock[] = [];

  constructor(prompt: PromptOutline) {
    this.#blocks = new BlockParser(prompt);
  }

  /** The calls so far of tools that the caller knows. */
  get calls(): Calls {
    return this.#blocks.calls;
  }

  /** Whether a thought or a call is still open, which nothing but its end completes. */
  get isCut(): boolean {
    return this.#blocks.isCut || this.#waiting.some(({ isText, isStopped }) => !isText && !isStopped);
  }

  start(block: JsonObject, at: Json | undefined, out: Out): void {
    const isText = TEXTS.has(block['type']);
    const open = this.#open;
    const endsOpen = open === undefined || open.at === at || (open.isText && isText);
    if (endsOpen && this.#waiting.length === 0) {
      this.#open = { at, isText };
      this.#blocks.start(block, at, out);
    } else this.#waiting.push({ at, isText, block, deltas: [], isStopped: false });
  }

  /** @see BlockParser.delta */
  delta(delta: JsonObject, at: Json | undefined, out: Out): string | undefined {
    const waiting = this.#findWaiting(at);
    if (waiting === undefined) return this.#blocks.delta(delta, at, out);
    waiting.deltas.push(delta);
    return undefined;
  }

  /** @see BlockParser.again */
  again(text: string, out: Out): void {
    this.#blocks.again(text, out);
  }

  /** Stops the block with an index, or the open one if the vendor gives none. */
  stop(at: Json | undefined, out: Out): void {
    const waiting = this.#findWaiting(at);
    if (waiting) waiting.isStopped = true;
    else if (at === undefined || at === this.#open?.at) this.#stopOpen(out);
    this.#release(out);
  }

  /** Stops all blocks that have started. */
  stopAll(out: Out): void {
    do {
      this.#stopOpen(out);
      this.#release(out);
    } while (this.#open !== undefined);
  }

  /** Ends the content: no block follows. */
  end(out: Out): void {
    this.stopAll(out);
    this.#blocks.end(out);
  }

  #findWaiting(at: Json | undefined): WaitingBlock | undefined {
    if (this.#waiting.length === 0) return undefined;
    return this.#waiting.findLast((block) => block.at === at && !block.isStopped);
  }

  #stopOpen(out: Out): void {
    this.#open = undefined;
    this.#blocks.stop(out);
  }

  /** Starts the blocks whose turn it is. */
  #release(out: Out): void {
    while (this.#open === undefined) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#open = next;
      this.#blocks.start(next.block, next.at, out);
      for (const delta of next.deltas) this.#blocks.delta(delta, next.at, out);
      if (next.isStopped) this.#stopOpen(out);
    }
  }
}
