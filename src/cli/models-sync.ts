/** `gateway models sync`: compares the catalog with the vendors' own lists of models. */

import type { Vendor } from '../upstream/vendor.ts';
import { findVendor, requireVendors } from './choose-vendor.ts';
import { command, readConfigHere, writeNamedFile } from './command.ts';
import { CommandError } from './command-error.ts';
import { parseDuration } from './options.ts';
import type { Compared } from './sync-report.ts';

/** The exit code if, with --check, the catalog and the lists differ. */
const OUT_OF_STEP = 3;

/** The exit code if the list of a vendor could not be fetched (sysexits.h, EX_UNAVAILABLE). */
const UNAVAILABLE = 69;

export const sync = command({
  name: 'sync',
  description:
    'Compare the catalog with the model lists of the vendors that have a key. Exit code: 0; with --check, 3 if they differ; 69 if the list of a vendor could not be fetched.',
  options: {
    vendor: { type: 'string', description: 'Only these vendors, comma-separated' },
    ignore: {
      type: 'string',
      description:
        'Models to ignore, comma-separated: full ids, in which * matches anything (google/gemma-*)',
    },
    check: { type: 'boolean', description: 'Exit with code 3 if any model is new or gone' },
    write: {
      type: 'string',
      description:
        'Write the new models to this file, in the form of `models` of a configuration; fill in each null yourself',
    },
    force: { type: 'boolean', description: 'Overwrite an existing file' },
    timeout: { type: 'string', default: '30s', description: 'How long to wait for each vendor' },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  async run(args) {
    const timeout = parseDuration(args.timeout);
    if (!timeout) throw new CommandError(`--timeout: ${args.timeout} is not a duration such as 30s or 2m.`);
    const results = await compareVendors(args.vendor, args.ignore, timeout);
    const { syncAsJson, syncAsText } = await import('./sync-report.ts');
    const report = args.json ? syncAsJson(results) : syncAsText(results);
    if (report !== '') console.log(report);
    const failed = results.filter(({ failure }) => failure !== undefined);
    for (const { vendor, failure } of failed)
      console.error(`The models of ${vendor.name} could not be listed: ${failure}`);
    if (args.write !== undefined) await writeNewModels(args.write, results, args.force);
    if (failed.length > 0) process.exitCode = UNAVAILABLE;
    else if (args.check && results.some(differs)) process.exitCode = OUT_OF_STEP;
  },
});

/**
 * Fetches the list of each chosen vendor and compares it with the catalog.
 * @param names vendors, comma-separated; undefined: all that have a key.
 * @param ignored ids to ignore, comma-separated, in which `*` matches anything.
 * @param timeout milliseconds to wait for each vendor.
 */
async function compareVendors(
  names: string | undefined,
  ignored: string | undefined,
  timeout: number,
): Promise<readonly Compared[]> {
  const [{ agentOptions, configuredVendors }, { catalogModels }, { askList, NoList }, { compare }] =
    await Promise.all([
      import('../config/vendors.ts'),
      import('../config/models.ts'),
      import('../devtools/model-lists/ask-list.ts'),
      import('../devtools/model-lists/compare.ts'),
    ]);
  const [{ openAgent }, { openCloudTokens }] = await Promise.all([
    import('../upstream/agent.ts'),
    import('../upstream/credentials/cloud-tokens.ts'),
  ]);
  const config = await readConfigHere();
  const vendors = configuredVendors(config);
  const chosen = chooseVendors(vendors.all, names);
  const models = catalogModels(config);
  const isIgnored = matchPatterns(ignored);
  const agent = openAgent(agentOptions(config));
  const tokens = openCloudTokens();
  try {
    return await Promise.all(
      chosen.map(async (vendor): Promise<Compared> => {
        try {
          const listed = await askList(agent, tokens, vendor, timeout);
          return { vendor, comparison: compare(vendor, vendors, models, listed, isIgnored) };
        } catch (error) {
          if (!(error instanceof NoList)) throw error;
          return { vendor, failure: error.message };
        }
      }),
    );
  } finally {
    tokens.close();
    await agent.destroy();
  }
}

function differs({ comparison }: Compared): boolean {
  return comparison !== undefined && (comparison.fresh.length > 0 || comparison.gone.length > 0);
}

function chooseVendors(all: readonly Vendor[], names: string | undefined): readonly Vendor[] {
  requireVendors(all);
  return names === undefined ? all : names.split(',').map((name) => findVendor(name.trim(), all));
}

/** A test whether an id matches one of `patterns` (comma-separated), in which `*` matches anything. */
function matchPatterns(patterns: string | undefined): (id: string) => boolean {
  const expressions = (patterns ?? '').split(',').flatMap((text) => {
    const pattern = text.trim();
    if (pattern === '') return [];
    return new RegExp(`^${pattern.split('*').map(escapeRegExp).join('.*')}$`, 'i');
  });
  return (id) => expressions.some((expression) => expression.test(id));
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&');
}

/** Writes the models that the catalog lacks, and prints which of their fields must be filled in. */
async function writeNewModels(
  file: string,
  results: readonly Compared[],
  force: boolean | undefined,
): Promise<void> {
  const { makeEntry, listUnknown } = await import('../devtools/model-lists/entry.ts');
  const entries = results.flatMap(
    ({ vendor, comparison }) => comparison?.fresh.map((fresh) => makeEntry(vendor, fresh)) ?? [],
  );
  if (entries.length === 0) {
    console.error(`There are no new models, so ${file} was not written.`);
    return;
  }
  await writeNamedFile(file, `${JSON.stringify(entries, undefined, 2)}\n`, force);
  console.error(
    `Wrote ${entries.length} new models to ${file}. Before a configuration can use them, replace each null:`,
  );
  for (const entry of entries) {
    const unknown = listUnknown(entry);
    console.error(`  ${String(entry['id'])}: ${unknown.length === 0 ? 'complete' : unknown.join(', ')}`);
  }
}
