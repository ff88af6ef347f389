/**
 * One GenerateContentResponse (Gemini API reference, "GenerateContentResponse"). A chunk of a stream and a whole answer
 * have the same shape: a whole answer is a stream of one chunk.
 */

import { asList, asObject, asObjects, isList, isObject, type Json, type JsonObject } from '../../lib/json.ts';
import { wordSet } from '../../lib/words.ts';
import { isCount, isName, show } from '../shape.ts';
import { checkPart, type PartContext } from './part.ts';
import type { Report } from './rules.ts';
import { checkUsage } from './usage.ts';

/** The words of `finishReason`. */
const WORDS = wordSet(`
  FINISH_REASON_UNSPECIFIED STOP MAX_TOKENS SAFETY RECITATION LANGUAGE OTHER BLOCKLIST PROHIBITED_CONTENT
  SPII MALFORMED_FUNCTION_CALL IMAGE_SAFETY UNEXPECTED_TOOL_CALL TOO_MANY_TOOL_CALLS
  IMAGE_PROHIBITED_CONTENT NO_IMAGE IMAGE_RECITATION IMAGE_OTHER CONTINUATION MODEL_ARMOR
  MISSING_THOUGHT_SIGNATURE MALFORMED_RESPONSE ESCALATION PUP_LIMITED_DISABLED
`);

interface Candidate extends PartContext {
  finished: boolean;
}

/** The finish reason of a candidate that was not cut off, by name and by number. */
const COMPLETE: ReadonlySet<Json> = new Set(['STOP', 1]);

/** Reports what is wrong with a whole answer. @returns whether it is an error body, which has rules of its own. */
export function checkWhole(body: JsonObject, report: Report): boolean {
  const answer = answerChecker();
  if (answer.add(body, report)) return true;
  answer.end(report);
  return false;
}

/** A checker of the chunks of one answer, which has seen none. */
export function answerChecker() {
  const ids = new Set<string>();
  const candidates = new Map<number, Candidate>();
  let blocked = false;
  let counted = false;
  let version: string | undefined;
  let responseId: string | undefined;

  function addCandidate(value: Json, report: Report): void {
    if (!isObject(value)) {
      report('candidates-list', show(value));
      return;
    }
    const { index: at = 0, content, finishReason: finish } = value;
    if (!isCount(at)) {
      report('candidate-index', show(at));
      return;
    }
    const candidate = candidates.get(at) ?? { ids, continuing: false, finished: false };
    candidates.set(at, candidate);
    if (answersCall(content)) candidate.finished = false;
    if (candidate.finished) report('after-finish', show(value));
    checkContent(content, candidate, report);
    if (finish !== undefined) finishCandidate(candidate, finish, report);
  }

  function checkSame(chunk: JsonObject, report: Report): void {
    const { modelVersion, responseId: id } = chunk;
    if (isName(modelVersion)) {
      version ??= modelVersion;
      if (version !== modelVersion) report('model-same', `${version}, then ${modelVersion}`);
    }
    if (isName(id)) {
      responseId ??= id;
      if (responseId !== id) report('model-same', `${responseId}, then ${id}`);
    }
  }

  return {
    /** Checks a chunk. @returns whether the chunk is an error. */
    add(chunk: JsonObject, report: Report): boolean {
      const { error, candidates: list, promptFeedback: feedback, usageMetadata: usage } = chunk;
      if (error !== undefined) {
        checkError(error, report);
        return true;
      }
      checkFields(chunk, report);
      for (const candidate of asList(list)) addCandidate(candidate, report);
      if (asObject(feedback)?.['blockReason'] !== undefined) blocked = true;
      if (blocked && candidates.size > 0) report('blocked-candidate', show(feedback));
      if (usage !== undefined && checkUsage(usage, report)) counted = true;
      checkSame(chunk, report);
      return false;
    },
    /** Reports what is missing at the end of the answer. */
    end(report: Report): void {
      if (!blocked && candidates.size === 0) report('candidate-missing', 'none came');
      for (const [at, { finished }] of candidates) {
        if (at >= candidates.size) report('candidate-index', `${at} of ${candidates.size} candidates`);
        if (!finished) report('finish-missing', `candidate ${at}`);
      }
      if (!counted) report('usage-missing', 'none came');
      if (version === undefined) report('model-missing', 'none came');
    },
  };
}

function checkFields(chunk: JsonObject, report: Report): void {
  const { candidates: list, promptFeedback, usageMetadata } = chunk;
  if (list === undefined && promptFeedback === undefined && usageMetadata === undefined)
    report('chunk-empty', show(chunk));
  if (list !== undefined && !isList(list)) report('candidates-list', show(list));
}

function finishCandidate(candidate: Candidate, finish: Json, report: Report): void {
  candidate.finished = true;
  if (candidate.bare && COMPLETE.has(finish)) report('call-args', show(candidate.bare));
  // A caller may ask for enums as numbers (`$alt=json;enum-encoding=int`).
  if (!isCount(finish) && (typeof finish !== 'string' || !WORDS.has(finish)))
    report('finish-word', show(finish));
}

function checkContent(content: Json | undefined, candidate: Candidate, report: Report): void {
  if (content === undefined) return;
  const { role, parts } = asObject(content) ?? {};
  if (!isObject(content)) report('content-shape', show(content));
  if (parts === undefined) return;
  if (!isList(parts)) report('content-shape', `parts ${show(parts)}`);
  if (role !== 'model') report('content-role', show(role));
  for (const part of asList(parts)) {
    if (isObject(part)) checkPart(part, candidate, report);
    else report('content-shape', `a part is ${show(part)}`);
  }
}

function checkError(error: Json, report: Report): void {
  const { code, message, status } = asObject(error) ?? {};
  if (typeof code !== 'number' || typeof message !== 'string' || typeof status !== 'string') {
    report('error-shape', show(error));
  }
}

/** Whether the vendor itself ran a function (of an MCP server) and shows its result. The model then goes on. */
function answersCall(content: Json | undefined): boolean {
  return asObjects(asObject(content)?.['parts']).some((part) => part['functionResponse'] !== undefined);
}
