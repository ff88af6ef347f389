/** Ends an answer early: at a stop sequence, or at the token limit. */

import { estimateTokens } from './pieces.ts';
import type { ScriptFinish, ScriptPart } from './script.ts';

/** What a model has said, before its usage is counted. */
export interface Spoken {
  readonly parts: readonly ScriptPart[];
  readonly finish: ScriptFinish;
  readonly stopSequence?: string;
}

function getLength(part: ScriptPart): number {
  const said = part.pieces.reduce((sum, piece) => sum + piece.length, 0);
  return part.kind === 'call' ? said + part.name.length : said;
}

/** @returns the tokens of some parts */
export function tokensIn(parts: readonly ScriptPart[]): number {
  return parts.reduce((sum, part) => sum + estimateTokens(getLength(part)), 0);
}

/** @returns the answer up to the first stop sequence in its text, without that sequence */
export function cutAtStops(spoken: Spoken, stops: readonly string[]): Spoken {
  if (stops.length === 0) return spoken;
  for (const [index, part] of spoken.parts.entries()) {
    if (part.kind !== 'text') continue;
    const text = part.pieces.join('');
    const found = stops
      .map((stop) => ({ stop, at: stop === '' ? -1 : text.indexOf(stop) }))
      .filter(({ at }) => at >= 0)
      .sort((one, other) => one.at - other.at)[0];
    if (found === undefined) continue;
    const kept = { ...part, pieces: takeFirst(part.pieces, found.at) };
    return {
      parts: [...spoken.parts.slice(0, index), ...(found.at > 0 ? [kept] : [])],
      finish: 'stop-sequence',
      stopSequence: found.stop,
    };
  }
  return spoken;
}

/**
 * @param limit the most tokens; undefined for no limit
 * @returns the answer up to the limit. A call that does not fit is left out, since half its arguments are not JSON.
 */
export function cutAtLimit(spoken: Spoken, limit: number | undefined): Spoken {
  if (limit === undefined || tokensIn(spoken.parts) <= limit) return spoken;
  const parts: ScriptPart[] = [];
  let left = limit;
  for (const part of spoken.parts) {
    const tokens = estimateTokens(getLength(part));
    if (tokens > left) {
      if (part.kind !== 'call' && left > 0) parts.push({ ...part, pieces: takeFirst(part.pieces, left * 4) });
      break;
    }
    parts.push(part);
    left -= tokens;
  }
  return { parts, finish: 'length' };
}

/** The first `length` UTF-16 units of a text in pieces; no character is cut in half. */
function takeFirst(pieces: readonly string[], length: number): readonly string[] {
  const kept: string[] = [];
  let left = length;
  for (const piece of pieces) {
    if (piece.length > left) {
      const end = /[\ud800-\udbff]/.test(piece.charAt(left - 1)) ? left - 1 : left;
      if (end > 0) kept.push(piece.slice(0, end));
      break;
    }
    kept.push(piece);
    left -= piece.length;
  }
  return kept;
}
