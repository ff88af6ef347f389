/** The prompt of a request, in whichever way the caller's format is read. */

import type { Prompt } from '../../conversation/prompt.ts';
import { type Inbound, unreported } from '../../formats/format.ts';
import { formats } from '../../formats/formats.ts';
import type { JsonObject } from '../../lib/json.ts';
import { inboundFor } from '../../translate/caller-format.ts';
import { fieldsWithInexactNumbers, parseBody, withWrittenNumbers } from '../body/parse-body.ts';
import type { Routed } from '../exchange.ts';
import { isNative } from './request-kind.ts';

/** A request's body, the half of the format that has read it, and what it asks for. */
interface ParsedRequest {
  readonly body: JsonObject;
  readonly inbound: Inbound;
  readonly prompt: Prompt;
}

/** Parses a request. @throws GatewayError `invalid-request` for what is not valid in the caller's format. */
export function parsePrompt(routed: Routed): ParsedRequest {
  const odd = fieldsWithInexactNumbers(routed);
  return parse(routed, parseBody(routed, odd), odd);
}

/** What is known of a request before it is decided whether it stays native. */
interface ReadRequest extends ParsedRequest {
  /** Whether a native request points to something stored at its vendor, which the prompt then leaves out. */
  readonly isStateful: boolean;
}

/**
 * Parses a request that may stay native. Then its vendor has what it points to, and to a translation nobody has.
 * @throws GatewayError as `parsePrompt` does.
 */
export function readPrompt(routed: Routed): ReadRequest {
  const odd = fieldsWithInexactNumbers(routed);
  const body = parseBody(routed, odd);
  const { withoutState } = formats[routed.route.format].inbound;
  const read = isNative(routed) ? (withoutState?.(body) ?? body) : body;
  return { ...parse(routed, read, odd), isStateful: read !== body };
}

function parse(
  routed: Routed,
  body: JsonObject,
  odd: ReturnType<typeof fieldsWithInexactNumbers>,
): ParsedRequest {
  const { route, query } = routed;
  const inbound = inboundFor(route.format, body, query);
  const parser =
    route.operation === 'count-tokens' ? (formats[route.format].inbound.counting ?? inbound) : inbound;
  return { body, inbound, prompt: withWrittenNumbers(parser.parseRequest(body, unreported), routed, odd) };
}
