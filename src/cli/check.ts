/** `gateway check`: says whether a configuration is valid, and what it amounts to. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { count } from '../lib/count.ts';
import type { Cloud } from '../upstream/credentials/cloud.ts';
import type { Vendor } from '../upstream/vendor.ts';
import { command, orExit } from './command.ts';

export const check = command({
  name: 'check',
  description: 'Check the configuration without starting anything.',
  options: {
    config: {
      type: 'positional',
      required: false,
      description: 'Configuration file (default: GATEWAY_CONFIG, or gateway.config.*)',
    },
  },
  async run(args) {
    const [{ readServed }, { configuredVendors }, { servedModels }, { namePrefix }, notes, vendorNotes] =
      await Promise.all([
        import('../config/load.ts'),
        import('../config/vendors.ts'),
        import('../config/models.ts'),
        import('../access/identities/claims.ts'),
        import('./config-notes.ts'),
        import('./vendor-notes.ts'),
      ]);
    const environment = {
      ...process.env,
      ...(args.config !== undefined && { GATEWAY_CONFIG: args.config }),
    };
    const directory = process.cwd();
    const { config, files } = await orExit(readServed(environment, directory));
    const vendors = configuredVendors(config);
    const names = vendors.all.map((vendor) => vendor.name);
    const holders = [...config.keys, ...config.groups, ...config.identities];
    const models = notes.namedModels(
      holders.flatMap(({ models = [] }) => models),
      holders.flatMap(({ modelLimits = [] }) => modelLimits),
    );
    const lines = [
      'The configuration is valid.',
      files.length === 0
        ? `There is no gateway.config.* in ${directory}: using environment variables and defaults.`
        : `Read from ${files.join(', ')}.`,
      ...(existsSync(join(directory, '.env'))
        ? [`Variables that the environment does not set come from ${join(directory, '.env')}.`]
        : []),
      names.length === 0
        ? 'No vendor has a key, so the sandbox would serve.'
        : `Vendors with a key: ${names.join(', ')}, serving ${count(servedModels(config, vendors).length, 'model')}.`,
      ...(await describeCredentials(vendors.all)),
      ...notes.findUnreadVariables(config, environment),
      ...vendorNotes.findVendorNotes(config),
      ...notes.findUnitNotes(config),
      ...notes.findUnknownModels(models, config),
      ...notes.findExpiredKeys(config),
      ...notes.findExpiredCertificates(config),
      ...(await describeRedis(config.redis.url)),
      ...config.identities.map(
        ({ name, issuer }) =>
          `Callers may use tokens of ${issuer}. Their names begin with ${namePrefix(name)}.`,
      ),
      `Would listen on ${config.host}:${config.port}. API keys in the configuration: ${config.keys.length}.`,
    ];
    console.log(lines.join('\n'));
  },
});

/** What keeps processes from sharing limits in Redis, as it is now. */
async function describeRedis(url: string | undefined): Promise<readonly string[]> {
  if (url === undefined) return [];
  const { inspectRedis } = await import('../access/limits/inspect-redis.ts');
  return inspectRedis(url);
}

/** A sentence for each vendor or upstream that uses credentials of a cloud. */
async function describeCredentials(vendors: readonly Vendor[]): Promise<readonly string[]> {
  const { CREDENTIAL_NAMES } = await import('../upstream/credentials/cloud.ts');
  const used = vendors.flatMap(({ name, credentials, upstreams }) =>
    (upstreams ?? [{ credentials }]).flatMap(({ credentials: cloud }) =>
      cloud === undefined ? [] : [{ name, cloud }],
    ),
  );
  return Promise.all(
    used.map(
      async ({ name, cloud }) =>
        `The vendor ${name} uses ${CREDENTIAL_NAMES[cloud.type]} (${await describeSource(cloud)}).`,
    ),
  );
}

const AZURE_SOURCES = {
  secret: 'a client secret',
  workload: 'workload identity',
  'app-service': 'the identity of the app',
  machine: 'the identity of the machine',
};

/** Where the credentials come from. */
async function describeSource(cloud: Cloud): Promise<string> {
  switch (cloud.type) {
    case 'google':
      return cloud.file ?? process.env['GOOGLE_APPLICATION_CREDENTIALS'] ?? 'application default credentials';
    case 'azure': {
      const { azureFlow } = await import('../upstream/credentials/azure-flow.ts');
      const way = azureFlow(cloud, process.env);
      return `from ${typeof way === 'string' ? 'nothing' : AZURE_SOURCES[way.by]}, for ${cloud.scope}`;
    }
    case 'aws':
      return `${cloud.service}, ${cloud.region}${cloud.profile === undefined ? '' : `, profile ${cloud.profile}`}`;
  }
}
