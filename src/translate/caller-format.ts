/**
 * Which inbound half reads a caller's request: that of the endpoint's format, or that of a client with its own shapes.
 */

import type { FormatName } from '../conversation/prompt.ts';
import type { Inbound } from '../formats/format.ts';
import { formats } from '../formats/formats.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Query } from '../lib/query.ts';
import { cursorInbound, isCursorBody } from './cursor/index.ts';

/**
 * Picks the inbound half for a parsed body that came to the endpoint of `format`.
 * @param query the query that came with it, which may say how answers are to be written.
 */
export function inboundFor(format: FormatName, body: JsonObject, query?: Query): Inbound {
  if (format === 'chat-completions' && isCursorBody(body)) return cursorInbound;
  const { inbound } = formats[format];
  return (query && inbound.forQuery?.(query)) ?? inbound;
}
