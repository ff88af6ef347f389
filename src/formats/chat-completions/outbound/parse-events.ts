/**
 * Answers as neutral events: the chunks of a stream, or a whole body, which is one chunk of it all.
 *
 * Why it stopped is settled only when the stream has ended: OpenRouter says it twice, Together after each call,
 * Cerebras before more text comes. Usage may come at any place, once, twice, or with every chunk.
 */

import { countCalls, prefixedId } from '../../../conversation/ids.ts';
import type { Prompt } from '../../../conversation/prompt.ts';
import { withCustomCalls } from '../../../conversation/rules/custom-tools.ts';
import { withParallelCalls } from '../../../conversation/rules/parallel-calls.ts';
import { endedEarly } from '../../../lib/errors.ts';
import {
  asNumber,
  asObject,
  asObjects,
  asText,
  isList,
  isObject,
  type JsonObject,
} from '../../../lib/json.ts';
import { broken, eventObject } from '../../event-data.ts';
import type { EventParser, ModelTraits } from '../../format.ts';
import { changedNames } from '../../safe-names.ts';
import { dialectOf } from '../dialects.ts';
import { hasTokens, parseUsage } from '../wire/usage.ts';
import type { CallContext } from './parse-calls.ts';
import { type ChoiceReader, choiceReader } from './parse-choice.ts';
import { isErrorBody, parseErrorObject } from './parse-error.ts';
import type { Out } from './part-sequence.ts';
import { toolNameFor } from './tool-names.ts';
import { collectUnknownFields } from './unknown-fields.ts';

/** More answers than any service gives at once (OpenAI: 128). */
const MAX_CHOICES = 128;

/** Fields of a chunk that are read here, or say nothing: padding (`obfuscation`, Mistral's `p`), an echo. */
const KNOWN = new Set([
  'id',
  'object',
  'created',
  'model',
  'choices',
  'usage',
  'service_tier',
  'system_fingerprint',
  'obfuscation',
  'p',
  'stream_options',
]);

/** @see Outbound.parseEvents */
export function parseEvents(prompt: Prompt, target: ModelTraits): EventParser {
  const chunks = parseChunks(prompt, target);
  const events = withParallelCalls(withCustomCalls(chunks, prompt), prompt);
  return { ...events, mayBeOver: chunks.mayBeOver };
}

function parseChunks(prompt: Prompt, target: ModelTraits): Required<EventParser> {
  const dialect = dialectOf(target.dialect);
  const names = changedNames(prompt.tools, (name) => toolNameFor(name, dialect));
  const hidesThoughts = dialect.reasoningInTotalOnly;
  const choices: (ChoiceReader | undefined)[] = [];
  const early = collectUnknownFields();
  const late = collectUnknownFields();
  const told = new Set<string>();
  let context: CallContext | undefined;
  let usage: JsonObject | undefined;
  let toldUsage: JsonObject | undefined;
  /** What Perplexity's models have found, which their answers number. */
  let found: readonly JsonObject[] = [];
  let isDone = false;

  const start = (chunk: JsonObject, out: Out): CallContext => {
    const id = asText(chunk['id']) ?? '';
    const created = asNumber(chunk['created']);
    const serviceTier = asText(chunk['service_tier']);
    const fingerprint = asText(chunk['system_fingerprint']);
    keepUnknown(chunk);
    const extra = early.fields();
    for (const key in extra) told.add(key);
    out.enqueue({
      type: 'reply-start',
      id,
      model: asText(chunk['model']) ?? '',
      // Snowflake says 0.
      ...(created && { created: Math.trunc(created) }),
      ...(serviceTier && { serviceTier }),
      ...(fingerprint && {
        formatSpecific: { format: 'chat-completions', fields: { system_fingerprint: fingerprint } },
      }),
      ...(extra && { unknownFields: extra }),
    });
    // Without an id of the answer, the number of earlier calls keeps ids apart in a conversation.
    const stem = prefixedId('call_', id || `made${countCalls(prompt)}`);
    return { stem, names };
  };

  const keepUnknown = (chunk: JsonObject): void => {
    const kept = context === undefined ? early : late;
    for (const key in chunk) if (!KNOWN.has(key) && !told.has(key)) kept.keep(key, chunk[key]);
  };

  const choiceAt = (index: number, shared: CallContext): ChoiceReader => {
    let choice = choices[index];
    if (choice === undefined) {
      if (!Number.isInteger(index) || index < 0 || index >= MAX_CHOICES) throw broken('an impossible index');
      choice = choiceReader(index, shared);
      choices[index] = choice;
    }
    return choice;
  };

  const tellUsage = (out: Out): void => {
    if (usage === undefined || usage === toldUsage) return;
    toldUsage = usage;
    const parsed = parseUsage(usage, hidesThoughts);
    if (hasTokens(parsed)) out.enqueue({ type: 'usage', usage: parsed });
  };

  const readChunk = (chunk: JsonObject, out: Out): void => {
    const list = chunk['choices'];
    if ((chunk['error'] !== undefined || !isList(list)) && isErrorBody(chunk)) throw parseErrorObject(chunk);
    usage = usageIn(chunk) ?? usage;
    if (!isList(list)) return;
    if (list.length === 0) {
      // Azure's first chunk tells only how the prompt was filtered; its id and model are empty.
      keepUnknown(chunk);
      return;
    }
    if (context === undefined) {
      context = start(chunk, out);
      // The figures of the prompt may be known from the first chunk on, and some formats want them first.
      tellUsage(out);
    }
    for (const value of list) {
      if (!isObject(value)) continue;
      choiceAt(asNumber(value['index']) ?? 0, context).read(value, out);
      if ((value['finish_reason'] ?? null) === null) continue;
      keepUnknown(chunk);
      if (isList(chunk['search_results'])) found = asObjects(chunk['search_results']);
    }
  };

  const finish = (out: Out): void => {
    if (choices.length === 0) throw broken('an end without an answer');
    // Answers are numbered 0, 1, 2 …: one that is missing will not come any more.
    if (choices.includes(undefined)) throw broken('only some of its answers');
    tellUsage(out);
    let left = late.fields();
    for (const choice of choices) {
      choice?.end(left, found, out);
      left = undefined;
    }
    out.enqueue({ type: 'reply-end' });
  };

  const isFinished = (): boolean =>
    choices.length > 0 && choices.every((choice) => choice === undefined || choice.isFinished());

  return {
    mayBeOver: () => !isDone && choices.length > 0 && choices.every((choice) => choice?.mayBeOver()),
    transform({ event, data }, out) {
      // Some services fill their silence with null.
      if (isDone || data === '' || data === 'null') return;
      if (data.startsWith('[DONE]')) {
        isDone = true;
        // No finish is made up for a choice that has said nothing.
        if (choices.some((choice) => choice && !choice.isPlausible()))
          throw broken('an end without an answer');
        finish(out);
        return;
      }
      const chunk = eventObject(data);
      if (event === 'error') throw parseErrorObject(chunk);
      readChunk(chunk, out);
    },
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

/** Groq says it in a place of its own unless asked for the usual one, and Moonshot beside the reason to stop. */
function usageIn({ usage, x_groq, choices }: JsonObject): JsonObject | undefined {
  return (
    asObject(usage) ?? asObject(asObject(x_groq)?.['usage']) ?? asObject(asObjects(choices)[0]?.['usage'])
  );
}
