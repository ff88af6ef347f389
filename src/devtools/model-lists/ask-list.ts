/** Asks a vendor for its list of models, page by page. */

import type { Dispatcher } from 'undici';
import type { FormatName } from '../../conversation/prompt.ts';
import { ANTHROPIC_VERSION } from '../../formats/messages/dialects.ts';
import { boundedText } from '../../lib/bounded-text.ts';
import { codeBehind } from '../../lib/error-code.ts';
import { GatewayError } from '../../lib/errors.ts';
import { tryParseJson } from '../../lib/json.ts';
import type { CloudTokens } from '../../upstream/credentials/cloud-tokens.ts';
import { credentialFor } from '../../upstream/credentials/sent-credential.ts';
import { Payload } from '../../upstream/payload.ts';
import { pathAt, type Vendor } from '../../upstream/vendor.ts';
import { anthropicList } from './anthropic-list.ts';
import { googleList } from './google-list.ts';
import type { Listed, ListReader } from './listed.ts';
import { openaiList } from './openai-list.ts';

/** A vendor's list could not be had. The message gives the reason, and contains nothing that the vendor said. */
export class NoList extends Error {
  override readonly name = 'NoList';
}

/** The format that a vendor speaks first decides how its list is read. */
const READERS: Readonly<Record<FormatName, ListReader>> = {
  'chat-completions': openaiList,
  responses: openaiList,
  messages: anthropicList,
  'generate-content': googleList,
};

/** No list has so many pages: one that still continues is in a loop. */
const MAX_PAGES = 100;
const MAX_BYTES = 32 * 1024 * 1024;

/**
 * Asks `vendor` for all models that it lists.
 * @param cloudTokens gets a token if the vendor has no key
 * @param patience milliseconds for the whole list
 * @returns the models, each name once
 * @throws NoList if the vendor cannot be reached, refuses, takes too long, or answers with something else
 */
export async function askList(
  agent: Dispatcher,
  cloudTokens: CloudTokens,
  vendor: Vendor,
  patience: number,
): Promise<readonly Listed[]> {
  const reader = READERS[vendor.formats[0]];
  const signal = AbortSignal.timeout(patience);
  const models = new Map<string, Listed>();
  const asked = new Set<string | undefined>();
  let next: string | undefined;
  do {
    if (asked.has(next) || asked.size === MAX_PAGES) throw new NoList('its list has too many pages.');
    asked.add(next);
    const page = reader.page(
      tryParseJson(await text(agent, cloudTokens, vendor, reader.path(next), signal)) ?? null,
    );
    if (page === undefined) throw new NoList('it answered with something that is not a list of models.');
    for (const model of page.models) models.set(model.name, model);
    next = page.next;
  } while (next !== undefined);
  return [...models.values()];
}

async function text(
  agent: Dispatcher,
  cloudTokens: CloudTokens,
  vendor: Vendor,
  end: string,
  signal: AbortSignal,
): Promise<string> {
  try {
    const path = pathAt(vendor, end);
    const own = headersFor(vendor);
    const asked = { method: 'GET', path, headers: own, body: new Payload([]) } as const;
    const { headers } = await credentialFor(cloudTokens, vendor, asked);
    const { statusCode, body } = await agent.request({
      origin: vendor.origin,
      path,
      method: 'GET',
      headers: { ...own, ...headers },
      signal,
    });
    if (statusCode !== 200) {
      body.on('error', () => undefined).destroy();
      throw new NoList(refusal(statusCode));
    }
    const whole = await boundedText(body, MAX_BYTES);
    if (whole === undefined) throw new NoList('its list is too long.');
    return whole;
  } catch (error) {
    if (error instanceof NoList) throw error;
    if (error instanceof GatewayError) throw new NoList(error.message);
    if (signal.aborted) throw new NoList('it took too long to answer.');
    throw new NoList(`it could not be reached${codeBehind(error)}.`);
  }
}

function headersFor(vendor: Vendor): Record<string, string> {
  return {
    accept: 'application/json',
    'accept-encoding': 'identity',
    'user-agent': 'gateway',
    ...(vendor.formats[0] === 'messages' && { 'anthropic-version': ANTHROPIC_VERSION }),
    ...vendor.headers,
  };
}

function refusal(status: number): string {
  if (status === 401 || status === 403) return `it refused the key (${status}).`;
  if (status >= 300 && status < 400)
    return `it redirects elsewhere (${status}), and the key is not sent there.`;
  if (status === 404) return 'it has no list of models (404).';
  return `it answered ${status}.`;
}
