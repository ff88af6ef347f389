/** Native requests of callers whose usage counts: none takes an answer away from being counted. */

import type { IncomingHttpHeaders } from 'node:http';
import { invalid } from '../../lib/errors.ts';
import type { Routed } from '../exchange.ts';

/** How Gemini's answers are written, so that their usage can be read. */
const READABLE = new Set(['json', 'sse']);

/**
 * What goes to Google of a caller's query and headers. Google's system parameters, in both of them, choose which fields an
 * answer has (`fields`, `X-Goog-FieldMask`) and in what it is written (`alt=proto`, `callback`), on every method alike
 * (https://cloud.google.com/apis/docs/system-parameters): the answer has all of its fields, as JSON.
 */
export function askingAll(
  query: URLSearchParams,
  headers: IncomingHttpHeaders,
): { readonly query: URLSearchParams; readonly headers: IncomingHttpHeaders } {
  const alt = query.get('alt') ?? '';
  return {
    query: new URLSearchParams(READABLE.has(alt) ? { alt } : {}),
    headers: withoutParameters(headers),
  };
}

/** A caller's headers without Google's system parameters, of which one routes a call (`x-goog-request-params`). */
export function withoutParameters(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !name.startsWith('x-goog-') || name === 'x-goog-api-client'),
  );
}

/**
 * A response in the background is worked on when its exchange is long over, and only a path that is not served here tells
 * what it took.
 * @throws GatewayError `invalid-request`
 */
export function refuseBackground({ body, fields }: Pick<Routed, 'body' | 'fields'>): void {
  const background = fields.get('background');
  if (background === undefined) return;
  if (/^(?:false|null)$/.test(body.toString('latin1', background.start, background.end))) return;
  throw invalid(
    "'background' is not available to this API key, because its limits cannot count what runs in the background: leave it out, and use 'stream' for long answers.",
    'background',
  );
}
