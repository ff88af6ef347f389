/**
 * Gemini's answers as neutral events: the chunks of a stream, a whole answer (one chunk that has everything), and a
 * stream as one JSON list (`streamGenerateContent` without `alt=sse`).
 *
 * There is no end marker: the stream ends with the connection, and it was whole if every candidate said why it stopped.
 * The reason is settled only there, since a call may come first and a bare STOP after it, and some services say STOP in
 * every chunk.
 */

import type { Prompt } from '../../../conversation/prompt.ts';
import type { ReplyEvent } from '../../../conversation/reply.ts';
import { parseExact } from '../../../conversation/rules/arguments.ts';
import { withCustomCalls } from '../../../conversation/rules/custom-tools.ts';
import { withSettledCalls } from '../../../conversation/rules/settle-calls.ts';
import { endedEarly } from '../../../lib/errors.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { asList, asNumber, asObject, asText, isList, isObject } from '../../../lib/json.ts';
import type { Sink } from '../../../streams/step.ts';
import { brokenAnswer, parseEventObject, parseEventValue } from '../../event-data.ts';
import type { EventParser, ModelTraits } from '../../format.ts';
import { changedNames } from '../../safe-names.ts';
import { blockWord } from '../wire/finish-reasons.ts';
import { laterFigures, parseUsage } from '../wire/usage.ts';
import { findParts } from './candidate-parts.ts';
import { isGemini3 } from './model-generation.ts';
import type { Answer } from './parse-calls.ts';
import { type Candidate, parseCandidate } from './parse-candidate.ts';
import { parseInnerError } from './parse-error.ts';
import { parseStart, unknownFields } from './parse-start.ts';
import { safeName } from './tool-names.ts';

/** Many more candidates than Gemini gives at once. */
const MAX_CANDIDATES = 64;

/** The field of a chunk with the counts so far, which change with each. */
const USAGE = 'usageMetadata';

type Out = Sink<ReplyEvent>;

/** @see Outbound.parseEvents */
export function parseEvents(prompt: Prompt, target: ModelTraits): EventParser {
  const chunks = parseChunks(prompt, isGemini3(target));
  return Object.assign(withSettledCalls(withCustomCalls(chunks, prompt)), { pieces: chunks.pieces });
}

