/** `gateway record`: exchanges with a real vendor, as fixtures. */

import { type ArgsDef, defineCommand } from 'citty';
import type { Config } from '../config/schema.ts';
import { agentOptions, configuredVendors } from '../config/vendors.ts';
import { FORMAT_NAMES, type FormatName } from '../conversation/prompt.ts';
import { type Exchange, fixturesOf, NoFixture } from '../devtools/recorder/fixture.ts';
import { consumptionOf, writeCase } from '../devtools/recorder/keep.ts';
import { Declined, startRecorder } from '../devtools/recorder/recorder.ts';
import { speaks } from '../devtools/recorder/route.ts';
import { secretsOf } from '../devtools/recorder/secrets.ts';
import { type Asking, askingOf, sendAsking } from '../devtools/recorder/send-file.ts';
import { codeBehind } from '../lib/error-code.ts';
import { GatewayError } from '../lib/errors.ts';
import { validateFile } from '../protocol/validate-file.ts';
import { openAgent } from '../upstream/agent.ts';
import { openCloudTokens } from '../upstream/credentials/cloud-tokens.ts';
import type { Vendor } from '../upstream/vendor.ts';
import { configHere } from './config-here.ts';
import { formatNamed, refuseUnknown } from './known-options.ts';
import { orExit } from './or-exit.ts';
import { readNamed } from './read-named.ts';
import { Refusal, tellingRefusals } from './refusal.ts';
import { namesOf, refuseNobody, vendorNamed } from './vendor-named.ts';

const options = {
  vendor: { type: 'string', description: 'Vendor to record (required if several have a key)' },
  name: { type: 'string', default: 'recorded', description: 'Name of the case, and of its files' },
  out: {
    type: 'string',
    default: 'fixtures',
    description: 'Folder with requests/, replies/ and errors/',
  },
  count: {
    type: 'string',
    default: '1',
    description: 'Exchanges to record; if several, their names are numbered',
  },
  port: {
    type: 'string',
    default: '0',
    description: 'Port on 127.0.0.1 to listen on (0: any free one)',
  },
  request: { type: 'string', description: 'JSON file to send, instead of waiting for a client' },
  format: {
    type: 'string',
    description: `With --request: ${FORMAT_NAMES.join(', ')} (default: detected from the fields)`,
  },
  model: { type: 'string', description: 'With --request: the model, by its vendor’s own name' },
  stream: { type: 'boolean', description: 'With --request: ask for a stream' },
  force: { type: 'boolean', description: 'Replace an existing case of this name, with all its files' },
} as const satisfies ArgsDef;

export const record = defineCommand({
  meta: {
    name: 'record',
    description:
      'Pass a client’s next request on to a vendor with the configured key, and write both sides to a fixture, without secrets. Existing files are not overwritten.',
  },
  args: options,
  run: ({ args }) =>
    tellingRefusals(async () => {
      refuseUnknown(args, options);
      const { name, out, force = false } = args;
      if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name))
        throw new Refusal(
          `--name: ${name} may only have lower-case letters, digits and single hyphens between them`,
        );
      const count = wholeNumber('count', args.count, 1, 1_000);
      const port = wholeNumber('port', args.port, 0, 65_535);
      const format = formatNamed(args.format);
      const config = await configHere();
      const vendor = chosen(configuredVendors(config).all, args.vendor);
      const secrets = secretsOf(config);
      const place = { out, force, secrets };
      const { model, stream } = args;
      if (args.request !== undefined) {
        const asking = await fileToSend(args.request, vendor, {
          ...(format !== undefined && { format }),
          ...(model !== undefined && { model }),
          ...(stream !== undefined && { stream }),
        });
        return recordFile(config, vendor, asking, name, place);
      }
      return recordClients(config, vendor, { port, count, name, place });
    }),
});

/** Where cases are written, and what must not be in them. */
interface Place {
  readonly out: string;
  readonly force: boolean;
  readonly secrets: readonly string[];
}

