/**
 * Answers as events of a reply: the chunks of a stream, or a whole body, which is one chunk with everything in it.
 *
 * The finish reason is decided only at the end of the stream: OpenRouter sends it twice, Together after each call, and
 * Cerebras before more text. Usage may come anywhere, once, twice or with every chunk.
 */

import type { PromptOutline } from '../../../conversation/prompt-outline.ts';
import type { ReplyEvent } from '../../../conversation/reply.ts';
import { toolNames } from '../../../conversation/rules/allowed-tools.ts';
import { withCustomCalls } from '../../../conversation/rules/custom-tools.ts';
import { withParallelCalls } from '../../../conversation/rules/parallel-calls.ts';
import { withSettledCalls } from '../../../conversation/rules/settle-calls.ts';
import { laterUsage } from '../../../conversation/tokens.ts';
import { endedEarly } from '../../../lib/errors.ts';
import { asNumber, asObject, asObjects, isList, isObject, type JsonObject } from '../../../lib/json.ts';
import type { Pieces } from '../../../streams/repeated-events.ts';
import type { Sse } from '../../../streams/sse.ts';
import type { Step } from '../../../streams/step.ts';
import { hasIntervened } from '../../bedrock-guardrail.ts';
import { brokenAnswer, parseEventObject, saysNothing } from '../../event-data.ts';
import type { EventParser, ModelTraits } from '../../format.ts';
import type { ThinkTags } from '../../model-traits.ts';
import { withBareAnswer } from '../../openai/wrap-answer.ts';
import { changedNames } from '../../safe-names.ts';
import type { Dialect } from '../dialect.ts';
import { dialectFor } from '../restricted-dialect.ts';
import { hasTokens, parseUsage } from '../wire/usage.ts';
import type { CallContext } from './parse-calls.ts';
import { ChoiceReader } from './parse-choice.ts';
import { isErrorBody, parseErrorObject } from './parse-error.ts';
import { ReplyHeadReader } from './parse-reply-head.ts';
import type { Out } from './part-sequence.ts';
import { toolNameFor } from './tool-names.ts';

/** The most choices of one answer (OpenAI's limit). */
const MAX_CHOICES = 128;

/** Gemini 3 and later sign their texts. */
const SIGNS_TEXTS = /gemini-(?![12]\b)/i;

/**
 * Custom tools that went out as functions become custom calls again, and answers that went out as objects bare ones.
 * @see Outbound.parseEvents
 */
export function parseEvents(prompt: PromptOutline, target: ModelTraits): EventParser {
  const chunks = new ChunkParser(prompt, target);
  const answer = withBareAnswer(chunks, prompt, target, 'chat-completions');
  const events = withSettledCalls(withParallelCalls(withCustomCalls(answer, prompt), prompt));
  return Object.assign(events, { mayEnd: () => chunks.mayEnd(), pieces: chunks });
}

class ChunkParser implements Step<Sse, ReplyEvent>, Pieces {
  readonly #model: string;
  readonly #names: ReadonlyMap<string, string>;
  readonly #toolNames: () => readonly string[];
  readonly #stops: readonly string[];
  readonly #thinkTags: ThinkTags;
  readonly #signsTexts: boolean;
  readonly #choices: (ChoiceReader | undefined)[] = [];
  readonly #head = new ReplyHeadReader();
  #context: CallContext | undefined;
  #usage: JsonObject | undefined;
  #reportedUsage: JsonObject | undefined;
  /** Perplexity's search results, to which the numbers in its texts refer. */
  #sources: readonly JsonObject[] | undefined;
  /** Whether a guardrail of Bedrock's has changed the answer. */
  #isFiltered = false;
  #isDone = false;
  #lastPiece: string | undefined;
  /** The choice of that piece. */
  #lastChoice: ChoiceReader | undefined;

  constructor({ tools, stop = [] }: PromptOutline, target: ModelTraits) {
    const dialect = dialectFor(target);
    this.#model = target.model;
    const nameFor = (name: string): string => toolNameFor(name, dialect);
    this.#names = changedNames(tools, nameFor);
    this.#toolNames = () => toolNames(tools).map(nameFor);
    this.#stops = stop;
    this.#thinkTags = dialect.thinkTags;
    this.#signsTexts = keepsSignatures(dialect) && SIGNS_TEXTS.test(target.model);
  }

