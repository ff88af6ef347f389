/** `gateway models sync`: what the vendors' own lists have that the catalog has not, and the other way round. */

import { writeFile } from 'node:fs/promises';
import { type ArgsDef, defineCommand } from 'citty';
import { agentOptions, configuredVendors } from '../config/vendors.ts';
import { askList, NoList } from '../devtools/model-lists/ask-list.ts';
import { type Comparison, compare } from '../devtools/model-lists/compare.ts';
import { entryOf, unknownOf } from '../devtools/model-lists/entry.ts';
import { codeBehind, errorCode } from '../lib/error-code.ts';
import { catalogModels } from '../server/open-gateway.ts';
import { openAgent } from '../upstream/agent.ts';
import { openCloudTokens } from '../upstream/credentials/cloud-tokens.ts';
import type { Vendor } from '../upstream/vendor.ts';
import { configHere } from './config-here.ts';
import { millisecondsOf } from './duration.ts';
import { refuseUnknown } from './known-options.ts';
import { Refusal, tellingRefusals } from './refusal.ts';
import { type Compared, syncAsJson, syncAsText } from './sync-report.ts';
import { refuseNobody, vendorNamed } from './vendor-named.ts';

const options = {
  vendor: { type: 'string', description: 'Only these vendors, comma-separated' },
  ignore: {
    type: 'string',
    description: 'Models to ignore, comma-separated: full ids, in which * matches anything (google/gemma-*)',
  },
  check: { type: 'boolean', description: 'Exit with code 3 if any model is new or gone' },
  write: {
    type: 'string',
    description:
      'Write the new models to this file, as `models` of a configuration in which you fill in each null',
  },
  force: { type: 'boolean', description: 'Overwrite an existing file' },
  timeout: { type: 'string', default: '30s', description: 'How long to wait for each vendor' },
  json: { type: 'boolean', description: 'Print JSON' },
} as const satisfies ArgsDef;

/** Exit code: with --check, the catalog and the lists differ. */
const OUT_OF_STEP = 3;

/** Exit code (sysexits EX_UNAVAILABLE): a vendor could not be asked, so nobody knows. */
const UNAVAILABLE = 69;

export const sync = defineCommand({
  meta: {
    name: 'sync',
    description:
      'Compare the catalog with the model lists of the vendors that have a key. Exit code: 0; with --check, 3 if they differ; 69 if a vendor could not be asked.',
  },
  args: options,
  run: ({ args }) =>
    tellingRefusals(async () => {
      refuseUnknown(args, options);
      const patience = millisecondsOf(args.timeout);
      if (!patience) throw new Refusal(`--timeout: ${args.timeout} is not a duration such as 30s or 2m`);
      const config = await configHere();
      const vendors = configuredVendors(config);
      const models = catalogModels(config);
      const ignored = ignoring(args.ignore);
      const agent = openAgent(agentOptions(config));
      const passes = openCloudTokens();
      const results = await Promise.all(
        chosen(vendors.all, args.vendor).map(async (vendor): Promise<Compared> => {
          try {
            const listed = await askList(agent, passes, vendor, patience);
            return { vendor, comparison: compare(vendor, vendors, models, listed, ignored) };
          } catch (error) {
            if (!(error instanceof NoList)) throw error;
            return { vendor, failure: error.message };
          }
        }),
      ).finally(() => {
        passes.close();
        return agent.destroy();
      });

      const report = args.json ? syncAsJson(results) : syncAsText(results);
      if (report !== '') console.log(report);
      for (const { vendor, failure } of results) {
        if (failure !== undefined) console.error(`${vendor.name} could not be asked: ${failure}`);
      }
      if (args.write !== undefined) await writeNew(args.write, results, args.force === true);
      if (results.some(({ failure }) => failure !== undefined)) process.exitCode = UNAVAILABLE;
      else if (args.check && results.some(({ comparison }) => comparison && differs(comparison)))
        process.exitCode = OUT_OF_STEP;
    }),
});

function differs({ fresh, gone }: Comparison): boolean {
  return fresh.length > 0 || gone.length > 0;
}

function chosen(all: readonly Vendor[], names: string | undefined): readonly Vendor[] {
  refuseNobody(all);
  return names === undefined ? all : names.split(',').map((name) => vendorNamed(name.trim(), all));
}

/** Whether an id is one of `patterns`, in which `*` is anything. */
function ignoring(patterns: string | undefined): (id: string) => boolean {
  const wanted = (patterns ?? '').split(',').flatMap((text) => {
    const pattern = text.trim();
    if (pattern === '') return [];
    return new RegExp(`^${pattern.split('*').map(literally).join('.*')}$`, 'i');
  });
  return (id) => wanted.some((pattern) => pattern.test(id));
}

function literally(text: string): string {
  return text.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&');
}

async function writeNew(file: string, results: readonly Compared[], force: boolean): Promise<void> {
  const entries = results.flatMap(
    ({ vendor, comparison }) => comparison?.fresh.map((fresh) => entryOf(vendor, fresh)) ?? [],
  );
  if (entries.length === 0) {
    console.error(`There are no new models, so ${file} was not written.`);
    return;
  }
  const text = `${JSON.stringify(entries, undefined, 2)}\n`;
  try {
    await writeFile(file, text, { flag: force ? 'w' : 'wx' });
  } catch (error) {
    if (errorCode(error) === 'EEXIST')
      throw new Refusal(`${file} already exists: use --force to overwrite it.`);
    throw new Refusal(`${file} cannot be written${codeBehind(error)}.`);
  }
  console.error(
    `Wrote ${entries.length} new models to ${file}. Before a configuration can use them, fill in what is null:`,
  );
  for (const entry of entries) {
    const unknown = unknownOf(entry);
    console.error(`  ${String(entry['id'])}: ${unknown.length === 0 ? 'complete' : unknown.join(', ')}`);
  }
}
