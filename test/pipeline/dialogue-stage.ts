/** A gateway in front of the sandbox's vendors, which refuse in words of many services; every request to them is seen. */

import type { FormatName } from '../../src/conversation/prompt.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { KEY, startGateway, type TestGateway } from '../support/gateway.ts';
import { checkService } from '../support/makers/check-request.ts';
import { inOtherWords } from '../support/makers/vary.ts';
import { startUpstream } from '../support/upstream.ts';
import { type ClientCall, openClient } from './dialogue-clients.ts';

/** One turn of a dialogue. */
export interface PlannedTurn {
  readonly model: string;
  readonly stream: boolean;
  /** What the user asks for, if the model before has called nothing. */
  readonly asks: 'tools' | 'text';
  /** Whether the user says something together with the results, if the model before has called something. */
  readonly reminds: boolean;
}

/** A request that reached a vendor, and what the vendor said. */
export interface SeenRequest {
  readonly path: string;
  readonly body: string;
  readonly status: number;
  readonly answer: string;
}

/** What went wrong in a dialogue. */
export interface BrokenTurn {
  readonly turn: number;
  readonly model: string;
  readonly why: string;
  readonly seen: readonly SeenRequest[];
}

export interface DialogueStage {
  /**
   * Plays a dialogue through a caller of a format.
   * @param seed chooses the words of the refusals, and which of two gateways is asked.
   * @returns the first turn that went wrong; undefined if all went well.
   */
  play(format: FormatName, turns: readonly PlannedTurn[], seed: number): Promise<BrokenTurn | undefined>;
  close(): Promise<void>;
}

/** The makers of open models that the dialogues ask. */
const MAKERS = [
  'deepseek',
  'mistralai',
  'x-ai',
  'moonshotai',
  'qwen',
  'minimax',
  'z-ai',
  'meta-llama',
] as const;

/** The most requests of one turn: the first, and three repairs. */
const MOST_REQUESTS = 4;

export async function openDialogueStage(): Promise<DialogueStage> {
  const sandbox = await startSandbox({ pace: 'none', checkCompatible: checkService });
  const seen: SeenRequest[] = [];
  const origin = new URL(sandbox.places.openai.baseUrl).origin;
  const between = await startUpstream(({ method, url, headers, body }, response) => {
    const { authorization, ...rest } = headers;
    const passed = new Headers({ 'content-type': 'application/json' });
    for (const name of ['x-api-key', 'x-goog-api-key', 'anthropic-version', 'anthropic-beta'] as const) {
      const value = rest[name];
      if (typeof value === 'string') passed.set(name, value);
    }
    if (authorization !== undefined) passed.set('authorization', authorization);
    fetch(origin + url, { method, headers: passed, body })
      .then(async (answered) => {
        const answer = await answered.text();
        seen.push({ path: url, body: body.toString('utf8'), status: answered.status, answer });
        response
          .writeHead(answered.status, {
            'content-type': answered.headers.get('content-type') ?? 'application/json',
          })
          .end(answer);
      })
      .catch(() => response.destroy());
  });
  const options = { generateContent: { models: 'all' }, retries: { limit: 0 } } as const;
  const behind = ({ baseUrl, apiKey }: { readonly baseUrl: string; readonly apiKey: string }) => ({
    baseUrl: between.url + new URL(baseUrl).pathname,
    apiKey,
  });
  const { openai, anthropic, google } = sandbox.places;
  const own = { openai: behind(openai), anthropic: behind(anthropic), google: behind(google) };
  const makers = behind(sandbox.places.compatible);
  /** One gateway knows by the vendor's name what each maker takes. To the other all are one unknown service. */
  const gateways = await Promise.all([
    startGateway({
      ...options,
      vendors: {
        ...own,
        ...Object.fromEntries(MAKERS.map((name) => [name, { ...makers, fullIds: true, dialect: name }])),
      },
    }),
    startGateway({ ...options, vendors: { ...own, compatible: makers } }),
  ]);
  return {
    async play(format, turns, seed) {
      sandbox.change({ pace: 'none', reword: inOtherWords(seed) });
      return playTurns(format, turns, gateways[seed % 2 === 0 ? 0 : 1], seen);
    },
    async close() {
      await Promise.all(gateways.map((gateway) => gateway.close()));
      await between.close();
      await sandbox.close();
    },
  };
}

async function playTurns(
  format: FormatName,
  turns: readonly PlannedTurn[],
  gateway: TestGateway,
  seen: SeenRequest[],
): Promise<BrokenTurn | undefined> {
  const client = openClient(format);
  let calls: readonly ClientCall[] = [];
  for (const [turn, { model, stream, asks, reminds }] of turns.entries()) {
    if (calls.length > 0) client.give(calls, reminds ? `Be brief about place ${turn}.` : undefined);
    else
      client.say(
        asks === 'tools' ? `Call get_weather and get_time for Oslo ${turn}.` : `Greet Oslo ${turn}.`,
      );
    seen.length = 0;
    const response = await fetch(gateway.url + client.path(model, stream), {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}` },
      body: JSON.stringify(client.request(model, stream)),
    });
    const body = await response.text();
    const broken = (why: string): BrokenTurn => ({ turn, model, why, seen: [...seen] });
    if (response.status !== 200) return broken(`status ${response.status}: ${body.slice(0, 500)}`);
    const [first] = seen;
    const most = first?.status === 200 ? 1 : MOST_REQUESTS;
    if (seen.length > most) return broken(`${seen.length} requests, where ${most} are enough`);
    try {
      const answer = client.take(body, stream);
      if (answer.text === '' && answer.calls.length === 0)
        return broken(`an empty answer: ${body.slice(0, 500)}`);
      calls = answer.calls;
    } catch (error) {
      return broken(String(error));
    }
  }
  return undefined;
}
