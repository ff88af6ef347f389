/** Turns as Gemini's `systemInstruction` and `contents`. */

import type { Part, Turn } from '../../../conversation/prompt.ts';
import { strictTurns } from '../../../conversation/rules/strict-turns.ts';
import { withParts } from '../../../conversation/turn-parts.ts';
import { asObject, asObjects, asText, type JsonObject } from '../../../lib/json.ts';
import { joinLists, keepItems, mapItems } from '../../../lib/lists.ts';
import type { ModelTraits, Report } from '../../format.ts';
import { beforeAnswers, laterSystemAsUser } from '../../later-system.ts';
import { dropRefusedMedia, showForeignImages } from '../../model-media.ts';
import { reportForeign } from '../../own-fields.ts';
import { isGemini3 } from './model-generation.ts';
import { renderMedia } from './render-media.ts';
import { type Rendering, renderPart, renderSignature } from './render-parts.ts';
import { renderResult } from './render-results.ts';

/** Stands in for the signature of what another model made (Gemini API, "Thought signatures", FAQ). */
export const PLACEHOLDER = 'skip_thought_signature_validator';

interface Contents {
  /** The parts of `systemInstruction`. */
  readonly system: readonly JsonObject[];
  readonly contents: readonly JsonObject[];
}

/**
 * The system turns up to the first answer, in order, as the parts of one instruction, and the rest as contents with
 * alternating roles. System turns alone are sent as the user's, since Gemini refuses a request without contents.
 * @throws GatewayError `invalid-request` for a file in another vendor's store.
 */
export function renderContents(turns: readonly Turn[], target: ModelTraits, report: Report): Contents {
  const given = dropRefusedMedia(
    readable(showForeignImages(turns, 'generate-content', report), report),
    { model: target, render: (part) => renderMedia(part, target) },
    report,
  );
  const known = laterSystemAsUser(given, beforeAnswers(given), report);
  const spoken = strictTurns(keepItems(known, (turn) => turn.role !== 'system'));
  const rendering: Rendering = { target, report, names: new Map(), repeated: repeatedIds(spoken) };
  reportTurns(turns, report);
  const said = joinLists(known.filter((turn) => turn.role === 'system').map((turn) => turn.parts));
  const system = joinLists(said.map((part) => renderPart(part, rendering)));
  // Google does not say whether a text beside results begins a turn, so calls before such a text are signed too.
  const current = spoken.findLastIndex((turn) => turn.role === 'user' && !turn.parts.some(isResult));
  const contents: JsonObject[] = [];
  for (let at = 0; at < spoken.length; at++) {
    const turn = spoken[at];
    if (turn !== undefined) addContents(contents, turn, at > current, rendering);
  }
  const seen = system.filter((part) => part['text'] !== '');
  if (target.prefill === false && endsWithModel(contents)) {
    report('turns', 'approximated', 'a user turn added at the end, so that the model goes on');
    return { system: seen, contents: [...contents, GO_ON] };
  }
  if (contents.length > 0 || seen.length === 0) return { system: seen, contents };
  report('turns', 'approximated', 'only a system message: sent as the user');
  return { system: [], contents: [{ role: 'user', parts: seen }] };
}

/** @param isCurrent whether no new turn of the user's comes after it. */
function addContents(contents: JsonObject[], turn: Turn, isCurrent: boolean, rendering: Rendering): void {
  const role = turn.role === 'assistant' ? 'model' : 'user';
  for (const written of renderTurn(turn, rendering)) {
    const parts = role === 'model' ? sign(written, isCurrent, rendering.target) : written;
    contents.push(
      turn.unknownFields === undefined ? { role, parts } : { ...turn.unknownFields, role, parts },
    );
  }
}

function sign(
  written: readonly JsonObject[],
  isCurrent: boolean,
  target: ModelTraits,
): readonly JsonObject[] {
  const shown = signImages(written, target);
  return isCurrent ? signFirst(shown, target) : shown;
}

/**
 * Follows a conversation that ends with the model. Gemini 3.6 Flash, 3.5 Flash-Lite and later models do not go on with
 * an answer that the request begins ("What's new in Gemini 3.6 Flash", API changes).
 */
const GO_ON: JsonObject = { role: 'user', parts: [{ text: 'Continue.' }] };

/** Whether the model has the last word. Calls at the end are no last word, since their results are still to come. */
function endsWithModel(contents: readonly JsonObject[]): boolean {
  const last = contents.at(-1);
  const parts = asObjects(last?.['parts']);
  return last?.['role'] === 'model' && parts.every((part) => part['functionCall'] === undefined);
}

