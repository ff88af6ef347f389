/** Requests through the whole pipeline without sockets: an upstream that answers at once, in this process. */

import { strictEqual } from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Dispatcher } from 'undici';
import { openLedger } from '../../src/accounting/usage/ledger.ts';
import type { Incoming } from '../../src/pipeline/exchange.ts';
import type { Pipeline } from '../../src/pipeline/pipeline.ts';

/** Answers every request with the same whole body. What remains to be measured is the gateway's own cost. */
export class Instant extends Dispatcher {
  readonly #answer: Buffer;

  constructor(answer: Buffer) {
    super();
    this.#answer = answer;
  }

  override dispatch(_options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const controller: Dispatcher.DispatchController = {
      aborted: false,
      paused: false,
      reason: null,
      rawHeaders: [],
      rawTrailers: [],
      abort() {},
      pause() {},
      resume() {},
    };
    handler.onRequestStart?.(controller, {});
    handler.onResponseStart?.(controller, 200, { 'content-type': 'application/json' }, 'OK');
    handler.onResponseData?.(controller, this.#answer);
    handler.onResponseEnd?.(controller, {});
    return true;
  }
}

/** A request as Node's server has it when its body has arrived. */
function messageWith(key: string, path: string, body: Buffer): IncomingMessage {
  const message = new IncomingMessage(new Socket());
  message.method = 'POST';
  message.url = path;
  message.headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-length': String(body.length),
  };
  message.push(body);
  message.push(null);
  message.complete = true;
  return message;
}

/** The same as the pipeline takes it. */
export function incoming(key: string, path: string, body: Buffer): Incoming {
  const message = messageWith(key, path, body);
  return {
    id: 'req_1',
    message,
    response: new ServerResponse(message),
    signal: new AbortController().signal,
    ledger: openLedger(false),
  };
}

/** Sends a request through a pipeline. @throws AssertionError if it is not answered with 200. */
export async function answerOnce(run: Pipeline, key: string, path: string, body: Buffer): Promise<void> {
  const { status, body: answer } = await run(incoming(key, path, body));
  const said = status === 200 || !(answer instanceof Uint8Array) ? '' : Buffer.from(answer).toString();
  strictEqual(status, 200, said);
}
