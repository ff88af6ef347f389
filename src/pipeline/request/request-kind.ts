/** What kind of exchange a request is: native or translated, whole or streamed, and in which framing. */

import { parseAlt } from '../../formats/generate-content/wire/alt.ts';
import type { Routed } from '../exchange.ts';

/** Whether the vendor gets the caller's body, and the caller the vendor's answer, without translation. */
export function isNative({ upstreamFormat, route, mustTranslate }: Routed): boolean {
  return upstreamFormat === route.format && mustTranslate === undefined;
}

/** Whether a request asks for a stream. In generate-content the method in the path says so. */
export function asksStream({ named, body, scan }: Routed): boolean {
  if (named !== undefined) return named.method === 'streamGenerateContent';
  const span = scan.fields.get('stream');
  return span !== undefined && body.toString('latin1', span.start, span.end) === 'true';
}

/** Whether a stream is one JSON list, as Gemini's is without `alt=sse`. */
export function asksList({ named, query }: Pick<Routed, 'named' | 'query'>): boolean {
  return named?.method === 'streamGenerateContent' && !parseAlt(query).isSse;
}
