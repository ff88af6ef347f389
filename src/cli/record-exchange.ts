/** Recording an exchange with a vendor: one request from a file, or the requests of clients. */

import type { Config } from '../config/schema.ts';
import { agentOptions } from '../config/vendors.ts';
import { FORMAT_NAMES, type FormatName } from '../conversation/prompt.ts';
import { type Exchange, makeFixtures, NoFixture } from '../devtools/recorder/fixture.ts';
import { findRecorded, writeCase } from '../devtools/recorder/keep.ts';
import { Declined, startRecorder } from '../devtools/recorder/recorder.ts';
import { speaks } from '../devtools/recorder/route.ts';
import { readAsking, sendAsking } from '../devtools/recorder/send-file.ts';
import { commandLine } from '../lib/command-line.ts';
import { count } from '../lib/count.ts';
import { codeBehind } from '../lib/error-code.ts';
import { GatewayError } from '../lib/errors.ts';
import { validateFile } from '../protocol/validate-file.ts';
import { openAgent } from '../upstream/agent.ts';
import { openCloudTokens } from '../upstream/credentials/cloud-tokens.ts';
import type { Vendor } from '../upstream/vendor.ts';
import { orExit, readNamedFile } from './command.ts';
import { CommandError } from './command-error.ts';

/** Where cases are written, and which secrets must not appear in them. */
interface Destination {
  readonly out: string;
  readonly force: boolean;
  readonly secrets: readonly string[];
}

export interface FileRecording {
  /** A JSON file with the request. */
  readonly file: string;
  readonly overrides: Parameters<typeof readAsking>[2];
  /** The name of the case. */
  readonly name: string;
  readonly destination: Destination;
}

/** Sends the request of a file to the vendor and records the exchange. @throws CommandError if nothing was recorded. */
export async function recordFile(
  config: Config,
  vendor: Vendor,
  { file, overrides, name, destination }: FileRecording,
): Promise<void> {
  const request = readAsking(vendor, await readNamedFile(file), overrides);
  if (typeof request === 'string') throw new CommandError(`${file}: ${request}`);
  const taken = explainTaken(destination, request.format, name);
  if (taken !== undefined) throw new CommandError(taken);
  const agent = openAgent(agentOptions(config));
  const tokens = openCloudTokens();
  const exchange = await sendAsking(agent, tokens, vendor, request, config.timeouts)
    .catch((error: unknown) => {
      if (error instanceof NoFixture || error instanceof GatewayError) throw new CommandError(error.message);
      throw new CommandError(
        `The exchange with ${vendor.name} failed${codeBehind(error)}: nothing was recorded.`,
      );
    })
    .finally(() => {
      tokens.close();
      return agent.destroy();
    });
  await save(destination, name, exchange).catch((error: unknown) => {
    throw error instanceof NoFixture ? new CommandError(error.message) : error;
  });
}

export interface ClientRecording {
  /** The port on 127.0.0.1 to listen on; 0 for any free one. */
  readonly port: number;
  /** How many exchanges to record. */
  readonly count: number;
  /** The name of the case; several are numbered. */
  readonly name: string;
  readonly destination: Destination;
}

/** Listens for clients, tokens their requests to the vendor, and records the exchanges. @throws CommandError */
export async function recordClients(
  config: Config,
  vendor: Vendor,
  { port, count, name, destination }: ClientRecording,
): Promise<void> {
  let number = 1;
  const caseName = (): string => (count === 1 ? name : `${name}-${number}`);
  const formats = FORMAT_NAMES.filter((format) => speaks(vendor, format));
  const taken = formats.map((format) => explainTaken(destination, format, caseName()));
  const [reason] = taken;
  if (reason !== undefined && !taken.includes(undefined)) throw new CommandError(reason);

  const agent = openAgent(agentOptions(config));
  const tokens = openCloudTokens();
  const recorder = await orExit(
    startRecorder({
      agent,
      cloudTokens: tokens,
      vendor,
      waits: config.timeouts,
      port,
      bodyLimit: config.limits.bodyBytes,
      count,
      refuse: (format) => explainTaken(destination, format, caseName()),
      async keep(exchange, callersSecrets) {
        await save(
          { ...destination, secrets: [...destination.secrets, ...callersSecrets] },
          caseName(),
          exchange,
        );
        number += 1;
      },
      log: (message) => console.error(message),
    }),
    { port: '--port' },
  );
  const base = formats.includes('chat-completions') ? `${recorder.url}/v1` : recorder.url;
  console.error(
    `Listening on ${recorder.url} for ${vendor.name}. Base URL for its SDK: ${base} (any key works).`,
  );
  try {
    await recorder.over;
  } catch (error) {
    throw error instanceof Declined ? new CommandError(error.message) : error;
  } finally {
    await recorder.close();
    tokens.close();
    await agent.destroy();
  }
}

/** Writes an exchange to its files and prints their names. @throws NoFixture, or CommandError if they cannot be written. */
async function save({ out, force, secrets }: Destination, name: string, exchange: Exchange): Promise<void> {
  const { format } = exchange;
  const fixtures = makeFixtures(exchange, name, secrets);
  const files = await writeCase(out, format, name, fixtures, force).catch((error: unknown) => {
    throw new CommandError(`${out} cannot be written to${codeBehind(error)}.`);
  });
  for (const file of files) console.log(file);
  if (exchange.status >= 400) {
    console.error(`The vendor answered with an error, status ${exchange.status}: that is what was recorded.`);
    return;
  }
  const [, reply] = fixtures;
  const { violations, failed } = validateFile(Buffer.from(reply?.bytes ?? []).toString('utf8'), format);
  if (violations.length > 0)
    console.error(
      `The answer breaks ${count(violations.length, 'rule')} of ${format}. See "${commandLine(process.env, 'validate FILE')}".`,
    );
  if (failed && !name.includes('error'))
    console.error('The answer ends in an error. Put `error` in its --name, so that tests expect one.');
}

/** Why a case cannot be written because its file exists; undefined if it can. */
function explainTaken({ out, force }: Destination, format: FormatName, name: string): string | undefined {
  const file = force ? undefined : findRecorded(out, format, name);
  return file && `${file} already exists. Give another --name, or --force to overwrite it.`;
}
