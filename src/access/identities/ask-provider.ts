/** Fetches a document of an identity provider: its configuration, or its keys. */

import type { Dispatcher } from 'undici';
import { boundedText } from '../../lib/bounded-text.ts';
import { codeBehind } from '../../lib/error-code.ts';
import { isObject, type JsonObject, tryParseJson } from '../../lib/json.ts';
import { isProviderAddress } from './address.ts';

/** Keys that could not be fetched. The message says why, and quotes nothing of the provider's answer. */
export class NoKeys extends Error {
  override readonly name = 'NoKeys';
}

/** A provider has a few keys, of at most 2 KB each. */
const MAX_BYTES = 512 * 1024;

/** The address of an issuer's keys (OpenID Connect Discovery 1.0, 4). @throws NoKeys */
export async function discover(agent: Dispatcher, issuer: string, signal: AbortSignal): Promise<string> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const { issuer: told, jwks_uri: keys } = await askProvider(agent, address, signal);
  // A provider that spoke for another issuer would let in that issuer's callers (Discovery, 4.3).
  if (told !== issuer)
    throw new NoKeys(
      'its openid-configuration names another issuer. Configure the issuer exactly as it is written there, with or without a slash at the end.',
    );
  if (typeof keys !== 'string' || !isProviderAddress(keys))
    throw new NoKeys('its openid-configuration names no https address of its keys (jwks_uri).');
  return keys;
}

/** Fetches the JSON object at an address. Redirects are not followed. @throws NoKeys */
export async function askProvider(
  agent: Dispatcher,
  address: string,
  signal: AbortSignal,
): Promise<JsonObject> {
  const answer = tryParseJson(await text(agent, new URL(address), signal));
  if (!isObject(answer)) throw new NoKeys('its answer is not a JSON object.');
  return answer;
}

async function text(
  agent: Dispatcher,
  { origin, pathname, search }: URL,
  signal: AbortSignal,
): Promise<string> {
  try {
    const { statusCode, body } = await agent.request({
      origin,
      path: pathname + search,
      method: 'GET',
      headers: { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': 'gateway' },
      signal,
    });
    if (statusCode !== 200) {
      body.on('error', () => undefined).destroy();
      throw new NoKeys(`it answered ${statusCode}.`);
    }
    const whole = await boundedText(body, MAX_BYTES);
    if (whole === undefined) throw new NoKeys('its answer is too long.');
    return whole;
  } catch (error) {
    if (error instanceof NoKeys) throw error;
    if (signal.aborted) throw new NoKeys('it took too long to answer.');
    throw new NoKeys(`it could not be reached${codeBehind(error)}.`);
  }
}
