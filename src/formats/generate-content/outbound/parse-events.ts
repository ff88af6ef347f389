/**
 * Gemini's answers as neutral events: the chunks of a stream, a whole answer (one chunk that has everything), and a
 * stream as one JSON list (`streamGenerateContent` without `alt=sse`).
 *
 * There is no end marker: the stream ends with the connection, and it was whole if every candidate said why it stopped.
 * A whole answer with content needs no reason, as in the other formats: some services give none.
 * The reason is settled only there, since a call may come first and a bare STOP after it, and some services say STOP in
 * every chunk.
 */

import type { PromptOutline } from '../../../conversation/prompt-outline.ts';
import type { ReplyEvent } from '../../../conversation/reply.ts';
import { toolNames } from '../../../conversation/rules/allowed-tools.ts';
import { parseExact } from '../../../conversation/rules/arguments.ts';
import { withCustomCalls } from '../../../conversation/rules/custom-tools.ts';
import { withSettledCalls } from '../../../conversation/rules/settle-calls.ts';
import { endedEarly } from '../../../lib/errors.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { asList, asNumber, asObject, asText, isList, isObject } from '../../../lib/json.ts';
import type { Pieces } from '../../../streams/repeated-events.ts';
import type { Sse } from '../../../streams/sse.ts';
import type { Sink, Step } from '../../../streams/step.ts';
import { brokenAnswer, parseEventObject, parseEventValue, saysNothing } from '../../event-data.ts';
import type { EventParser, ModelTraits } from '../../format.ts';
import { changedNames } from '../../safe-names.ts';
import { blockWord } from '../wire/finish-reasons.ts';
import { laterFigures, parseUsage } from '../wire/usage.ts';
import { findParts } from './candidate-parts.ts';
import { isGemini3 } from './model-generation.ts';
import type { Answer } from './parse-calls.ts';
import { CandidateReader } from './parse-candidate.ts';
import { parseInnerError } from './parse-error.ts';
import { parseStart, tierFields, unknownFields } from './parse-start.ts';
import { safeName } from './tool-names.ts';

/** Many more candidates than Gemini gives at once. */
const MAX_CANDIDATES = 64;

/** The field of a chunk with the counts so far, which change with each. */
const USAGE = 'usageMetadata';

type Out = Sink<ReplyEvent>;

/** @see Outbound.parseEvents */
export function parseEvents(prompt: PromptOutline, target: ModelTraits): EventParser {
  const chunks = new ChunkParser(prompt, isGemini3(target));
  return Object.assign(withSettledCalls(withCustomCalls(chunks, prompt)), {
    mayEnd: () => chunks.mayEnd(),
    pieces: chunks,
  });
}

class ChunkParser implements Step<Sse, ReplyEvent>, Pieces {
  readonly counts = USAGE;
  readonly #tools: PromptOutline['tools'];
  readonly #signsTexts: boolean;
  readonly #candidates: (CandidateReader | undefined)[] = [];
  #answer: Answer | undefined;
  #metadata: JsonObject | undefined;
  /** The usage that was emitted last. */
  #told: JsonObject | undefined;
  #promptFeedback: JsonObject | undefined;
  #started: JsonObject = {};
  /** Unknown fields that only later chunks have. */
  #late: Map<string, Json> | undefined;
  #lastPiece: string | undefined;
  /** The candidate of that piece. */
  #lastCandidate: CandidateReader | undefined;
  /** The data of the last event that came as a piece: its usage has not been read. */
  #unread = '';

  constructor({ tools }: PromptOutline, signsTexts: boolean) {
    this.#tools = tools;
    this.#signsTexts = signsTexts;
  }

