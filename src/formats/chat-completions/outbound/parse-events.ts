/**
 * Answers as events of a reply: the chunks of a stream, or a whole body, which is one chunk with everything in it.
 *
 * The finish reason is decided only at the end of the stream: OpenRouter sends it twice, Together after each call, and
 * Cerebras before more text. Usage may come anywhere, once, twice or with every chunk.
 */

import type { Prompt } from '../../../conversation/prompt.ts';
import { withCustomCalls } from '../../../conversation/rules/custom-tools.ts';
import { withParallelCalls } from '../../../conversation/rules/parallel-calls.ts';
import { withSettledCalls } from '../../../conversation/rules/settle-calls.ts';
import { endedEarly } from '../../../lib/errors.ts';
import { asNumber, asObject, asObjects, isList, isObject, type JsonObject } from '../../../lib/json.ts';
import { brokenAnswer, parseEventObject } from '../../event-data.ts';
import type { EventParser, ModelTraits } from '../../format.ts';
import { changedNames } from '../../safe-names.ts';
import { dialectFor } from '../restricted-dialect.ts';
import { hasTokens, parseUsage } from '../wire/usage.ts';
import type { CallContext } from './parse-calls.ts';
import { type ChoiceReader, choiceReader } from './parse-choice.ts';
import { isErrorBody, parseErrorObject } from './parse-error.ts';
import { replyHeadReader } from './parse-reply-head.ts';
import type { Out } from './part-sequence.ts';
import { toolNameFor } from './tool-names.ts';

/** The most choices of one answer (OpenAI's limit). */
const MAX_CHOICES = 128;

/**
 * Custom tools that went out as functions become custom calls again.
 * @see Outbound.parseEvents
 */
export function parseEvents(prompt: Prompt, target: ModelTraits): EventParser {
  const chunks = parseChunks(prompt, target);
  const events = withSettledCalls(withParallelCalls(withCustomCalls(chunks, prompt), prompt));
  return Object.assign(events, { mayBeOver: chunks.mayBeOver, pieces: chunks.pieces });
}

function parseChunks(prompt: Prompt, target: ModelTraits): Required<EventParser> {
  const dialect = dialectFor(target);
  const names = changedNames(prompt.tools, (name) => toolNameFor(name, dialect));
  const choices: (ChoiceReader | undefined)[] = [];
  const head = replyHeadReader();
  let context: CallContext | undefined;
  let usage: JsonObject | undefined;
  let reportedUsage: JsonObject | undefined;
  /** Perplexity's search results, to which the numbers in its texts refer. */
  let sources: readonly JsonObject[] = [];
  let isDone = false;
  let lastPiece: string | undefined;
  /** The choice of that piece. */
  let lastChoice: ChoiceReader | undefined;

  const choiceAt = (index: number, shared: CallContext): ChoiceReader => {
    let choice = choices[index];
    if (choice === undefined) {
      if (!Number.isInteger(index) || index < 0 || index >= MAX_CHOICES)
        throw brokenAnswer('an impossible index');
      choice = choiceReader(index, shared);
      choices[index] = choice;
    }
    return choice;
  };

  const reportUsage = (out: Out): void => {
    if (usage === undefined || usage === reportedUsage) return;
    reportedUsage = usage;
    const parsed = parseUsage(usage, target.model);
    if (hasTokens(parsed)) out.enqueue({ type: 'usage', usage: parsed });
  };

  const readChunk = (chunk: JsonObject, out: Out): void => {
    const list = chunk['choices'];
    if ((chunk['error'] !== undefined || !isList(list)) && isErrorBody(chunk)) throw parseErrorObject(chunk);
    const counted = findUsage(chunk);
    usage = counted ?? usage;
    if (!isList(list)) return;
    if (list.length === 0) {
      // Azure's first chunk has only the content filter's result for the prompt; its id and model are empty.
      head.keepUnknown(chunk);
      return;
    }
    if (context === undefined) {
      context = { stem: head.start(chunk, out), names, stops: prompt.stop ?? [] };
      // The first chunk may have the prompt's counts already, and some formats want them first.
      reportUsage(out);
    }
    for (const value of list) {
      if (!isObject(value)) continue;
      lastChoice = choiceAt(asNumber(value['index']) ?? 0, context);
      lastPiece = lastChoice.read(value, out);
      if ((value['finish_reason'] ?? null) === null) continue;
      lastPiece = undefined;
      head.keepUnknown(chunk);
      if (isList(chunk['search_results'])) sources = asObjects(chunk['search_results']);
    }
    if (list.length > 1 || counted !== undefined) lastPiece = undefined;
  };

  const finish = (out: Out): void => {
    if (choices.length === 0) throw brokenAnswer('an end without an answer');
    // Choices are numbered 0, 1, 2 and so on. A missing one will not come any more.
    if (choices.includes(undefined)) throw brokenAnswer('only some of its answers');
    reportUsage(out);
    let late = head.lateFields();
    for (const choice of choices) {
      choice?.end(late, sources, out);
      late = undefined;
    }
    out.enqueue({ type: 'reply-end' });
  };

  const isFinished = (): boolean =>
    choices.length > 0 && choices.every((choice) => choice === undefined || choice.isFinished());

  return {
    mayBeOver: () => !isDone && choices.length > 0 && choices.every((choice) => choice?.mayBeOver()),
    transform({ event, data, piece }, out) {
      if (piece !== undefined) {
        lastChoice?.again(piece, out);
        return;
      }
      lastPiece = undefined;
      // Some services send null as a keep-alive.
      if (isDone || data === '' || data === 'null') return;
      if (data.startsWith('[DONE]')) {
        isDone = true;
        // A choice without any content gets no finish.
        if (choices.some((choice) => choice && !choice.isPlausible()))
          throw brokenAnswer('an end without an answer');
        finish(out);
        return;
      }
      const chunk = parseEventObject(data);
      if (event === 'error') throw parseErrorObject(chunk);
      readChunk(chunk, out);
    },
    pieces: { last: () => lastPiece },
    flush(out) {
      if (isDone) return;
      isDone = true;
      if (!isFinished()) {
        throw endedEarly();
      }
      finish(out);
    },
  };
}

/** The usage of a chunk. Unless asked for it, Groq sends it in `x_groq`, and Moonshot in the choice with the finish reason. */
function findUsage({ usage, x_groq, choices }: JsonObject): JsonObject | undefined {
  return (
    asObject(usage) ?? asObject(asObject(x_groq)?.['usage']) ?? asObject(asObjects(choices)[0]?.['usage'])
  );
}
