/** `gateway check`: whether a configuration can be used, and what it comes to. */

import { type ArgsDef, defineCommand } from 'citty';
import { readServed } from '../config/load.ts';
import { configuredVendors } from '../config/vendors.ts';
import { servedModels } from '../open.ts';
import { refuseUnknown } from './known-options.ts';
import { orExit } from './or-exit.ts';
import { tellingRefusals } from './refusal.ts';
import { vendorHints } from './vendor-hints.ts';

const options = {
  config: {
    type: 'positional',
    required: false,
    description: 'Configuration file (default: gateway.config.*)',
  },
} as const satisfies ArgsDef;

export const check = defineCommand({
  meta: { name: 'check', description: 'Check the configuration without starting anything.' },
  args: options,
  run: ({ args }) =>
    tellingRefusals(async () => {
      refuseUnknown(args, options);
      const environment = {
        ...process.env,
        ...(args.config !== undefined && { GATEWAY_CONFIG: args.config }),
      };
      const { config } = await orExit(readServed(environment, process.cwd()));
      const vendors = configuredVendors(config);
      const names = vendors.all.map((vendor) => vendor.name);
      console.log('The configuration is valid.');
      if (names.length === 0) console.log('No vendor has a key, so the sandbox would serve.');
      else
        console.log(
          `Vendors with a key: ${names.join(', ')}, serving ${servedModels(config, vendors).length} models.`,
        );
      for (const hint of vendorHints(config)) console.log(hint);
      console.log(
        `Would listen on ${config.host}:${config.port}. API keys in the configuration: ${config.keys.length}.`,
      );
    }),
});
