/**
 * Asks a stream for its usage where its caller did not: with `stream_options.include_usage` (OpenAI, Azure, Ollama and
 * others), in the bytes of the request. The caller does not expect that usage: `strip-injected-usage.ts` removes it.
 */

import { bytesOfText, isAt, latin1OfBytes } from '../../../lib/bytes.ts';
import type { Edit } from '../../../lib/edit.ts';
import { OPEN_OBJECT } from '../../../lib/json-bytes.ts';
import { type Span, scanObject } from '../../../lib/json-scan.ts';
import { findDialect } from '../dialects.ts';

const NULL = bytesOfText('null');

/** @see UsageOnRequest.inject */
export function injectUsage(
  request: Uint8Array,
  fields: ReadonlyMap<string, Span>,
  dialect: string,
): Edit | undefined {
  if (!findDialect(dialect).streamOptions) return undefined;
  const stream = fields.get('stream');
  // Some services take 1 or "true" for true.
  if (stream === undefined || /^(?:false|null)$/.test(textAt(request, stream))) return undefined;
  const options = fields.get('stream_options');
  if (options === undefined) {
    const start = request.indexOf(OPEN_OBJECT) + 1;
    return { start, end: start, text: '"stream_options":{"include_usage":true},' };
  }
  const written = request.subarray(options.start, options.end);
  if (written.byteLength === NULL.byteLength && isAt(written, 0, NULL))
    return { ...options, text: '{"include_usage":true}' };
  // What else is no object, the service refuses.
  if (written[0] !== OPEN_OBJECT) return undefined;
  const inner = scanObject(written).fields;
  const asked = inner.get('include_usage');
  if (asked === undefined) {
    const start = options.start + 1;
    return { start, end: start, text: `"include_usage":true${inner.size === 0 ? '' : ','}` };
  }
  if (textAt(written, asked) === 'true') return undefined;
  return { start: options.start + asked.start, end: options.start + asked.end, text: 'true' };
}

function textAt(bytes: Uint8Array, { start, end }: Span): string {
  return latin1OfBytes(bytes, start, end);
}
