/** Requests with a key in every caller format, and a vendor whose answers have the usage that a test sets. */

import { type LimitOptions, openLimits } from '../../../src/access/limits/open-limits.ts';
import type { Config } from '../../../src/config/schema.ts';
import type { FormatName } from '../../../src/conversation/prompt.ts';
import { serve } from '../../../src/server/listen/server.ts';
import { openGateway } from '../../../src/server/open-gateway.ts';
import { chatCompletion } from '../../support/chat-completion.ts';
import { json, startUpstream, type TestUpstream } from '../../support/upstream.ts';

export const FORMATS = ['chat-completions', 'responses', 'messages', 'generate-content'] as const;

/** What a key at its limit gets, in each format. */
export const RATE_LIMITED: Readonly<Record<FormatName, object>> = {
  'chat-completions': { error: { type: 'rate_limit_error', code: 'rate_limit_exceeded' } },
  responses: { error: { type: 'rate_limit_error', code: 'rate_limit_exceeded' } },
  messages: { type: 'error', error: { type: 'rate_limit_error' } },
  'generate-content': { error: { code: 429, status: 'RESOURCE_EXHAUSTED' } },
};

export interface TestVendor extends TestUpstream {
  /** The tokens of the next answers, and the cost that the vendor itself reports for them. */
  takes(input: number, output: number, dollars?: number): void;
  /** From now on, answers with this status and an error. */
  refuses(status: number): void;
  /** Sends these headers with every answer from now on, errors included. */
  tells(headers: Record<string, string>): void;
  /** Holds answers back until the returned function is called. */
  hold(): () => void;
}

/** Answers in the format of OpenAI's chat completions. */
export async function startVendor(): Promise<TestVendor> {
  let usage: { prompt_tokens: number; completion_tokens: number; cost?: number } = {
    prompt_tokens: 3,
    completion_tokens: 2,
  };
  let held: (() => void)[] | undefined;
  let refusal: number | undefined;
  let told: Record<string, string> = {};
  const upstream = await startUpstream((_, response) => {
    response.setHeaders(new Headers(told));
    if (refusal !== undefined) {
      json(response, { error: { message: 'No.', type: 'invalid_request_error' } }, refusal);
      return;
    }
    const answer = () =>
      json(
        response,
        chatCompletion('Yes.', {
          usage: { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens },
        }),
      );
    if (held) held.push(answer);
    else answer();
  });
  return {
    ...upstream,
    takes(input, output, dollars) {
      usage = {
        prompt_tokens: input,
        completion_tokens: output,
        ...(dollars !== undefined && { cost: dollars }),
      };
    },
    refuses(status) {
      refusal = status;
    },
    tells(headers) {
      told = headers;
    },
    hold() {
      const waiting: (() => void)[] = [];
      held = waiting;
      return () => {
        held = undefined;
        for (const answer of waiting) answer();
      };
    },
  };
}

const turn = { role: 'user', content: 'Is it?' };

const REQUESTS: Readonly<Record<FormatName, readonly [path: string, body: object]>> = {
  'chat-completions': ['/v1/chat/completions', { model: 'openai/gpt-4.1', messages: [turn] }],
  responses: ['/v1/responses', { model: 'openai/gpt-4.1', input: 'Is it?' }],
  messages: ['/v1/messages', { model: 'openai/gpt-4.1', max_tokens: 9, messages: [turn] }],
  'generate-content': [
    '/v1beta/models/gemini-2.5-flash:generateContent',
    { contents: [{ role: 'user', parts: [{ text: 'Is it?' }] }] },
  ],
};

export function ask(
  url: string,
  key: string,
  format: FormatName = 'chat-completions',
  signal?: AbortSignal,
): Promise<Response> {
  const [path, body] = REQUESTS[format];
  return fetch(`${url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
}

/** The status, once the answer has been read to its end. */
export async function statusOf(answer: Promise<Response>): Promise<number> {
  const response = await answer;
  await response.arrayBuffer();
  return response.status;
}

/** One of several gateways that count in the same Redis. */
export async function serveSharing(
  config: Config,
  options: LimitOptions,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const limits = await openLimits(options);
  const { gateway, close } = await openGateway(config, { limits });
  const server = await serve(() => gateway, config);
  return {
    url: server.url,
    async close() {
      await server.drain(0);
      await close();
      await limits.close();
    },
  };
}
