/** A cloud and one of its vendors, both on this machine. */

import { vi } from 'vitest';
import type { ConfigInput } from '../../../src/config/schema.ts';
import { startRecorded } from '../../support/gateway.ts';
import { postJson } from '../../support/post-json.ts';
import {
  json,
  type Received,
  type Respond,
  startUpstream,
  type TestUpstream,
} from '../../support/upstream.ts';

/** Variables that might give the machine that runs the tests credentials of its own. */
const OWN =
  /^(?:AWS_|AZURE_|GOOGLE_|GCE_|GCLOUD_|CLOUDSDK_|IDENTITY_|MSI_|METADATA_|NO_GCE_|HOME$|USERPROFILE$|HTTPS?_PROXY$|NO_PROXY$)/i;

/** Sets the environment of a machine that knows no cloud, except for these variables. */
export function stubCloud(variables: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(process.env)) if (OWN.test(name)) vi.stubEnv(name, undefined);
  for (const name of ['HOME', 'USERPROFILE']) vi.stubEnv(name, '/nonexistent');
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
}

/** A message of Anthropic, or its answer in another format, whole or as a stream. */
export const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude',
  content: [{ type: 'text', text: 'Hello' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 3, output_tokens: 1 },
};

const STREAM = [
  { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
  { type: 'content_block_stop', index: 0 },
  {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { output_tokens: 1 },
  },
  { type: 'message_stop' },
];

/** Answers each request as Anthropic does. */
export const answering: Respond = ({ body }, response) => {
  if (JSON.parse(body.toString()).stream !== true) return json(response, message);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(STREAM.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''));
  return undefined;
};

/** Refuses a wrong key as Anthropic does. */
export const refusing: Respond = (_, response) =>
  json(
    response,
    { type: 'error', error: { type: 'authentication_error', message: 'invalid x-api-key' } },
    401,
  );

/** A vendor that accepts only the requests that `lets` accepts. */
export function startVendor(lets: (received: Received) => boolean): Promise<TestUpstream> {
  return startUpstream((received, ...rest) => (lets(received) ? answering : refusing)(received, ...rest));
}

type VendorInput = NonNullable<ConfigInput['vendors']>[string];
export type CloudGateway = Awaited<ReturnType<typeof startCloudGateway>>;

/** A gateway whose Claude models are at a cloud. */
export async function startCloudGateway(anthropic: VendorInput, more: ConfigInput = {}) {
  const gateway = await startRecorded({ vendors: { anthropic }, retries: { limit: 0 }, ...more });
  const ask = (
    path: string,
    body: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> =>
    postJson(
      gateway.url + path,
      { model: 'anthropic/claude-sonnet-4-5', max_tokens: 9, messages, ...body },
      { headers },
    );
  return {
    ...gateway,
    ask,
    /** The status and text of one request in its own format. */
    async say(): Promise<readonly [number, string]> {
      const response = await ask('/v1/messages', {});
      return [response.status, await response.text()];
    },
  };
}

const messages = [{ role: 'user', content: 'Hi' }];

/** Waits until a condition holds. */
export async function until(isSo: () => boolean): Promise<void> {
  await vi.waitFor(
    () => {
      if (!isSo()) throw new Error('It is not so.');
    },
    { timeout: 60_000, interval: 10 },
  );
}
