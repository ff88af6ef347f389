/** Which headers pass the gateway: allow-lists in both directions, and the one credential that is added. */

import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FormatName } from '../conversation/prompt.ts';
import { ANTHROPIC_VERSION } from '../formats/messages/dialects.ts';
import { wordSet } from '../lib/words.ts';
import type { Vendor } from './vendor.ts';

/** Callers' headers that every vendor gets on the native path. */
const REQUEST_HEADERS = new Set(['accept', 'traceparent', 'tracestate']);

/**
 * The header by which a vendor may recognize a request that it has answered before. Translated requests go without: it
 * names the request as the caller wrote it, which is not what is sent, and no vendor that requests are translated to is
 * known to honour it (Anthropic's API does not: anthropic-sdk-typescript, pull request 1144). To pass it on would
 * promise, in the gateway's name, that nothing is billed twice.
 */
const IDEMPOTENCY_KEY = 'idempotency-key';

/**
 * The header in which Google's SDKs send how many seconds they wait. Without it Vertex AI gives up after five minutes
 * (js-genai#1489).
 */
export const DEADLINE = 'x-server-timeout';

/**
 * Prefixes of callers' headers that concern one family of vendors, and go to no other. With `x-grok-conv-id` xAI finds
 * the server that has a conversation's cache ("Maximizing cache hits", docs.x.ai); OpenRouter does so with
 * `x-session-id`, and Fireworks with `x-session-affinity`.
 */
const REQUEST_PREFIXES: Readonly<Record<FormatName, readonly string[]>> = {
  'chat-completions': ['openai-', 'x-grok-', 'x-session-', 'x-stainless-'],
  responses: ['openai-', 'x-grok-', 'x-session-', 'x-stainless-'],
  messages: ['anthropic-', 'x-stainless-'],
  'generate-content': ['x-goog-', DEADLINE],
};

/**
 * Headers with those prefixes that choose whose account is used, which the gateway's own key decides; and those that
 * Google's Identity-Aware Proxy, in front of the gateway, adds about who has signed in (its documentation, "Securing
 * your app with signed headers").
 */
const NEVER_SENT = wordSet(`
  openai-organization openai-project x-goog-api-key x-goog-user-project x-goog-iam-authority-selector
  x-goog-iam-authorization-token x-goog-iap-jwt-assertion x-goog-authenticated-user-email
  x-goog-authenticated-user-id anthropic-organization-id anthropic-workspace-id
`);

/** An answer's headers as undici gives them: names in lower case. */
export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

const EVENT_STREAM = 'text/event-stream';

/** Whether an answer with these headers is a stream of server-sent events. Types ignore case (RFC 9110, 8.3.1). */
export function isEventStream({ 'content-type': type }: AnswerHeaders): boolean {
  return String(type).slice(0, EVENT_STREAM.length).toLowerCase() === EVENT_STREAM;
}

/**
 * The headers in which vendors name an exchange, which their support asks for: OpenAI and most others, Anthropic, Azure,
 * and AWS. Google has none.
 */
const REQUEST_IDS = ['x-request-id', 'request-id', 'apim-request-id', 'x-amzn-requestid'];

/** A vendor's own id of an exchange; undefined if the answer has none that a header and a log line can hold. */
export function findRequestId(headers: AnswerHeaders): string | undefined {
  for (const name of REQUEST_IDS) {
    const id = headers[name];
    if (typeof id === 'string' && /^[\x21-\x7e]{1,128}$/.test(id)) return id;
  }
  return undefined;
}

/** The neutral spellings that callers may use. */
const REQUEST_ALIASES: ReadonlyMap<string, string> = new Map([
  ['vendorb-version', 'anthropic-version'],
  ['vendorb-beta', 'anthropic-beta'],
]);

/** The header in which a caller opts into Anthropic's beta features. */
const BETAS = 'anthropic-beta';

/** Reads the caller's beta features, in any spelling of the header. */
export function parseBetas(caller: IncomingHttpHeaders): readonly string[] {
  const names = [BETAS, ...[...REQUEST_ALIASES].flatMap(([alias, name]) => (name === BETAS ? alias : []))];
  return names.flatMap((name) => splitValues(caller[name]));
}

function splitValues(header: string | string[] | undefined): readonly string[] {
  return [header ?? []]
    .flat()
    .flatMap((text) => text.split(','))
    .map((value) => value.trim())
    .filter((value) => value !== '');
}

/** Vendors' headers that callers get. */
const RESPONSE_HEADERS = wordSet(`
  content-type content-length content-encoding content-language cache-control retry-after retry-after-ms
  x-should-retry request-id warning deprecation sunset server-timing
`);

const RESPONSE_FAMILIES = /^(?:x-ratelimit|anthropic|openai|x-goog|x-gemini)-/;

/** Headers that match above but reveal whose account it is. */
export const NEVER_ANSWERED = wordSet(`
  openai-organization openai-project anthropic-organization-id anthropic-workspace-id x-goog-user-project
`);

const NONE: ReadonlySet<string> = new Set();

