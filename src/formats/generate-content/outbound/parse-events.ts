/**
 * Gemini's answers as neutral events: the chunks of a stream, a whole answer (one chunk that has it all), and a
 * stream as one JSON list (`streamGenerateContent` without `alt=sse`).
 *
 * There is no end marker: the stream ends with the connection, and it was whole if every candidate said why it
 * stopped. Why is settled only there, for a call may come first and a bare STOP after it, and some services say STOP
 * in every chunk.
 */

import { formatSpecificOf, unknownFieldsOf } from '../../../conversation/format-specific.ts';
import { countCalls } from '../../../conversation/ids.ts';
import type { Prompt } from '../../../conversation/prompt.ts';
import type { ReplyEvent, ReplyStart } from '../../../conversation/reply.ts';
import { parseExact } from '../../../conversation/rules/arguments.ts';
import { withCustomCalls } from '../../../conversation/rules/custom-tools.ts';
import { endedEarly } from '../../../lib/errors.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { asList, asNumber, asObject, asText, isList, isObject } from '../../../lib/json.ts';
import type { Sse } from '../../../streams/sse.ts';
import type { Sink, Step } from '../../../streams/step.ts';
import { broken, eventValue } from '../../event-data.ts';
import { changedNames } from '../../safe-names.ts';
import { parseInnerError } from '../wire/errors.ts';
import { blockWord } from '../wire/finish-reasons.ts';
import { parseTier } from '../wire/service-tier.ts';
import { safeName } from '../wire/tool-names.ts';
import { laterFigures, parseUsage } from '../wire/usage.ts';
import { FORMAT } from '../wire/wire.ts';
import { type Answer, type Candidate, parseCandidate, partsOf } from './parse-candidate.ts';

/** Fields of an answer that are read here or belong to Google alone; any other is passed on. */
const KNOWN: readonly string[] = [
  'candidates',
  'promptFeedback',
  'usageMetadata',
  'modelVersion',
  'responseId',
  'createTime',
  'modelStatus',
];

/** More answers than Gemini gives at once, by far. */
const MAX_CANDIDATES = 64;

type Out = Sink<ReplyEvent>;

/** @see Outbound.parseEvents */
export function parseEvents(prompt: Prompt): Step<Sse, ReplyEvent> {
  return withCustomCalls(parseChunks(prompt), prompt);
}