async function recordFile(
  config: Config,
  vendor: Vendor,
  asking: Asking,
  name: string,
  place: Place,
): Promise<void> {
  const taken = refusalOf(place, asking.format, name);
  if (taken !== undefined) throw new Refusal(taken);
  const agent = openAgent(agentOptions(config));
  const passes = openCloudTokens();
  const exchange = await sendAsking(agent, passes, vendor, asking, config.timeouts)
    .catch((error: unknown) => {
      if (error instanceof NoFixture || error instanceof GatewayError) throw new Refusal(error.message);
      throw new Refusal(`The exchange with ${vendor.name} failed${codeBehind(error)}: nothing was recorded.`);
    })
    .finally(() => {
      passes.close();
      return agent.destroy();
    });
  await keep(place, name, exchange).catch((error: unknown) => {
    throw error instanceof NoFixture ? new Refusal(error.message) : error;
  });
}

interface Clients {
  readonly port: number;
  readonly count: number;
  readonly name: string;
  readonly place: Place;
}

async function recordClients(
  config: Config,
  vendor: Vendor,
  { port, count, name, place }: Clients,
): Promise<void> {
  let number = 1;
  const numbered = (): string => (count === 1 ? name : `${name}-${number}`);
  const spoken = FORMAT_NAMES.filter((format) => speaks(vendor, format));
  const taken = spoken.map((format) => refusalOf(place, format, numbered()));
  const [reason] = taken;
  if (reason !== undefined && !taken.includes(undefined)) throw new Refusal(reason);

  const agent = openAgent(agentOptions(config));
  const passes = openCloudTokens();
  const recorder = await orExit(
    startRecorder({
      agent,
      passes,
      vendor,
      waits: config.timeouts,
      port,
      bodyLimit: config.limits.bodyBytes,
      count,
      refuse: (format) => refusalOf(place, format, numbered()),
      async keep(exchange, callersSecrets) {
        await keep({ ...place, secrets: [...place.secrets, ...callersSecrets] }, numbered(), exchange);
        number += 1;
      },
      tell: (message) => console.error(message),
    }),
  );
  const base = spoken.includes('chat-completions') ? `${recorder.url}/v1` : recorder.url;
  console.error(
    `Listening on ${recorder.url} for ${vendor.name}. Base URL for its SDK: ${base} (any key will do).`,
  );
  try {
    await recorder.over;
  } catch (error) {
    throw error instanceof Declined ? new Refusal(error.message) : error;
  } finally {
    await recorder.close();
    passes.close();
    await agent.destroy();
  }
}

async function keep({ out, force, secrets }: Place, name: string, exchange: Exchange): Promise<void> {
  const { format } = exchange;
  const fixtures = fixturesOf(exchange, name, secrets);
  const files = await writeCase(out, format, name, fixtures, force).catch((error: unknown) => {
    throw new Refusal(`${out} cannot be written to${codeBehind(error)}.`);
  });
  for (const file of files) console.log(file);
  if (exchange.status >= 400) return;
  const [, reply] = fixtures;
  const { violations, failed } = validateFile(Buffer.from(reply?.bytes ?? []).toString('utf8'), format);
  if (violations.length > 0)
    console.error(`The answer breaks ${violations.length} rules of ${format}: see gateway validate.`);
  if (failed && !name.includes('error'))
    console.error('The answer ends in an error: put `error` in its --name, so that tests expect one.');
}

function refusalOf({ out, force }: Place, format: FormatName, name: string): string | undefined {
  const file = force ? undefined : consumptionOf(out, format, name);
  return file && `${file} already exists: give another --name, or --force to overwrite it.`;
}

async function fileToSend(
  file: string,
  vendor: Vendor,
  how: Parameters<typeof askingOf>[2],
): Promise<Asking> {
  const asking = askingOf(vendor, await readNamed(file), how);
  if (typeof asking === 'string') throw new Refusal(`${file}: ${asking}`);
  return asking;
}

function chosen(all: readonly Vendor[], name: string | undefined): Vendor {
  refuseNobody(all);
  if (name !== undefined) return vendorNamed(name, all);
  const [only, ...others] = all;
  if (only !== undefined && others.length === 0) return only;
  throw new Refusal(`Several vendors have a key: choose one with --vendor (${namesOf(all)}).`);
}

function wholeNumber(option: string, text: string, least: number, most: number): number {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && value <= most))
    throw new Refusal(`--${option}: ${text} is not a whole number from ${least} to ${most}`);
  return value;
}
