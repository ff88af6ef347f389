/** `gateway models`: lists the catalog with its prices (`list`, the default), or compares it with the vendors' lists (`sync`). */

import { type ArgsDef, defineCommand } from 'citty';
import type { Model } from '../catalog/model.ts';
import { command, readConfigHere } from './command.ts';

const listOptions = {
  served: { type: 'boolean', description: 'Only models whose vendor has a key' },
  json: { type: 'boolean', description: 'Print JSON' },
} as const satisfies ArgsDef;

const list = command({
  name: 'list',
  description: 'List the models of the catalog, with prices per million tokens.',
  options: listOptions,
  async run(args) {
    const [{ configuredVendors }, { catalogModels }] = await Promise.all([
      import('../config/vendors.ts'),
      import('../config/models.ts'),
    ]);
    const config = await readConfigHere();
    const vendors = configuredVendors(config);
    const all = catalogModels(config);
    const listed = args.served ? all.filter((model) => vendors.serving(model) !== undefined) : all;
    if (args.json) {
      console.log(JSON.stringify(listed, undefined, 2));
      return;
    }
    if (listed.length === 0) {
      console.log(
        'No vendor with a key serves a model. If no vendor has a key, the sandbox simulates all models.',
      );
      return;
    }
    await print(listed);
  },
});

export const models = defineCommand({
  meta: {
    name: 'models',
    description: 'List the models of the catalog (default), or compare them with the vendors’ lists.',
  },
  args: listOptions,
  subCommands: { list, sync: () => import('./models-sync.ts').then((module) => module.sync) },
  default: 'list',
});

async function print(listed: readonly Model[]): Promise<void> {
  const [{ findPrices }, { formatDay }] = await Promise.all([
    import('../catalog/prices-at.ts'),
    import('../lib/calendar.ts'),
  ]);
  const today = formatDay(Date.now());
  const width = Math.max(5, ...listed.map((model) => model.id.length));
  console.log(
    `${'model'.padEnd(width)}  ${'context'.padStart(9)}  ${'output'.padStart(7)}  ${'$ in'.padStart(7)}  ${'$ out'.padStart(7)}`,
  );
  for (const { id, contextWindow, maxOutputTokens, prices: given, shutdown } of listed) {
    const prices = findPrices(given, Date.now());
    const numbers = [
      String(contextWindow).padStart(9),
      String(maxOutputTokens).padStart(7),
      String(prices.input).padStart(7),
      String(prices.output).padStart(7),
    ];
    const { later, long } = prices;
    const beyond = long === undefined ? '' : `  (${long.input}, ${long.output} above ${long.above})`;
    const then =
      later === undefined ? '' : `  (${later.prices.input}, ${later.prices.output} from ${later.from} on)`;
    const end = shutdown === undefined ? '' : `  (${formatShutdown(shutdown, today)})`;
    console.log(`${id.padEnd(width)}  ${numbers.join('  ')}${beyond}${then}${end}`);
  }
}

function formatShutdown(day: string, today: string): string {
  return day <= today ? `shut down on ${day}` : `to be shut down on ${day}`;
}