function parseChunks(prompt: Prompt): Step<Sse, ReplyEvent> {
  const candidates = new Map<number, Candidate>();
  let answer: Answer | undefined;
  let metadata: JsonObject | undefined;
  let told: JsonObject | undefined;
  let promptFeedback: JsonObject | undefined;
  let started: JsonObject = {};
  let late: JsonObject = {};

  const start = (chunk: JsonObject, out: Out): Answer => {
    started = chunk;
    const id = asText(chunk['responseId']) ?? '';
    out.enqueue(replyStart(chunk, id));
    // Without an id of the answer, the number of earlier calls keeps ids apart in a conversation.
    const stem = id || `made${countCalls(prompt)}`;
    const declared = declaredNames(prompt);
    return { stem, names: changedNames(prompt.tools, safeName), ...(declared && { declared }) };
  };

  const candidateAt = (index: number, shared: Answer): Candidate => {
    let candidate = candidates.get(index);
    if (candidate === undefined) {
      if (!Number.isInteger(index) || index < 0 || index >= MAX_CANDIDATES)
        throw broken('an impossible index');
      candidate = parseCandidate(index, shared);
      candidates.set(index, candidate);
    }
    return candidate;
  };

  const tellUsage = (out: Out): void => {
    if (metadata === undefined || metadata === told) return;
    told = metadata;
    const usage = parseUsage(metadata);
    if (usage) out.enqueue({ type: 'usage', usage });
  };

  const readChunk = (chunk: Json, out: Out): void => {
    if (!isObject(chunk)) throw broken('an event that is not an object');
    const error = parseInnerError(chunk['error']);
    if (error !== undefined) throw error;
    const list = asList(chunk['candidates']);
    const feedback = asObject(chunk['promptFeedback']);
    const usage = asObject(chunk['usageMetadata']);
    if (list.length === 0 && !feedback && !usage) return;
    const isFirst = answer === undefined;
    if (usage) metadata = laterFigures(metadata ?? {}, usage);
    // The figures of the prompt are known from the first chunk on, and messages wants them with its first event.
    if (isFirst) tellUsage(out);
    answer ??= start(chunk, out);
    for (const candidate of list) {
      if (!isObject(candidate)) continue;
      candidateAt(asNumber(candidate['index']) ?? 0, answer).read(candidate, out);
      if ('finishReason' in candidate && !isFirst) late = { ...late, ...unknownFields(chunk, started) };
    }
    if (feedback) readFeedback(feedback, answer);
  };

  const readFeedback = (feedback: JsonObject, shared: Answer): void => {
    promptFeedback = feedback;
    const reason = blockWord(feedback['blockReason']);
    if (reason === undefined) return;
    if (candidates.size === 0) candidateAt(0, shared);
    const explanation = asText(feedback['blockReasonMessage']);
    for (const candidate of candidates.values()) candidate.block(reason, explanation);
  };

  return {
    transform(event, out) {
      // Gemini writes no end marker, but some services that stand before it write OpenAI's.
      if (event.data === '[DONE]') return;
      const value = eventValue(event.data);
      if (isList(value)) {
        const chunks = value.some(hasCalls) ? asList(eventValue(event.data, parseExact)) : value;
        for (const chunk of chunks) readChunk(chunk, out);
      } else readChunk(hasCalls(value) ? eventValue(event.data, parseExact) : value, out);
    },
    flush(out) {
      const ordered = [...candidates].sort(([one], [other]) => one - other).map(([, candidate]) => candidate);
      if (ordered.length === 0 || ordered.some((candidate) => !candidate.isFinished())) {
        throw endedEarly();
      }
      tellUsage(out);
      for (const [at, candidate] of ordered.entries()) {
        const own = at === 0 && promptFeedback ? { promptFeedback } : {};
        candidate.end(own, at === 0 ? late : {}, out);
      }
      out.enqueue({ type: 'reply-end' });
    },
  };
}

function replyStart(chunk: JsonObject, id: string): ReplyStart {
  const createTime = asText(chunk['createTime']);
  const seconds = createTime === undefined ? Number.NaN : Math.floor(Date.parse(createTime) / 1000);
  const { modelStatus } = chunk;
  const serviceTier = parseTier(asObject(chunk['usageMetadata'])?.['serviceTier']);
  const fields = {
    ...(createTime !== undefined && { createTime }),
    ...(modelStatus !== undefined && { modelStatus }),
  };
  return {
    type: 'reply-start',
    id,
    model: asText(chunk['modelVersion']) ?? '',
    ...(Number.isFinite(seconds) && { created: seconds }),
    ...(serviceTier && { serviceTier }),
    ...formatSpecificOf(FORMAT, fields),
    ...unknownFieldsOf(unknownFields(chunk, {})),
  };
}

/** Fields nobody here knows, but for those that `earlier` has told. */
function unknownFields(chunk: JsonObject, earlier: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(chunk).filter(
      ([key, value]) => value !== null && !KNOWN.includes(key) && !Object.hasOwn(earlier, key),
    ),
  );
}

/** The names of the prompt's functions, where it has MCP servers, whose functions Google calls itself. */
function declaredNames({ tools = [] }: Prompt): ReadonlySet<string> | undefined {
  const hasServers = tools.some((tool) => tool.kind === 'hosted' && 'mcpServers' in tool.value);
  if (!hasServers) return undefined;
  return new Set(tools.flatMap((tool) => (tool.kind === 'hosted' ? [] : safeName(tool.name))));
}

/** Whether the digits of long numbers matter: arguments are only carried, and written as they came. */
function hasCalls(chunk: Json): boolean {
  for (const candidate of asList(asObject(chunk)?.['candidates'])) {
    for (const part of partsOf(asObject(candidate)?.['content'])) {
      if (isObject(part) && part['functionCall'] !== undefined) return true;
    }
  }
  return false;
}
