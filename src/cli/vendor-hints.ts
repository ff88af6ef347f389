/** What is no mistake in a configuration's vendors, and hardly meant: a start and `gateway check` tell it. */

import type { Config } from '../config/schema.ts';
import { configuredVendors } from '../config/vendors.ts';
import { dialectNames } from '../formats/chat-completions/dialects.ts';
import type { Vendor } from '../upstream/vendor.ts';
import { idleVendors } from './idle-vendors.ts';

/** A sentence for each. */
export function vendorHints(config: Config): readonly string[] {
  return [
    ...keylessVendors(config),
    ...namedKeys(config),
    ...idleVendors(config),
    ...configuredVendors(config).all.flatMap((vendor) => [...oddAddress(vendor), ...oddDialect(vendor)]),
  ];
}

/** A service of one's own often wants no key, and a misspelt variable gives none. */
function keylessVendors({ vendors }: Config): readonly string[] {
  return Object.entries(vendors).flatMap(([name, { baseUrl, apiKey, credentials, upstreams }]) =>
    baseUrl === undefined || apiKey !== undefined || credentials !== undefined || upstreams.length > 0
      ? []
      : [
          `The vendor ${name} has an address but no key, so it serves nothing. If it needs no key, give it any apiKey.`,
        ],
  );
}

/** Other gateways read a key that is called so from the environment (LiteLLM, Bifrost, shells); here it is sent as it stands. */
function namedKeys({ vendors }: Config): readonly string[] {
  return Object.entries(vendors).flatMap(([name, { apiKey, upstreams }]) => {
    const variable = [apiKey, ...upstreams.map((upstream) => upstream.apiKey)]
      .map((key = '') => /^(?:os\.environ\/|(?:process\.)?env\.|\$\{?)(\w+)\}?$/.exec(key)?.[1])
      .find((found) => found !== undefined);
    if (variable === undefined) return [];
    return [
      `A key of the vendor ${name} is the name of a variable, and is sent as it stands: write \${${variable}} in JSON, YAML or TOML, process.env.${variable} in code.`,
    ];
  });
}

/** Other SDKs, and other gateways, want another version in an address, or none. */
function oddAddress({ name, formats, origin, basePath }: Vendor): readonly string[] {
  const told = (path: string, should: string): readonly string[] => [
    `Requests to the vendor ${name} go to ${origin}${basePath}${path}: its baseUrl should ${should}.`,
  ];
  const [format] = formats;
  if (format === 'generate-content' && basePath.endsWith('/v1'))
    return told('/v1beta/models', 'not end in /v1');
  if (origin === 'https://api.openai.com' && basePath === '') return told('/chat/completions', 'end in /v1');
  // Services on the network have their paths there, some of them; servers of one's own below /v1 as a rule.
  if (format === 'chat-completions' && basePath === '' && origin.startsWith('http:'))
    return told('/chat/completions', 'end in /v1 if it is that of Ollama, vLLM, LM Studio or the like');
  return [];
}

/** One that there is not, as a slip of the pen makes it, is spoken as the plainest there is. */
function oddDialect({ name, dialect, formats }: Vendor): readonly string[] {
  if (dialect === undefined || !formats.includes('chat-completions') || dialectNames.includes(dialect))
    return [];
  const known = dialectNames.filter((other) => other !== '').join(', ');
  return [
    `The vendor ${name} has a dialect that nothing is known of, ${dialect}, so it is sent only what every service takes. There are: ${known}.`,
  ];
}
