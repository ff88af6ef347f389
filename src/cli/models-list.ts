/** `gateway models list`, or `gateway models` alone: what the catalog holds, and what it costs. */

import { type ArgsDef, defineCommand } from 'citty';
import { pricesAt } from '../catalog/prices-at.ts';
import { configuredVendors } from '../config/vendors.ts';
import { dayOf } from '../lib/calendar.ts';
import { catalogModels } from '../server/open-gateway.ts';
import { configHere } from './config-here.ts';
import { refuseUnknown } from './known-options.ts';
import { tellingRefusals } from './refusal.ts';

export const listOptions = {
  served: { type: 'boolean', description: 'Only models whose vendor has a key' },
  json: { type: 'boolean', description: 'Print JSON' },
} as const satisfies ArgsDef;

export const list = defineCommand({
  meta: { name: 'list', description: 'List the models of the catalog, with prices per million tokens.' },
  args: listOptions,
  run: ({ args }) =>
    tellingRefusals(async () => {
      refuseUnknown(args, listOptions);
      const config = await configHere();
      const vendors = configuredVendors(config);
      const all = catalogModels(config);
      const listed = args.served ? all.filter((model) => vendors.serving(model) !== undefined) : all;
      if (args.json) {
        console.log(JSON.stringify(listed, undefined, 2));
        return;
      }
      if (listed.length === 0) {
        console.log(
          'No vendor with a key serves a model. Without any vendor key, the sandbox simulates them all.',
        );
        return;
      }
      const width = Math.max(5, ...listed.map((model) => model.id.length));
      console.log(
        `${'model'.padEnd(width)}  ${'context'.padStart(9)}  ${'output'.padStart(7)}  ${'$ in'.padStart(7)}  ${'$ out'.padStart(7)}`,
      );
      for (const { id, contextWindow, maxOutputTokens, prices: given, shutdown } of listed) {
        const prices = pricesAt(given, Date.now());
        const numbers = [
          String(contextWindow).padStart(9),
          String(maxOutputTokens).padStart(7),
          String(prices.input).padStart(7),
          String(prices.output).padStart(7),
        ];
        const { later, long } = prices;
        const beyond = long === undefined ? '' : `  (${long.input}, ${long.output} above ${long.above})`;
        const then =
          later === undefined
            ? ''
            : `  (${later.prices.input}, ${later.prices.output} from ${later.from} on)`;
        const end = shutdown === undefined ? '' : `  (${endAt(shutdown)})`;
        console.log(`${id.padEnd(width)}  ${numbers.join('  ')}${beyond}${then}${end}`);
      }
    }),
});

function endAt(day: string): string {
  return day <= dayOf(Date.now()) ? `shut down on ${day}` : `to be shut down on ${day}`;
}
