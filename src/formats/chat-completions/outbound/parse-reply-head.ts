/** The fields around the choices of an answer: its id, its model and the vendor's own fields. */

import { prefixedId } from '../../../conversation/ids.ts';
import { asNumber, asText, type JsonObject } from '../../../lib/json.ts';
import type { Out } from './part-sequence.ts';
import { collectUnknownFields } from './unknown-fields.ts';

/** Fields of a chunk that are read elsewhere, or that mean nothing: padding (`obfuscation`, Mistral's `p`) and an echo. */
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

export interface ReplyHeadReader {
  /**
   * Writes the start of the reply.
   * @param chunk the first one with a choice.
   * @returns the beginning of the ids that calls without an id get; '' if the answer has none itself.
   */
  start(chunk: JsonObject, out: Out): string;
  /** Keeps the unknown fields of a chunk: for the start, or after it for the end. */
  keepUnknown(chunk: JsonObject): void;
  /** The unknown fields that came after the start; undefined if there are none. */
  lateFields(): JsonObject | undefined;
}

/** An answer of which no chunk has come. */
export function replyHeadReader(): ReplyHeadReader {
  const early = collectUnknownFields();
  const late = collectUnknownFields();
  /** Fields that the start has passed on. */
  let passedOn: JsonObject = {};
  let hasStarted = false;

  const keepUnknown = (chunk: JsonObject): void => {
    const kept = hasStarted ? late : early;
    for (const key in chunk) if (!KNOWN.has(key) && !Object.hasOwn(passedOn, key)) kept.keep(key, chunk[key]);
  };

  return {
    start(chunk, out) {
      const id = asText(chunk['id']) ?? '';
      const created = asNumber(chunk['created']);
      const serviceTier = asText(chunk['service_tier']);
      const fingerprint = asText(chunk['system_fingerprint']);
      keepUnknown(chunk);
      hasStarted = true;
      const unknownFields = early.fields();
      if (unknownFields !== undefined) passedOn = unknownFields;
      out.enqueue({
        type: 'reply-start',
        id,
        model: asText(chunk['model']) ?? '',
        // Snowflake sends 0.
        ...(created && { created: Math.trunc(created) }),
        ...(serviceTier && { serviceTier }),
        ...(fingerprint && {
          formatSpecific: { format: 'chat-completions', fields: { system_fingerprint: fingerprint } },
        }),
        ...(unknownFields && { unknownFields }),
      });
      return id && prefixedId('call_', id);
    },
    keepUnknown,
    lateFields: () => late.fields(),
  };
}
