/** The fields around the choices of an answer: its id, its model and the vendor's own fields. */

import { withFormatSpecific, withUnknownFields } from '../../../conversation/format-specific.ts';
import { prefixedId } from '../../../conversation/ids.ts';
import type { ReplyEnd } from '../../../conversation/reply.ts';
import { asNumber, asText, type JsonObject } from '../../../lib/json.ts';
import { wordSet } from '../../../lib/words.ts';
import type { Out } from './part-sequence.ts';
import { splitOwn, UnknownFields } from './unknown-fields.ts';

/** Fields of a chunk that are read elsewhere, or that mean nothing: padding (`obfuscation`, Mistral's `p`) and an echo. */
const KNOWN = wordSet(`
  id object created model choices usage service_tier system_fingerprint obfuscation p stream_options
`);

export class ReplyHeadReader {
  /** The tier that served the answer, so far as it is known. */
  tier: Pick<ReplyEnd, 'serviceTier'> = {};
  /** The unknown fields so far; once the start is written, only those that came after it. */
  #unknown = new UnknownFields();
  /** Fields that the start has passed on. */
  #passedOn: JsonObject | undefined;

  /**
   * Writes the start of the reply.
   * @param chunk the first one with a choice.
   * @returns the beginning of the ids that calls without an id get; '' if the answer has none itself.
   */
  start(chunk: JsonObject, out: Out): string {
    const id = asText(chunk['id']) ?? '';
    const created = asNumber(chunk['created']);
    const fingerprint = asText(chunk['system_fingerprint']);
    this.keepUnknown(chunk);
    this.#passedOn = this.#unknown.fields();
    if (this.#passedOn !== undefined) this.#unknown = new UnknownFields();
    const [own, unknown] = splitOwn(this.#passedOn ?? {});
    out.enqueue({
      type: 'reply-start',
      id,
      model: asText(chunk['model']) ?? '',
      // Snowflake sends 0.
      ...(created && { created: Math.trunc(created) }),
      ...this.tier,
      ...withFormatSpecific(
        'chat-completions',
        fingerprint ? { system_fingerprint: fingerprint, ...own } : own,
      ),
      ...withUnknownFields(unknown),
    });
    return id && prefixedId('call_', id);
  }

  /** Keeps the unknown fields of a chunk: for the start, or after it for the end. The tier may come with either. */
  keepUnknown(chunk: JsonObject): void {
    const serviceTier = asText(chunk['service_tier']);
    if (serviceTier) this.tier = { serviceTier };
    for (const key in chunk) {
      const isKnown = KNOWN.has(key) || (this.#passedOn !== undefined && Object.hasOwn(this.#passedOn, key));
      if (!isKnown) this.#unknown.keep(key, chunk[key]);
    }
  }

  /** The unknown fields that came after the start; undefined if there are none. */
  lateFields(): JsonObject | undefined {
    return this.#unknown.fields();
  }
}