/** Ids that several calls of one turn share. */
function repeatedIds(turns: readonly Turn[]): ReadonlySet<string> {
  let repeated: Set<string> | undefined;
  for (const { parts } of turns) {
    const calls = keepItems(parts, (part) => part.kind === 'tool-call');
    if (calls.length < 2) continue;
    const ids = new Set<string>();
    for (const part of calls) {
      if (ids.has(part.id)) {
        repeated ??= new Set();
        repeated.add(part.id);
      }
      ids.add(part.id);
    }
  }
  return repeated ?? NONE;
}

const NONE: ReadonlySet<string> = new Set();

/**
 * The turns without what only another vendor reads. A turn of nothing else must not count when roles alternate. Thoughts
 * go back only with Google's own signature: without it the model does not accept them as its own.
 */
function readable(turns: readonly Turn[], report: Report): readonly Turn[] {
  return mapItems(turns, (turn) => {
    const parts = keepItems(turn.parts, (part) => !isForeignBlock(part) && !isForeignThought(part));
    if (parts === turn.parts) return turn;
    for (const part of turn.parts) {
      if (isForeignBlock(part)) report('turns[].content', 'dropped', "another vendor's block");
      if (isForeignThought(part)) {
        report('turns[].thinking', 'dropped', "thinking without Google's signature");
      }
    }
    return withParts(turn, parts);
  });
}

function isForeignBlock(part: Part): boolean {
  return part.kind === 'opaque' && part.format !== 'generate-content';
}

function isForeignThought(part: Part): boolean {
  return part.kind === 'thinking' && part.signature?.origin !== 'google';
}

function isResult(part: Part): boolean {
  return part.kind === 'tool-result';
}

function reportTurns(turns: readonly Turn[], report: Report): void {
  for (const { formatSpecific } of turns)
    reportForeign(formatSpecific, 'generate-content', 'turns[]', report);
  if (turns.some((turn) => turn.name !== undefined)) {
    report('turns[].name', 'dropped', 'Gemini has no field for the names of speakers');
  }
  const hasMark = turns.some((turn) =>
    turn.parts.some(
      (part) =>
        part.cacheBreakpoint ||
        (part.kind === 'tool-result' && part.content.some((piece) => piece.cacheBreakpoint)),
    ),
  );
  if (hasMark) report('turns[].mark', 'dropped', 'Gemini caches by itself');
}

/**
 * A turn as the parts of one content, or of two if it has results of tools and something else. Beside responses, some
 * models take the rest for their own words ("Requests ending with a model turn are not supported"), and Gemini 3.5
 * Flash answers nothing. All of them take several contents of one role in a row.
 */
function renderTurn(turn: Turn, rendering: Rendering): readonly (readonly JsonObject[])[] {
  if (!turn.parts.some(isResult)) {
    const written = joinLists(turn.parts.map((part) => renderPart(part, rendering)));
    return written.length === 0 ? [] : [written];
  }
  const responses: JsonObject[] = [];
  const others: JsonObject[] = [];
  for (const part of turn.parts) {
    if (part.kind !== 'tool-result') {
      others.push(...renderPart(part, rendering));
      continue;
    }
    const name = part.name ?? rendering.names.get(part.id) ?? part.id;
    const unlike = rendering.repeated.has(part.id) ? { ...part, id: '' } : part;
    const { response, media } = renderResult(unlike, name, rendering.target, rendering.report);
    const signature = renderSignature(part, rendering.report);
    responses.push(signature === undefined ? response : { ...response, ...signature });
    for (const medium of media) others.push(medium);
  }
  return others.length === 0 ? [responses] : [responses, others];
}

/**
 * Signs the first call of a step. From Gemini 3 on, a request is refused if that call has no signature in the current
 * turn; further calls of the step need none (Gemini API, "Thought signatures").
 */
function signFirst(parts: readonly JsonObject[], target: ModelTraits): readonly JsonObject[] {
  if (!isGemini3(target)) return parts;
  const first = parts.findIndex((part) => part['functionCall'] !== undefined);
  const call = parts[first];
  if (call === undefined || call['thoughtSignature'] !== undefined) return parts;
  return parts.with(first, { ...call, thoughtSignature: PLACEHOLDER });
}

/**
 * Signs the images that came back without a signature, or that another model drew. Gemini 3 refuses them in any of its own
 * turns ("Image part is missing a thought_signature in content position 2, part position 1", archestra-ai/archestra#2548).
 */
function signImages(parts: readonly JsonObject[], target: ModelTraits): readonly JsonObject[] {
  if (!isGemini3(target)) return parts;
  return mapItems(parts, (part) => {
    if (part['thought'] === true) return part;
    const isImage = asText(asObject(part['inlineData'])?.['mimeType'])?.startsWith('image/');
    return isImage && part['thoughtSignature'] === undefined
      ? { ...part, thoughtSignature: PLACEHOLDER }
      : part;
  });
}