function parseChunks(
  prompt: Prompt,
  signsTexts: boolean,
): EventParser & Required<Pick<EventParser, 'pieces'>> {
  const candidates = new Map<number, Candidate>();
  let answer: Answer | undefined;
  let metadata: JsonObject | undefined;
  /** The usage that was emitted last. */
  let told: JsonObject | undefined;
  let promptFeedback: JsonObject | undefined;
  let started: JsonObject = {};
  /** Unknown fields that only later chunks have. */
  let late: Map<string, Json> | undefined;
  let lastPiece: string | undefined;
  /** The candidate of that piece. */
  let lastCandidate: Candidate | undefined;
  /** The data of the last event that came as a piece: its usage has not been read. */
  let unread = '';

  const start = (chunk: JsonObject, out: Out): Answer => {
    started = chunk;
    const id = asText(chunk['responseId']) ?? '';
    out.enqueue(parseStart(chunk, id));
    const declared = declaredNames(prompt);
    return {
      stem: id,
      signsTexts,
      names: changedNames(prompt.tools, safeName),
      ...(declared && { declared }),
    };
  };

  const candidateAt = (index: number, shared: Answer): Candidate => {
    let candidate = candidates.get(index);
    if (candidate === undefined) {
      if (!Number.isInteger(index) || index < 0 || index >= MAX_CANDIDATES)
        throw brokenAnswer('an impossible index');
      candidate = parseCandidate(index, shared);
      candidates.set(index, candidate);
    }
    return candidate;
  };

  const emitUsage = (out: Out): void => {
    if (metadata === undefined || metadata === told) return;
    told = metadata;
    const usage = parseUsage(metadata);
    if (usage) out.enqueue({ type: 'usage', usage });
  };

  const readUsage = (chunk: JsonObject): JsonObject | undefined => {
    const usage = asObject(chunk[USAGE]);
    if (usage) metadata = laterFigures(metadata ?? {}, usage);
    return usage;
  };

  const readLastUsage = (): void => {
    if (unread !== '') readUsage(parseEventObject(unread));
    unread = '';
  };

  const readChunk = (chunk: Json, out: Out): void => {
    if (!isObject(chunk)) throw brokenAnswer('an event that is not an object');
    const error = parseInnerError(chunk['error']);
    if (error !== undefined) throw error;
    const list = asList(chunk['candidates']);
    const feedback = asObject(chunk['promptFeedback']);
    const usage = readUsage(chunk);
    if (list.length === 0 && !feedback && !usage) return;
    const isFirst = answer === undefined;
    // The figures of the prompt are known from the first chunk on, and messages needs them in its first event.
    if (isFirst) emitUsage(out);
    answer ??= start(chunk, out);
    for (const candidate of list) {
      if (!isObject(candidate)) continue;
      lastCandidate = candidateAt(asNumber(candidate['index']) ?? 0, answer);
      const piece = lastCandidate.read(candidate, out);
      if (list.length === 1 && !feedback) lastPiece = piece;
      if ('finishReason' in candidate && !isFirst) {
        for (const [key, value] of unknownFields(chunk, started)) {
          late ??= new Map();
          late.set(key, value);
        }
      }
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
    pieces: { last: () => lastPiece, counts: USAGE },
    transform(event, out) {
      if (event.piece !== undefined) {
        unread = event.data;
        lastCandidate?.again(event.piece, out);
        return;
      }
      readLastUsage();
      lastPiece = undefined;
      // Gemini writes no end marker, but some services in front of it write OpenAI's.
      if (event.data === '[DONE]') return;
      const value = parseEventValue(event.data);
      if (isList(value)) {
        const chunks = value.some(hasCalls) ? asList(parseEventValue(event.data, parseExact)) : value;
        for (const chunk of chunks) readChunk(chunk, out);
        lastPiece = undefined;
      } else readChunk(hasCalls(value) ? parseEventValue(event.data, parseExact) : value, out);
    },
    flush(out) {
      readLastUsage();
      const ordered = inOrder(candidates);
      if (ordered.length === 0 || ordered.some((candidate) => !candidate.isFinished())) {
        throw endedEarly();
      }
      emitUsage(out);
      for (const [at, candidate] of ordered.entries()) {
        const own = at === 0 && promptFeedback ? { promptFeedback } : {};
        candidate.end(own, at === 0 && late ? Object.fromEntries(late) : {}, out);
      }
      out.enqueue({ type: 'reply-end' });
    },
  };
}

/** Candidates by their indexes. Almost every answer has one. */
function inOrder(candidates: ReadonlyMap<number, Candidate>): readonly Candidate[] {
  if (candidates.size === 1) return [...candidates.values()];
  return [...candidates].sort(([one], [other]) => one - other).map(([, candidate]) => candidate);
}

/**
 * The names of the prompt's functions if it has MCP servers, whose functions Google calls itself; undefined otherwise.
 */
function declaredNames({ tools = [] }: Prompt): ReadonlySet<string> | undefined {
  const hasServers = tools.some((tool) => tool.kind === 'hosted' && 'mcpServers' in tool.value);
  if (!hasServers) return undefined;
  return new Set(tools.flatMap((tool) => (tool.kind === 'hosted' ? [] : safeName(tool.name))));
}

/** Whether a chunk has calls. Their arguments are carried as they came, so the digits of long numbers matter. */
function hasCalls(chunk: Json): boolean {
  for (const candidate of asList(asObject(chunk)?.['candidates'])) {
    for (const part of findParts(asObject(candidate)?.['content'])) {
      if (isObject(part) && part['functionCall'] !== undefined) return true;
    }
  }
  return false;
}
