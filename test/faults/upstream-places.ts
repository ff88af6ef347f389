/** Gateways in front of vendors at several addresses, for the tests of retries and fallbacks. */

import { afterEach } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import { type FaultUpstream, type Script, startFaultUpstream } from '../support/fault-upstream.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { ask, native, translated, wholeAnswer } from './upstream-ways.ts';

export interface Places {
  /** What else is closed after each test. */
  readonly open: { close(): Promise<void> }[];
  /** This many vendors, each at its own address. */
  upstreams(count: number): Promise<FaultUpstream[]>;
  /** A gateway whose retries follow at once. */
  gatewayOf(input: ConfigInput): Promise<TestGateway>;
}

/** Closes everything that a test has opened, after the test. */
export function usePlaces(): Places {
  const open: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const each of open.splice(0).reverse()) await each.close();
  });
  return {
    open,
    async upstreams(count) {
      const made = await Promise.all(Array.from({ length: count }, () => startFaultUpstream()));
      open.push(...made);
      return made;
    },
    async gatewayOf(input) {
      const gateway = await startGateway({
        ...input,
        retries: { wait: 1, perSecond: 1_000, ...input.retries },
      });
      open.push(gateway);
      return gateway;
    },
  };
}

/** OpenAI at several addresses, each with its own key. */
export function openaiAt(places: readonly FaultUpstream[]): NonNullable<ConfigInput['vendors']> {
  return {
    openai: {
      upstreams: places.map(({ url }, at) => ({ baseUrl: `${url}/v1`, apiKey: `vendor-key-${at}` })),
    },
  };
}

export const [chat] = native;
/** A messages request, to the same vendor. */
export const [toOpenAI] = translated;

export const good: Script = (wire) => wire.answer(200, wholeAnswer('chat-completions'));
export const dead: Script = (wire) => {
  wire.socket.destroy();
};
export const status =
  (code: number, headers: Readonly<Record<string, string>> = {}): Script =>
  (wire) =>
    wire.answer(code, JSON.stringify({ error: { message: `said ${code}` } }), headers);

/** A page whose whole body takes a while. */
export const slowPage =
  (code: number, headers: Readonly<Record<string, string>> = {}): Script =>
  (wire) => {
    wire.head(code, { 'content-type': 'text/html', ...headers });
    wire.chunk('<html>');
    setTimeout(() => wire.lastChunk(), 1_000).unref();
  };

/** A vendor that waits until the test lets it begin. */
export function waiting(script: Script): { readonly script: Script; readonly begin: () => void } {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  return {
    begin,
    async script(wire, request) {
      await begun;
      await script(wire, request);
    },
  };
}

/** Sends `count` requests, one after the other; resolves with the statuses. */
export async function statuses(
  gateway: TestGateway,
  count: number,
  model = 'openai/gpt-4o',
): Promise<number[]> {
  const got: number[] = [];
  const body = chat.body(false).replace('openai/gpt-4o', model);
  for (let at = 0; at < count; at += 1) {
    const response = await ask(gateway.url, chat, false, { body });
    got.push(response.status);
    await response.text();
  }
  return got;
}
