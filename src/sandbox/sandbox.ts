/**
 * Simulated vendors on a real HTTP server of the loopback interface, each in its own wire format and as strict as the
 * real one. They serve when no vendor has a key, and are the upstream in tests.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { defaultModels } from '../catalog/default.ts';
import type { Model } from '../catalog/model.ts';
import { type LogProblem, logToStderr } from '../lib/diagnostics.ts';
import { percentDecoded } from '../lib/percent-decoded.ts';
import { bind, formatUrl } from '../upstream/net/bind.ts';
import { anthropicAnswer } from './anthropic/vendor.ts';
import { Refused, type VendorAnswer, type VendorRequest } from './exchange.ts';
import { googleAnswer } from './google/vendor.ts';
import { openaiAnswer } from './openai/vendor.ts';
import {
  createState,
  modelsByName,
  newId,
  type SandboxState,
  type SimulatedVendor,
} from './sandbox-state.ts';
import { type Pace, write } from './write.ts';

/** The pace and the models of a sandbox. */
export interface SandboxOptions {
  /** `realistic`: a pause before the first token, then about 80 tokens a second. `none`: no pauses. */
  readonly pace: Pace;
  /** The models that the vendors serve; by default every model of the catalog. */
  readonly models?: readonly Model[];
  /** What a vendor says in place of a refusal of its own. */
  readonly reword?: (refused: Refused, vendor: SimulatedVendor) => Refused;
  /** What the compatible service refuses beyond what its format does. */
  readonly checkCompatible?: SandboxState['checkCompatible'];
  /** Receives errors of the sandbox itself. */
  readonly log?: LogProblem;
}

/** A sandbox that is running. */
export interface Sandbox {
  /** The address of each simulated vendor, and the only key that it accepts. */
  readonly places: Readonly<
    Record<SimulatedVendor, { readonly baseUrl: string; readonly apiKey: string; readonly simulated: true }>
  >;
  /** Changes pace, models and words from the next request on. Addresses and stored responses stay. */
  change(to: Pick<SandboxOptions, 'pace' | 'models' | 'reword'>): void;
  /** Ends the server and every answer that is still being written. Again, it waits for the same end. */
  close(): Promise<void>;
}

/** The path of each vendor on the server. Two of them have a `/v1` in their address. */
const BASES: Readonly<Record<SimulatedVendor, string>> = {
  openai: '/openai/v1',
  anthropic: '/anthropic',
  google: '/google',
  compatible: '/compatible/v1',
};

/**
 * Serves the simulated vendors on a free port of 127.0.0.1. The server alone does not keep the process alive.
 * @returns the sandbox, already listening
 * @throws Error if no port can be opened
 */
export async function startSandbox({
  pace,
  models = defaultModels(),
  reword,
  checkCompatible,
  log = logToStderr,
}: SandboxOptions): Promise<Sandbox> {
  const state = { ...createState(models), checkCompatible };
  let serving: Serving = { state, pace, reword };
  const server = createServer((request, response) => {
    serve(serving, request, response).catch((error: unknown) => {
      // A caller that left before its body arrived is no error of the sandbox; anything else is.
      if (request.complete) log('A simulated vendor has failed.', error);
      response.destroy();
    });
  });
  server.unref();
  const address = { host: '127.0.0.1', port: 0 };
  const origin = formatUrl({ ...address, port: await bind(server, address) });
  const place = (vendor: SimulatedVendor) => ({
    baseUrl: origin + BASES[vendor],
    apiKey: state.keys[vendor],
    simulated: true as const,
  });
  let closing: Promise<void> | undefined;
  return {
    places: {
      openai: place('openai'),
      anthropic: place('anthropic'),
      google: place('google'),
      compatible: place('compatible'),
    },
    change(to) {
      const names = modelsByName(to.models ?? defaultModels());
      serving = { state: { ...state, models: names }, pace: to.pace, reword: to.reword };
    },
    close() {
      closing ??= closed(server);
      return closing;
    },
  };
}

interface Serving {
  readonly state: SandboxState;
  readonly pace: Pace;
  readonly reword: SandboxOptions['reword'] | undefined;
}

async function serve(serving: Serving, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://sandbox');
  const body = await readBody(incoming);
  const vendor = vendorAt(pathname);
  if (vendor === undefined) {
    response.writeHead(404).end();
    return;
  }
  const request: VendorRequest = {
    method: incoming.method ?? 'GET',
    path: percentDecoded(pathname.slice(BASES[vendor].length)),
    query: searchParams,
    headers: incoming.headers,
    body,
  };
  const answer = chooseAnswer(vendor, serving, request);
  const isOpenai = vendor === 'openai' || vendor === 'compatible';
  const headers = { ...(isOpenai && { 'x-request-id': `req_${newId()}` }), ...answer.headers };
  await write(response, { ...answer, headers }, serving.pace);
}

function vendorAt(pathname: string): SimulatedVendor | undefined {
  const vendors: readonly SimulatedVendor[] = ['openai', 'anthropic', 'google', 'compatible'];
  return vendors.find((vendor) => pathname.startsWith(`${BASES[vendor]}/`));
}

function chooseAnswer(
  vendor: SimulatedVendor,
  { state, reword }: Serving,
  request: VendorRequest,
): VendorAnswer {
  try {
    switch (vendor) {
      case 'anthropic':
        return anthropicAnswer(request, state);
      case 'google':
        return googleAnswer(request, state);
      case 'openai':
      case 'compatible':
        return openaiAnswer(vendor, request, state);
    }
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const { status, headers, body } = reword?.(error, vendor) ?? error;
    return { kind: 'whole', status, headers, body, tokens: 0 };
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error === undefined ? resolve() : reject(error)));
    server.closeAllConnections();
  });
}