/** What the headers of a request to a vendor depend on, besides the vendor and the format. */
export interface RequestHeaderOptions {
  /** The caller's headers if they are meant for this vendor, as all in its own format are; otherwise undefined. */
  readonly caller: IncomingHttpHeaders | undefined;
  /** The name of the gateway's key; absent if what is sent is not the request that the caller's idempotency key names. */
  readonly owner?: string;
  /** Whether the answer is to be a stream. */
  readonly stream: boolean;
  /** Set for a request without a body. Some servers (Fastify) refuse one that says it is JSON. */
  readonly isBodiless?: true;
  /** Further headers, unless the caller has sent them; names in lower case. */
  readonly more?: Readonly<Record<string, string>> | undefined;
  /** Beta features that the vendor must not get. */
  readonly without?: ReadonlySet<string> | undefined;
}

/** Makes the headers of a request to a vendor, as undici takes them: names and values in turn. */
export function requestHeaders(
  vendor: Vendor,
  format: FormatName,
  { caller, owner, stream, isBodiless, more, without }: RequestHeaderOptions,
): string[] {
  const sent: Record<string, string> = {};
  if (caller !== undefined) passCallers(caller, owner, format, sent);
  if (without !== undefined) dropBetas(sent, without);
  for (const name in more) sent[name] ??= more[name] ?? '';
  if (format === 'messages') sent['anthropic-version'] ??= ANTHROPIC_VERSION;
  sent['accept'] ??= stream ? 'text/event-stream' : 'application/json';
  // A compressed stream would hold events back until a block of it is full.
  sent['accept-encoding'] = 'identity';
  if (!isBodiless) sent['content-type'] = 'application/json';
  sent['user-agent'] = 'gateway';
  for (const name in vendor.headers) sent[name] = vendor.headers[name] ?? '';
  if (vendor.credentials === undefined) sent[vendor.auth] = renderCredential(vendor);

  const list: string[] = [];
  for (const name in sent) list.push(name, sent[name] ?? '');
  return list;
}

/** Adds the headers of a caller that a vendor of a format gets. */
function passCallers(
  caller: IncomingHttpHeaders,
  owner: string | undefined,
  format: FormatName,
  sent: Record<string, string>,
): void {
  const nominated = connectionNominated(caller);
  const prefixes = REQUEST_PREFIXES[format];
  for (const given in caller) {
    const name = REQUEST_ALIASES.get(given) ?? given;
    const value = caller[given];
    if (typeof value !== 'string' || NEVER_SENT.has(name) || nominated.has(name)) continue;
    if (name === IDEMPOTENCY_KEY && owner !== undefined) sent[name] = scoped(value, owner);
    if (REQUEST_HEADERS.has(name) || prefixes.some((prefix) => name.startsWith(prefix))) sent[name] = value;
  }
}

/**
 * A caller's idempotency key, such that no other key of the gateway has the same. All of them share the vendor's account,
 * and a vendor answers a key that it knows with what it has answered before.
 */
function scoped(given: string, owner: string): string {
  return hash('sha256', `${owner}\n${given}`);
}

function dropBetas(sent: Record<string, string>, without: ReadonlySet<string>): void {
  const betas = splitValues(sent[BETAS]);
  const left = betas.filter((value) => !without.has(value));
  if (left.length === 0) delete sent[BETAS];
  else if (left.length < betas.length) sent[BETAS] = left.join(',');
}

/**
 * Picks the headers of a vendor's answer that the caller may see.
 * @param show what the caller may see of a value.
 */
export function responseHeaders(
  upstream: AnswerHeaders,
  show: (value: string, name: string) => string,
): Record<string, string> {
  const headers: Record<string, string> = {};
  const nominated = connectionNominated(upstream);
  for (const name in upstream) {
    const value = upstream[name];
    if (
      value === undefined ||
      nominated.has(name) ||
      !(RESPONSE_HEADERS.has(name) || RESPONSE_FAMILIES.test(name))
    )
      continue;
    if (!NEVER_ANSWERED.has(name))
      headers[name] = show(typeof value === 'string' ? value : value.join(', '), name);
  }
  return headers;
}

/**
 * Picks the headers of a refusal that still hold when its body is rewritten: the limits, and whether to retry. How long
 * to wait is in the error itself.
 */
export function refusalHeaders(
  upstream: AnswerHeaders,
  show: (value: string, name: string) => string,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(responseHeaders(upstream, show)).filter(
      ([name]) => name === 'x-should-retry' || RESPONSE_FAMILIES.test(name),
    ),
  );
}

/** Sets the headers that keep proxies from buffering or changing an event stream. */
export function eventStreamHeaders({
  'content-length': _,
  ...headers
}: Readonly<Record<string, string>>): Record<string, string> {
  return {
    ...headers,
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  };
}

/** A vendor's key as the value of the header in which the vendor expects it. */
export function renderCredential({ auth, key }: Vendor): string {
  return auth === 'authorization' ? `Bearer ${key}` : key;
}

/** The headers that a `Connection` header declares to concern this hop only (RFC 9110, 7.6.1). */
function connectionNominated({ connection }: AnswerHeaders): ReadonlySet<string> {
  if (connection === undefined || connection === 'keep-alive') return NONE;
  return new Set(
    String(connection)
      .split(',')
      .map((name) => name.trim().toLowerCase()),
  );
}

/** Removes the headers that hold only for the compressed body. */
export function withoutCoding(headers: AnswerHeaders): AnswerHeaders {
  const { 'content-encoding': _, 'content-length': __, ...rest } = headers;
  return rest;
}
