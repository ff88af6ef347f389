/** Functions of the operator's own that see every request and every event of its answer, in neutral words. */

import type { Sink } from '../streams/step.ts';
import type { FormatName, Operation, Prompt } from './prompt.ts';
import type { ReplyEvent } from './reply.ts';

/** What a hook knows of a request besides its prompt. */
export interface HookContext {
  /** The id of the exchange, which the log and the answer have too. */
  readonly id: string;
  /** The name of the key, and of its group if it has one. */
  readonly key: string;
  readonly group?: string;
  /** The tag of the request (`x-gateway-tag`). */
  readonly tag?: string;
  /** The full id of the model. */
  readonly model: string;
  /** The format of the caller. */
  readonly format: FormatName;
  readonly operation: Operation;
  /** Whatever the hooks of one request want to tell each other. */
  readonly state: Record<string, unknown>;
  /** Refuses the request: the caller gets the sentence, with the status 403. */
  refuse(sentence: string): never;
}

/** What `onRequest` wants otherwise. */
export interface RequestChange {
  /** The prompt to send instead. Its `model` has no effect. */
  readonly prompt?: Prompt;
  /** The full id of the model to ask instead, which the key must be allowed to use. */
  readonly model?: string;
  /** Never set: a hook returns a prompt as `{ prompt }`, and not by itself. */
  readonly turns?: never;
}

export interface Hooks {
  /** Called with each request, once, before anything of it goes to a vendor. */
  readonly onRequest?: (
    prompt: Prompt,
    context: HookContext,
  ) => RequestChange | undefined | Promise<RequestChange | undefined>;
  /**
   * The `transform` of a Step over the events of an answer: passes on, changes, adds or leaves out, in the order that
   * `reply.ts` describes.
   */
  readonly onReplyEvent?: (event: ReplyEvent, out: Sink<ReplyEvent>, context: HookContext) => void;
  /** Milliseconds that `onRequest` may take. */
  readonly timeout: number;
  /** What happens when a hook throws or takes too long: the request is refused with a 500, or goes on without it. */
  readonly failure: 'refuse' | 'ignore';
  /** Receives a sentence about each hook that has failed. The gateway sets it. */
  readonly report?: (sentence: string, error: unknown) => void;
}
