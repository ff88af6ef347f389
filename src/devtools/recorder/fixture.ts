/**
 * Makes fixtures of an exchange: the request's body under `requests/<format>`, and the answer under `replies/<format>`,
 * a stream byte for byte as `.sse`, a whole answer as `.json`. A rejected request becomes one file under
 * `errors/<format>`, `{status, headers, body}` with the request, since it is not a request that vendors accept.
 */

import { join } from 'node:path';
import type { FormatName } from '../../conversation/prompt.ts';
import { isObject, type Json, parseJson, tryParseJson } from '../../lib/json.ts';
import { decodeSse } from '../../streams/sse.ts';
import { run } from '../../streams/step.ts';
import { type AnswerHeaders, isEventStream } from '../../upstream/headers.ts';
import { cleanBytes, type Identity, identitiesIn } from './clean.ts';
import { inPieces } from './pieces.ts';
import { bodySecrets, ownerSecrets } from './secrets.ts';

/** One complete exchange, decompressed. */
export interface Exchange {
  readonly format: FormatName;
  readonly request: Uint8Array;
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly answer: Uint8Array;
  /** A credential that the vendor received and no configuration contains. */
  readonly secret?: string;
}

/** A file to write. */
export interface Fixture {
  /** The path below the folder of fixtures. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** The exchange cannot become a fixture. The message gives the reason. */
export class NoFixture extends Error {
  override readonly name = 'NoFixture';
}

/** @returns every path that a case may have files at, below the folder of fixtures */
export function listPaths(format: FormatName, name: string): readonly string[] {
  return [
    join('requests', format, `${name}.json`),
    join('replies', format, `${name}.sse`),
    join('replies', format, `${name}.json`),
    join('errors', format, `${name}.json`),
  ];
}

/**
 * Makes the fixtures of an exchange, without secrets and without what identifies the account.
 * @param name the name of the case
 * @param secrets texts that must not be in any file
 * @returns the files to write: the request and its answer, or one file for a rejected request
 * @throws NoFixture if the answer is not one to record, or spells out a secret across several events
 */
export function makeFixtures(
  exchange: Exchange,
  name: string,
  secrets: readonly string[],
): readonly Fixture[] {
  const { format, request, headers, answer, secret } = exchange;
  const body = tryParseJson(toText(request));
  const shown = secret === undefined ? [] : [secret];
  const known = [...secrets, ...shown, ...bodySecrets(body), ...ownerSecrets(headers)];
  const identities = unique([
    ...identitiesIn(body),
    ...renderBodies(exchange).flatMap(identitiesIn),
    ...requestIds(headers),
  ]);
  const clean = (bytes: Uint8Array): Buffer => cleanBytes(bytes, known, identities);
  const answered = clean(answer);
  const asked = clean(request);
  if (exchange.status >= 400)
    return [
      {
        path: join('errors', format, `${name}.json`),
        bytes: pretty({
          status: exchange.status,
          headers: toldHeaders(headers, clean),
          body: jsonOrText(answered),
          request: jsonOrText(asked),
        }),
      },
    ];
  const reply = renderReply(exchange, name, answered);
  if (reply.path.endsWith('.sse') && inPieces(answered, known))
    throw new NoFixture(
      'The answer spells out a secret across several events, so it cannot be recorded. Ask for something else.',
    );
  return [{ path: join('requests', format, `${name}.json`), bytes: readable(asked) }, reply];
}

function renderReply({ format, status, headers }: Exchange, name: string, answered: Buffer): Fixture {
  if (status !== 200)
    throw new NoFixture(`The vendor answered with status ${status}, which is not recorded.`);
  if (isEventStream(headers)) return { path: join('replies', format, `${name}.sse`), bytes: answered };
  if (!isObject(tryParseJson(answered.toString('utf8'))))
    throw new NoFixture('The vendor answered with neither a stream of events nor a JSON object.');
  return { path: join('replies', format, `${name}.json`), bytes: readable(answered) };
}

/** The JSON values that an answer consists of. */
function renderBodies({ headers, answer }: Exchange): readonly (Json | undefined)[] {
  if (!isEventStream(headers)) return [tryParseJson(toText(answer))];
  return run(decodeSse(Number.POSITIVE_INFINITY), [answer]).map(({ data }) => tryParseJson(data));
}

/** Headers that say what an error means, and when to try again. */
function toldHeaders(headers: AnswerHeaders, clean: (bytes: Uint8Array) => Buffer): Record<string, string> {
  const told = Object.entries(headers).flatMap(([name, value]) =>
    value !== undefined && (TOLD.has(name) || name.includes('ratelimit'))
      ? [[name, clean(Buffer.from(String(value))).toString('utf8')]]
      : [],
  );
  return Object.fromEntries(told);
}

const REQUEST_IDS = ['request-id', 'x-request-id'];

const TOLD = new Set(['content-type', 'retry-after', 'retry-after-ms', 'x-should-retry', ...REQUEST_IDS]);

function requestIds(headers: AnswerHeaders): readonly Identity[] {
  return REQUEST_IDS.flatMap((name) => {
    const value = String(headers[name] ?? '');
    return value === '' ? [] : [{ value, instead: 'req_recorded' }];
  });
}

/** One identity for each value: the first. */
function unique(identities: readonly Identity[]): readonly Identity[] {
  return [...new Map(identities.toReversed().map((identity) => [identity.value, identity])).values()];
}

/** JSON laid out as the other fixtures are, if that changes nothing but whitespace; otherwise the bytes as they are. */
function readable(bytes: Buffer): Buffer {
  const text = bytes.toString('utf8');
  const laidOut = JSON.stringify(parseJson(text), undefined, 2);
  return withoutBlanks(laidOut) === withoutBlanks(text) ? Buffer.from(`${laidOut}\n`) : bytes;
}

/** JSON text without the whitespace between its tokens. */
function withoutBlanks(text: string): string {
  return text.replaceAll(/("[^"\\]*(?:\\.[^"\\]*)*")|\s+/gs, '$1');
}

function pretty(value: Json): Buffer {
  return Buffer.from(`${JSON.stringify(value, undefined, 2)}\n`);
}

function jsonOrText(bytes: Uint8Array): Json {
  const text = toText(bytes);
  return tryParseJson(text) ?? text;
}

function toText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}
