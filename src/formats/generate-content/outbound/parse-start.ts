/** The fields of an answer as a whole, which its first chunk has. */

import { withFormatSpecific, withUnknownFields } from '../../../conversation/format-specific.ts';
import type { ReplyStart } from '../../../conversation/reply.ts';
import { asObject, asText, type Json, type JsonObject } from '../../../lib/json.ts';
import { wordList } from '../../../lib/words.ts';
import { parseTier } from '../wire/service-tier.ts';

/** Fields of an answer that the gateway reads, or that mean something to Google alone. Any other is passed on. */
const KNOWN = wordList(`
  candidates promptFeedback usageMetadata modelVersion responseId createTime modelStatus
`);

/** The start of an answer. @param chunk its first one. @param id the vendor's id of the answer; '' if it gave none. */
export function parseStart(chunk: JsonObject, id: string): ReplyStart {
  const createTime = asText(chunk['createTime']);
  const seconds = createTime === undefined ? Number.NaN : Math.floor(Date.parse(createTime) / 1000);
  const { modelStatus } = chunk;
  const fields = {
    ...(createTime !== undefined && { createTime }),
    ...(modelStatus !== undefined && { modelStatus }),
  };
  return {
    type: 'reply-start',
    id,
    model: asText(chunk['modelVersion']) ?? '',
    ...(Number.isFinite(seconds) && { created: seconds }),
    ...tierFields(asObject(chunk['usageMetadata'])),
    ...withFormatSpecific('generate-content', fields),
    ...withUnknownFields(Object.fromEntries(unknownFields(chunk, {}))),
  };
}

/** The tier that served the answer, from the usage so far; empty if that does not name it. */
export function tierFields(usage: JsonObject | undefined): Pick<ReplyStart, 'serviceTier'> {
  const serviceTier = parseTier(usage?.['serviceTier']);
  return serviceTier ? { serviceTier } : {};
}

/** The fields of a chunk that the gateway does not know, without those that `earlier` has already. */
export function unknownFields(chunk: JsonObject, earlier: JsonObject): readonly (readonly [string, Json])[] {
  let unknown: [string, Json][] | undefined;
  for (const key in chunk) {
    if (KNOWN.includes(key)) continue;
    const value = chunk[key];
    if (value === undefined || value === null || Object.hasOwn(earlier, key)) continue;
    unknown ??= [];
    unknown.push([key, value]);
  }
  return unknown ?? NO_ENTRIES;
}

const NO_ENTRIES: readonly (readonly [string, Json])[] = [];
