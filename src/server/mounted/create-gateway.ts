/** The gateway as a function of a web Request, for anyone's server. */

import type { ConfigInput } from '../../config/config-input.ts';
import { parseConfig, readGiven } from '../../config/load.ts';
import { ConfigError, invalidConfig } from '../../lib/config-error.ts';
import { type LogProblem, logToStderr } from '../../lib/diagnostics.ts';
import type { Environment } from '../../lib/environment.ts';
import { withoutTrailingSlashes } from '../../lib/trailing-slashes.ts';
import { openGateway } from '../open-gateway.ts';
import { answerRequests } from './answer-requests.ts';
import type { MountedStore } from './open-store.ts';

/** What a mounted gateway gets besides its configuration. */
export interface MountOptions {
  /**
   * The path below which the gateway is mounted, such as `/api/llm`. Leave it out if the server strips that path
   * itself.
   */
  readonly basePath?: string;
  /**
   * Variables as `gateway start` reads them: `OPENAI_API_KEY` and the others of vendors. Absent: the configuration is
   * all there is.
   */
  readonly environment?: Environment;
  /** Receives a sentence about each problem outside requests. Absent: standard error does. */
  readonly onProblem?: LogProblem;
}

/** A gateway without a server. */
export interface MountedGateway {
  /**
   * Answers a request. The answer's body is a stream from the vendor: one who stops reading pauses the vendor, and the
   * request's signal, or the stream's cancellation, ends the exchange with it.
   * @throws ConfigError if a file that the configuration names cannot be read, or its store cannot be opened.
   */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Ends what is still being answered, and closes connections and the store. A second call waits for the same end. */
  readonly close: () => Promise<void>;
}

/**
 * Makes a gateway from a configuration, without a port of its own.
 *
 * ```ts
 * import { createGateway } from 'fourwire';
 *
 * const gateway = createGateway({
 *   keys: [{ name: 'app', key: process.env.GATEWAY_KEY }],
 *   vendors: { openai: { apiKey: process.env.OPENAI_API_KEY } },
 * });
 * export default { fetch: gateway.fetch };
 * ```
 * @throws ConfigError whose message is one line.
 */
export function createGateway(
  config: ConfigInput = {},
  { basePath = '', environment = {}, onProblem: log = logToStderr }: MountOptions = {},
): MountedGateway {
  const { keys, identities } = parseConfig(config, environment);
  if (config.store === undefined && keys.length === 0 && identities.length === 0)
    throw invalidConfig('keys: needs at least one, since there is no store and no identity provider');
  const base = withoutTrailingSlashes(basePath);
  if (base !== '' && !base.startsWith('/'))
    throw invalidConfig(`basePath: must begin with a slash, but is ${basePath}`);
  const opening = open(config, environment, base, log);
  opening.catch((error: unknown) => {
    log(`The gateway cannot be opened: ${error instanceof ConfigError ? error.message : String(error)}`);
  });
  let closing: Promise<void> | undefined;
  return {
    fetch: async (request) => (await opening).fetch(request),
    close() {
      closing ??= opening.then((opened) => opened.close());
      return closing;
    },
  };
}

async function open(
  values: ConfigInput,
  environment: Environment,
  basePath: string,
  log: LogProblem,
): Promise<MountedGateway> {
  const config = await readGiven(values, environment, process.cwd());
  const kept = values.store === undefined ? undefined : await openRemembered(config, log);
  const { gateway, sandboxed, close } = await openGateway(config, { log, ...kept?.options });
  if (sandboxed) log('No vendor has a key, so simulated vendors answer.');
  const { fetch, end } = answerRequests(gateway, basePath, log);
  return {
    fetch,
    async close() {
      end();
      await close();
      await kept?.close();
    },
  };
}

/** Opens the store. Its modules are loaded here only: without a store, nothing of it runs. @throws ConfigError */
async function openRemembered(
  config: Parameters<typeof openGateway>[0],
  log: LogProblem,
): Promise<MountedStore> {
  if ('Bun' in globalThis || 'Deno' in globalThis)
    throw invalidConfig('store: needs Node; without a store, the keys of the configuration are valid');
  const { openMountedStore } = await import('./open-store.ts');
  return openMountedStore(config, log);
}
