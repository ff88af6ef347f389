/** `gateway check`: whether a configuration can be used, and what it comes to. */

import { type ArgsDef, defineCommand } from 'citty';
import { namePrefix } from '../access/identities/claims.ts';
import { readServed } from '../config/load.ts';
import { configuredVendors } from '../config/vendors.ts';
import { servedModels } from '../server/open-gateway.ts';
import { credentialNotes } from './credential-notes.ts';
import { refuseUnknown } from './known-options.ts';
import { orExit } from './or-exit.ts';
import { tellingRefusals } from './refusal.ts';
import { unknownModels } from './unknown-models.ts';
import { variableHints } from './variable-hints.ts';
import { vendorHints } from './vendor-hints.ts';

const options = {
  config: {
    type: 'positional',
    required: false,
    description: 'Configuration file (default: GATEWAY_CONFIG, or gateway.config.*)',
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
      const directory = process.cwd();
      const { config, files } = await orExit(readServed(environment, directory));
      const vendors = configuredVendors(config);
      const names = vendors.all.map((vendor) => vendor.name);
      console.log('The configuration is valid.');
      console.log(
        files.length === 0
          ? `There is no gateway.config.* in ${directory}: it is what the environment says, and defaults.`
          : `Read from ${files.join(', ')}.`,
      );
      if (names.length === 0) console.log('No vendor has a key, so the sandbox would serve.');
      else
        console.log(
          `Vendors with a key: ${names.join(', ')}, serving ${servedModels(config, vendors).length} models.`,
        );
      for (const note of credentialNotes(vendors.all)) console.log(note);
      for (const hint of [...variableHints(config, environment, directory), ...vendorHints(config)])
        console.log(hint);
      const holders = [...config.keys, ...config.groups, ...config.identities];
      const named = holders.flatMap(({ models = [] }) => models);
      for (const note of unknownModels([...new Set(named)], config)) console.log(note);
      for (const { name, issuer } of config.identities)
        console.log(`Callers may come with a token of ${issuer}, as ${namePrefix(name)}…`);
      console.log(
        `Would listen on ${config.host}:${config.port}. API keys in the configuration: ${config.keys.length}.`,
      );
    }),
});
