/** What a configuration says of a vendor that is shown a cloud's credentials instead of a key. */

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { z } from 'zod';
import { invalidConfig } from '../lib/config-error.ts';
import type { Environment } from '../lib/environment.ts';
import { isObject, tryParseJson } from '../lib/json.ts';
import type { VendorProxy } from '../upstream/agent.ts';
import { azureWay } from '../upstream/credentials/azure-way.ts';
import type { Cloud } from '../upstream/credentials/cloud.ts';
import { requirePackages } from '../upstream/optional-packages.ts';

const word = z.string().regex(/^[\w.-]+$/, 'must be one word');
const region = z.string().regex(/^[a-z]+(?:-[a-z]+)+-\d+$/, 'must be a region such as us-east-1');

const google = z.strictObject({
  type: z.literal('google'),
  /** Absent: where Google's libraries look (GOOGLE_APPLICATION_CREDENTIALS, `gcloud`, the metadata server). */
  file: z.string().min(1).exactOptional(),
});

const azure = z.strictObject({
  type: z.literal('azure'),
  /** Absent: by the address. */
  scope: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'must be one word')
    .exactOptional(),
  /** Absent, all three: as the environment says (AZURE_TENANT_ID, AZURE_CLIENT_ID, AZURE_CLIENT_SECRET). */
  tenantId: word.exactOptional(),
  clientId: word.exactOptional(),
  clientSecret: z.string().min(1).exactOptional(),
});

const aws = z.strictObject({
  type: z.literal('aws'),
  /** Absent, both: by the address. */
  region: region.exactOptional(),
  service: word.exactOptional(),
  /** Of the files in ~/.aws; absent: as AWS_PROFILE says. */
  profile: z.string().min(1).exactOptional(),
});

const given = z.discriminatedUnion('type', [google, azure, aws], {
  error: 'must be "google", "azure" or "aws", or an object whose type is one of these',
});

export type GivenCredentials = z.output<typeof given>;

type Said = GivenCredentials['type'] | z.input<typeof given>;

/** A cloud by its name alone, or with what it needs. */
export const credentialsSchema = z
  .transform((said: Said) => (typeof said === 'string' ? { type: said } : said))
  .pipe(given);

/** Bedrock's own names: `bedrock-mantle.us-east-1.api.aws`, `bedrock-runtime.eu-west-1.amazonaws.com`, with a VPC's before them. */
const BEDROCK = /(?:^|\.)(bedrock-(?:mantle|runtime))(?:-fips)?\.([a-z]+(?:-[a-z]+)+-\d+)\./;

/** What a signature is for at which of them ("Amazon Bedrock", openai-node; AnthropicBedrockMantle of Anthropic's SDK). */
const SERVICES: ReadonlyMap<string, string> = new Map([
  ['bedrock-mantle', 'bedrock-mantle'],
  ['bedrock-runtime', 'bedrock'],
]);

/**
 * What a token is for: Anthropic's SDK asks so at Foundry (its README, "Using Azure AD Token Provider"), Microsoft's own
 * elsewhere.
 */
function scopeAt(hostname: string): string {
  if (hostname.endsWith('.services.ai.azure.com')) return 'https://ai.azure.com/.default';
  return `https://cognitiveservices.azure.${hostname.endsWith('.us') ? 'us' : 'com'}/.default`;
}

/** Credentials of a vendor at an address, with what the address says of them. */
export function cloudAt(
  baseUrl: string,
  credentials: GivenCredentials,
  proxy: VendorProxy | undefined,
): Cloud {
  const { hostname } = new URL(baseUrl);
  const by = proxy === undefined ? {} : { proxy };
  switch (credentials.type) {
    case 'google':
      return { ...credentials, ...by };
    case 'azure':
      return { scope: scopeAt(hostname), ...credentials, ...by };
    case 'aws': {
      const [, endpoint = '', named = ''] = BEDROCK.exec(hostname) ?? [];
      return { region: named, service: SERVICES.get(endpoint) ?? 'bedrock', ...credentials, ...by };
    }
  }
}

/** Whose credentials stand at which field, and for which address; absent: that of the vendor's own kind. */
interface Place {
  readonly field: string;
  readonly vendor: string;
  readonly baseUrl: string | undefined;
  readonly credentials: GivenCredentials;
}

type Vendors = Readonly<
  Record<
    string,
    {
      readonly baseUrl?: string | undefined;
      readonly credentials?: GivenCredentials;
      readonly upstreams: readonly {
        readonly baseUrl?: string | undefined;
        readonly credentials?: GivenCredentials;
      }[];
    }
  >
>;

/**
 * Refuses credentials of which it can be known without asking anybody that they are none.
 * @throws ConfigError which names the field
 */
export async function refuseCredentials(
  vendors: Vendors,
  environment: Environment,
  directory: string,
): Promise<void> {
  for (const place of placesOf(vendors)) {
    refuseElsewhere(place);
    const { field, credentials } = place;
    // Tokens of Microsoft Entra ID need no library.
    if (credentials.type !== 'azure') requirePackages(credentials.type, field);
    if (credentials.type === 'google') {
      const named = environment['GOOGLE_APPLICATION_CREDENTIALS'];
      if (credentials.file !== undefined)
        await refuseFile(`${field}.file`, resolve(directory, credentials.file));
      else if (named) await refuseFile(`${field}: GOOGLE_APPLICATION_CREDENTIALS`, resolve(directory, named));
    }
    if (credentials.type === 'azure') {
      const way = azureWay(credentials, environment);
      if (typeof way === 'string') throw invalidConfig(`${field}: ${way}`);
      if (way.by === 'workload')
        await readable(`${field}: AZURE_FEDERATED_TOKEN_FILE`, resolve(directory, way.file));
    }
  }
}

function placesOf(vendors: Vendors): readonly Place[] {
  return Object.entries(vendors).flatMap(([vendor, { upstreams, ...own }]) =>
    [own, ...upstreams].flatMap(({ credentials, baseUrl = own.baseUrl }, at) => {
      const place = at === 0 ? '' : `.upstreams.${at - 1}`;
      return credentials === undefined
        ? []
        : [{ field: `vendors.${vendor}${place}.credentials`, vendor, baseUrl, credentials }];
    }),
  );
}

/** A token for one cloud is not sent to somebody else. */
function refuseElsewhere({ field, vendor, baseUrl, credentials }: Place): void {
  const { type } = credentials;
  if (baseUrl === undefined) {
    if (vendor === 'google' && type === 'google') return;
    throw invalidConfig(`${field}: needs a baseUrl, which says where in the cloud this vendor is`);
  }
  if (type !== 'aws' || credentials.region !== undefined || BEDROCK.test(new URL(baseUrl).hostname)) return;
  throw invalidConfig(`${field}: needs a region, because the address does not name one`);
}

/** All that Google calls credentials. */
const TYPES = new Set([
  'service_account',
  'authorized_user',
  'external_account',
  'external_account_authorized_user',
  'impersonated_service_account',
]);

async function refuseFile(field: string, file: string): Promise<void> {
  const value = tryParseJson(await readable(field, file));
  const type = isObject(value) ? value['type'] : undefined;
  if (typeof type === 'string' && TYPES.has(type)) return;
  throw invalidConfig(
    `${field}: ${file} is not a file of Google credentials (JSON with a type such as service_account)`,
  );
}

async function readable(field: string, file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw invalidConfig(`${field}: ${file} cannot be read (${error.code})`);
  });
}
