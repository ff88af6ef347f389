/** Sends a request that is in a file, as a client would. */

import type { Dispatcher } from 'undici';
import type { FormatName } from '../../conversation/prompt.ts';
import { asText, isObject, type JsonObject, tryParseJson } from '../../lib/json.ts';
import { guessFormat } from '../../translate/guess-format.ts';
import type { CloudTokens } from '../../upstream/credentials/cloud-tokens.ts';
import { pathAt, requestPath, type Vendor } from '../../upstream/vendor.ts';
import { ask, headersOfNobody, headersTo, type Waits } from './exchange.ts';
import { type Exchange, NoFixture } from './fixture.ts';
import { inflated } from './inflated.ts';
import { speaks } from './route.ts';

/** A request from a file, ready to send. */
export interface Asking {
  readonly format: FormatName;
  readonly path: string;
  readonly stream: boolean;
  readonly body: Buffer;
}

/** What the file does not say, or what replaces what it says. */
export interface How {
  /** If absent, the fields of the request tell. */
  readonly format?: FormatName;
  readonly model?: string;
  readonly stream?: boolean;
}

/**
 * Prepares a request for a vendor.
 * @param bytes the contents of the file
 * @returns the request, with the bytes unchanged if nothing in them changes; or, as text, the reason why it cannot be
 *   sent
 */
export function readAsking(
  vendor: Vendor,
  bytes: Buffer,
  { format: named, model, stream }: How,
): Asking | string {
  const body = tryParseJson(bytes.toString('utf8'));
  if (!isObject(body)) return 'it does not contain a JSON object.';
  const format = named ?? formatFor(vendor, body);
  if (!speaks(vendor, format)) return `${vendor.name} does not speak ${format}.`;
  if (format === 'generate-content') {
    if (model === undefined) return 'a generate-content request names no model: give one with --model.';
    return {
      format,
      path: pathAt(vendor, requestPath(format, 'generate', model, stream === true)),
      stream: stream === true,
      body: bytes,
    };
  }
  const asked = model ?? asText(body['model']);
  if (asked === undefined) return 'it names no model: give one with --model.';
  const change = {
    ...(asked !== body['model'] && { model: asked }),
    ...(stream === true && body['stream'] !== true && { stream: true }),
  };
  const changed = Object.keys(change).length > 0;
  return {
    format,
    path: pathAt(vendor, requestPath(format, 'generate', asked, false)),
    stream: stream === true || body['stream'] === true,
    body: changed ? Buffer.from(JSON.stringify({ ...body, ...change })) : bytes,
  };
}

/**
 * Sends a request, and waits for the whole answer.
 * @returns the complete exchange, decompressed
 * @throws NoFixture, and whatever `ask` throws
 */
export async function sendAsking(
  agent: Dispatcher,
  cloudTokens: CloudTokens,
  vendor: Vendor,
  { format, path, stream, body }: Asking,
  waits: Waits,
): Promise<Exchange> {
  const headers = headersTo(vendor, headersOfNobody(stream, format === 'messages'));
  const signal = new AbortController().signal;
  const { answer, ...shown } = await ask(agent, cloudTokens, vendor, { path, headers, body, signal }, waits);
  const bytes = Buffer.from(await answer.body.arrayBuffer());
  const whole = await inflated(bytes, answer.headers['content-encoding']);
  if (whole === undefined) throw new NoFixture('The vendor’s answer cannot be decompressed.');
  const { statusCode: status, headers: told } = answer;
  return { format, request: body, status, headers: told, answer: whole, ...shown };
}

/**
 * A short request of `messages` looks like one of chat-completions. Then it is in the format that the vendor speaks.
 */
function formatFor(vendor: Vendor, body: JsonObject): FormatName {
  const told = guessFormat(body);
  return told === 'chat-completions' && !speaks(vendor, told) ? vendor.formats[0] : told;
}