  transform(event: Sse, out: Out): void {
    if (event.piece !== undefined) {
      this.#unread = event.data;
      this.#lastCandidate?.again(event.piece, out);
      return;
    }
    this.#readLastUsage();
    this.#lastPiece = undefined;
    // Gemini writes no end marker, but some services in front of it write OpenAI's.
    if (event.data === '[DONE]' || saysNothing(event.data, event.event)) return;
    const value = parseEventValue(event.data);
    if (isList(value)) {
      const chunks = value.some(hasCalls) ? asList(parseEventValue(event.data, parseExact)) : value;
      for (const chunk of chunks) this.#readChunk(chunk, out);
      this.#lastPiece = undefined;
    } else this.#readChunk(hasCalls(value) ? parseEventValue(event.data, parseExact) : value, out);
    // One list may hold all chunks of a stream, which has to say that it has ended.
    if (event.isWhole && !isList(value)) for (const candidate of this.#candidates) candidate?.endWhole();
  }

  flush(out: Out): void {
    this.#readLastUsage();
    const candidates = this.#candidates.filter((candidate) => candidate !== undefined);
    if (candidates.length === 0 || candidates.some((candidate) => !candidate.isFinished())) {
      throw endedEarly();
    }
    this.#emitUsage(out);
    for (const [at, candidate] of candidates.entries()) {
      const own = at === 0 && this.#promptFeedback ? { promptFeedback: this.#promptFeedback } : {};
      candidate.end(own, at === 0 && this.#late ? Object.fromEntries(this.#late) : {}, out);
    }
    out.enqueue({ type: 'reply-end', ...tierFields(this.#metadata) });
  }

  last(): string | undefined {
    return this.#lastPiece;
  }

  /**
   * Whether every candidate has said why it stopped, and the usage has come with that. A model also stops for a tool that
   * Google runs, however long that takes, and goes on after it (0xPlaygrounds/rig#2328).
   */
  mayEnd(): boolean {
    return (
      this.#metadata !== undefined &&
      this.#candidates.length > 0 &&
      this.#candidates.every((candidate) => candidate?.mayEnd() === true) &&
      this.#tools?.some(({ kind }) => kind === 'hosted') !== true
    );
  }

  #start(chunk: JsonObject, out: Out): Answer {
    this.#started = chunk;
    const id = asText(chunk['responseId']) ?? '';
    out.enqueue(parseStart(chunk, id));
    const declared = declaredNames(this.#tools);
    return {
      stem: id,
      signsTexts: this.#signsTexts,
      names: changedNames(this.#tools, safeName),
      ...(declared && { declared }),
    };
  }

  #candidateAt(index: number, shared: Answer): CandidateReader {
    let candidate = this.#candidates[index];
    if (candidate === undefined) {
      if (!Number.isInteger(index) || index < 0 || index >= MAX_CANDIDATES)
        throw brokenAnswer('an impossible index');
      candidate = new CandidateReader(index, shared);
      this.#candidates[index] = candidate;
    }
    return candidate;
  }

  #emitUsage(out: Out): void {
    if (this.#metadata === undefined || this.#metadata === this.#told) return;
    this.#told = this.#metadata;
    const usage = parseUsage(this.#metadata);
    if (usage) out.enqueue({ type: 'usage', usage });
  }

  #readUsage(chunk: JsonObject): JsonObject | undefined {
    const usage = asObject(chunk[USAGE]);
    if (usage) this.#metadata = laterFigures(this.#metadata ?? {}, usage);
    return usage;
  }

  #readLastUsage(): void {
    if (this.#unread !== '') this.#readUsage(parseEventObject(this.#unread));
    this.#unread = '';
  }

  #readChunk(chunk: Json, out: Out): void {
    if (!isObject(chunk)) throw brokenAnswer('an event that is not an object');
    const error = parseInnerError(chunk['error']);
    if (error !== undefined) throw error;
    const list = asList(chunk['candidates']);
    const feedback = asObject(chunk['promptFeedback']);
    const usage = this.#readUsage(chunk);
    if (list.length === 0 && !feedback && !usage) return;
    const isFirst = this.#answer === undefined;
    // The figures of the prompt are known from the first chunk on, and messages needs them in its first event.
    if (isFirst) this.#emitUsage(out);
    this.#answer ??= this.#start(chunk, out);
    for (const candidate of list) {
      if (!isObject(candidate)) continue;
      const piece = this.#readCandidate(candidate, this.#answer, out);
      if (list.length === 1 && !feedback) this.#lastPiece = piece;
      if ('finishReason' in candidate && !isFirst) this.#keepLateFields(chunk);
    }
    if (feedback) this.#readFeedback(feedback, this.#answer);
  }

  #readCandidate(candidate: JsonObject, shared: Answer, out: Out): string | undefined {
    this.#lastCandidate = this.#candidateAt(asNumber(candidate['index']) ?? 0, shared);
    return this.#lastCandidate.read(candidate, out);
  }

  #keepLateFields(chunk: JsonObject): void {
    for (const [key, value] of unknownFields(chunk, this.#started)) {
      this.#late ??= new Map();
      this.#late.set(key, value);
    }
  }

  #readFeedback(feedback: JsonObject, shared: Answer): void {
    this.#promptFeedback = feedback;
    const reason = blockWord(feedback['blockReason']);
    if (reason === undefined) return;
    if (this.#candidates.length === 0) this.#candidateAt(0, shared);
    const explanation = asText(feedback['blockReasonMessage']);
    for (const candidate of this.#candidates) candidate?.block(reason, explanation);
  }
}

/**
 * The names of the prompt's functions if it has MCP servers, whose functions Google calls itself; undefined otherwise.
 */
function declaredNames(tools: PromptOutline['tools'] = []): ReadonlySet<string> | undefined {
  const hasServers = tools.some((tool) => tool.kind === 'hosted' && 'mcpServers' in tool.value);
  if (!hasServers) return undefined;
  return new Set(toolNames(tools).map(safeName));
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
