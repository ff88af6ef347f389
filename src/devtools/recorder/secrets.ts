/** Collects every secret that a recording must not contain. */

import type { IncomingHttpHeaders } from 'node:http';
import type { GivenCredentials } from '../../config/credentials.ts';
import type { Config } from '../../config/schema.ts';
import { isList, isObject, type Json } from '../../lib/json.ts';
import { percentDecoded } from '../../lib/percent-decoded.ts';
import { wordSet } from '../../lib/words.ts';
import { type AnswerHeaders, NEVER_ANSWERED } from '../../upstream/headers.ts';

/** A shorter value is a word (`ollama`, `none`), and removing it everywhere would damage texts. */
const MIN_KEY = 8;

/**
 * The same bound for what may not be a credential: a placeholder that an SDK insists on, or a header of unknown use.
 */
const MIN_OTHER = 12;

/** Headers that identify the caller, or the account that pays. */
const CREDENTIALS = wordSet(`
  authorization proxy-authorization cookie x-api-key x-goog-api-key api-key openai-organization
  openai-project anthropic-organization-id anthropic-workspace-id x-goog-user-project
  x-goog-iam-authority-selector x-goog-iam-authorization-token x-amz-security-token x-amz-date
  x-amz-content-sha256
`);

/** Headers of an answer that identify the account. */
const OWNERS = new Set(['set-cookie', ...NEVER_ANSWERED]);

/** Query parameters that hold keys. */
const KEY_PARAMETERS = new Set(['key', 'api_key', 'api-key', 'apikey', 'access_token', 'token']);

/**
 * @param header the name in lower case
 * @returns whether a request's header is the caller's own credential, or chooses an account with it
 */
export function isCredential(header: string): boolean {
  return CREDENTIALS.has(header);
}

/** @returns whether a query parameter of this name holds a key */
export function isKeyParameter(name: string): boolean {
  return KEY_PARAMETERS.has(name.toLowerCase());
}

/** @returns everything that a configuration keeps secret */
export function listSecrets(config: Config): readonly string[] {
  const { vendors, keys, admin, store, redis, proxy } = config;
  const settings = Object.values(vendors);
  const vendorKeys = settings.flatMap(({ apiKey, credentials, upstreams }) =>
    [{ apiKey, credentials }, ...upstreams].flatMap((each) => [each.apiKey, clientSecret(each.credentials)]),
  );
  const passwords = [store.url, redis.url, proxy.url].map((url) => url && passwordIn(url));
  const headers = settings.flatMap(({ headers = {} }) =>
    Object.entries(headers).flatMap(([name, value]) => (SECRET_NAME.test(name) ? words(value) : [])),
  );
  return [
    ...atLeast(MIN_KEY, [...vendorKeys, ...keys.map(({ key }) => key), admin.key, ...passwords]),
    ...atLeast(MIN_OTHER, headers),
  ];
}

function clientSecret(credentials: GivenCredentials | undefined): string | undefined {
  return credentials?.type === 'azure' ? credentials.clientSecret : undefined;
}

/** The password as its server receives it. PostgreSQL's client leaves a password with a bare `%` unchanged. */
function passwordIn(url: string): string {
  return percentDecoded(new URL(url).password);
}

/** Names of headers that a configuration may add and that identify an account. */
const SECRET_NAME = /key|token|auth|secret|cookie|organi[sz]ation|project|account/i;

/** @returns what a caller sent to identify itself, in its headers and its query */
export function callerSecrets(headers: IncomingHttpHeaders, query: URLSearchParams): readonly string[] {
  const said = Object.entries(headers).flatMap(([name, value]) =>
    isCredential(name) ? words(String(value ?? '')) : [],
  );
  const keys = [...query].flatMap(([name, value]) => (isKeyParameter(name) ? [value] : []));
  return atLeast(MIN_OTHER, [...said, ...keys]);
}

/**
 * @returns what a body holds for servers that the vendor should ask: the tokens and headers of MCP servers (Anthropic,
 *   OpenAI, Google), the secrets of OpenAI's containers, the keys of Google's other searches
 */
export function bodySecrets(body: Json | undefined): readonly string[] {
  return atLeast(MIN_OTHER, secretsIn(body));
}

function secretsIn(value: Json | undefined): readonly string[] {
  if (isList(value)) return value.flatMap(secretsIn);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    if (name === 'headers' && isObject(inner)) {
      return Object.entries(inner).flatMap(([header, text]) =>
        SECRET_NAME.test(header) ? textsIn(text) : [],
      );
    }
    if (name === 'domain_secrets' && isList(inner)) {
      return inner.flatMap((secret) => (isObject(secret) ? textsIn(secret['value']) : []));
    }
    return SECRET_FIELD.test(name) ? [...textsIn(inner), ...secretsIn(inner)] : secretsIn(inner);
  });
}

/** Names of fields of a body that hold a credential if their value is a text. */
const SECRET_FIELD = /^(?:authorization(?:_?token)?|api_?key(?:_?string)?|access_?token)$/i;

function textsIn(value: Json | undefined): readonly string[] {
  return typeof value === 'string' ? words(value) : [];
}

/** @returns the values of an answer's headers that identify the account */
export function ownerSecrets(headers: AnswerHeaders): readonly string[] {
  const said = Object.entries(headers).flatMap(([name, value]) =>
    OWNERS.has(name) ? [value ?? []].flat().flatMap((line) => words(line.split(';', 1).join(''))) : [],
  );
  return atLeast(MIN_OTHER, said);
}

/** The parts of a header's value: `Bearer <key>`, `name=<value>; name=<value>`. */
function words(value: string): readonly string[] {
  return value.split(/[\s;,]+/).flatMap((part) => [part, part.slice(part.indexOf('=') + 1)]);
}

function atLeast(length: number, secrets: readonly (string | undefined)[]): readonly string[] {
  return secrets.flatMap((secret) => (secret !== undefined && secret.length >= length ? [secret] : []));
}