  transform({ event, data, piece }: Sse, out: Out): void {
    if (piece !== undefined) {
      this.#lastChoice?.again(piece, out);
      return;
    }
    this.#lastPiece = undefined;
    if (this.#isDone || saysNothing(data, event)) return;
    if (data.startsWith('[DONE]')) {
      this.#isDone = true;
      if (this.#choices.some((choice) => choice && !choice.isPlausible())) throw endedEarly();
      this.#finish(out);
      return;
    }
    const chunk = parseEventObject(data);
    if (event === 'error') throw parseErrorObject(chunk);
    this.#isFiltered ||= hasIntervened(chunk);
    this.#readChunk(chunk, out);
  }

  flush(out: Out): void {
    if (this.#isDone) return;
    this.#isDone = true;
    if (!this.#isEvery((choice) => choice === undefined || choice.isFinished())) throw endedEarly();
    this.#finish(out);
  }

  last(): string | undefined {
    return this.#lastPiece;
  }

  mayEnd(): boolean {
    return !this.#isDone && this.#isEvery((choice) => choice?.mayEnd() === true);
  }

  #isEvery(test: (choice: ChoiceReader | undefined) => boolean): boolean {
    return this.#choices.length > 0 && this.#choices.every(test);
  }

  #choiceAt(index: number, shared: CallContext): ChoiceReader {
    let choice = this.#choices[index];
    if (choice === undefined) {
      if (!Number.isInteger(index) || index < 0 || index >= MAX_CHOICES)
        throw brokenAnswer('an impossible index');
      choice = new ChoiceReader(index, shared);
      this.#choices[index] = choice;
    }
    return choice;
  }

  #reportUsage(out: Out): void {
    if (this.#usage === undefined || this.#usage === this.#reportedUsage) return;
    this.#reportedUsage = this.#usage;
    const usage = parseUsage(this.#usage, this.#model);
    if (hasTokens(usage)) out.enqueue({ type: 'usage', usage });
  }

  #readChunk(chunk: JsonObject, out: Out): void {
    const list = chunk['choices'];
    if ((chunk['error'] !== undefined || !isList(list)) && isErrorBody(chunk)) throw parseErrorObject(chunk);
    const counted = findUsage(chunk);
    if (counted !== undefined) this.#usage = laterUsage(this.#usage, counted);
    if (!isList(list)) return;
    if (list.length === 0) {
      // Azure's first chunk has only the content filter's result for the prompt; its id and model are empty.
      this.#head.keepUnknown(chunk);
      return;
    }
    if (this.#context === undefined) {
      this.#context = {
        stem: this.#head.start(chunk, out),
        names: this.#names,
        toolNames: this.#toolNames,
        stops: this.#stops,
        model: this.#model,
        thinkTags: this.#thinkTags,
        signsTexts: this.#signsTexts,
      };
      // The first chunk may have the prompt's counts already, and some formats want them first.
      this.#reportUsage(out);
    }
    for (const value of list) if (isObject(value)) this.#readChoice(value, chunk, this.#context, out);
    if (list.length > 1 || counted !== undefined) this.#lastPiece = undefined;
  }

  #readChoice(value: JsonObject, chunk: JsonObject, shared: CallContext, out: Out): void {
    this.#lastChoice = this.#choiceAt(asNumber(value['index']) ?? 0, shared);
    this.#lastPiece = this.#lastChoice.read(value, out);
    if ((value['finish_reason'] ?? null) === null) return;
    this.#lastPiece = undefined;
    this.#head.keepUnknown(chunk);
    if (isList(chunk['search_results'])) this.#sources = asObjects(chunk['search_results']);
  }

  #finish(out: Out): void {
    if (this.#choices.length === 0) throw brokenAnswer('an end without an answer');
    // Choices are numbered 0, 1, 2 and so on. A missing one will not come any more.
    if (this.#choices.includes(undefined)) throw brokenAnswer('only some of its answers');
    this.#reportUsage(out);
    let late = this.#head.lateFields();
    for (const choice of this.#choices) {
      if (this.#isFiltered) choice?.filter();
      choice?.end(late, this.#sources ?? [], out);
      late = undefined;
    }
    out.enqueue({ type: 'reply-end', ...this.#head.tier });
  }
}

function keepsSignatures({ signatures, reasoningHistory }: Dialect): boolean {
  return signatures !== 'none' || reasoningHistory === 'reasoning_details';
}

/** The usage of a chunk. Unless asked for it, Groq sends it in `x_groq`, and Moonshot in the choice with the finish reason. */
function findUsage({ usage, x_groq, choices }: JsonObject): JsonObject | undefined {
  return (
    asObject(usage) ?? asObject(asObject(x_groq)?.['usage']) ?? asObject(asObjects(choices)[0]?.['usage'])
  );
}
