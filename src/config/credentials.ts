/** Credentials of a cloud, which a vendor may have in a configuration instead of a key. */

import { z } from 'zod';
import type { VendorProxy } from '../upstream/agent.ts';
import type { Cloud } from '../upstream/credentials/cloud.ts';

const word = z.string().regex(/^[\w.-]+$/, 'must be one word');
const region = z.string().regex(/^[a-z]+(?:-[a-z]+)+-\d+$/, 'must be a region such as us-east-1');

const google = z.strictObject({
  /** The cloud. */
  type: z.literal('google'),
  /** Absent: Application Default Credentials (GOOGLE_APPLICATION_CREDENTIALS, `gcloud`, the metadata server). */
  file: z.string().min(1).exactOptional(),
});

const azure = z.strictObject({
  /** The cloud. */
  type: z.literal('azure'),
  /** Absent: derived from the address. */
  scope: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'must be one word')
    .exactOptional(),
  /** The tenant. Absent: AZURE_TENANT_ID. */
  tenantId: word.exactOptional(),
  /** The client, or the managed identity. Absent: AZURE_CLIENT_ID. */
  clientId: word.exactOptional(),
  /** The client secret. Absent: AZURE_CLIENT_SECRET. */
  clientSecret: z.string().min(1).exactOptional(),
});

const aws = z.strictObject({
  /** The cloud. */
  type: z.literal('aws'),
  /** Absent: derived from the address. */
  region: region.exactOptional(),
  /** The service that signatures name. Absent: derived from the address. */
  service: word.exactOptional(),
  /** A profile of the files in ~/.aws; absent: AWS_PROFILE. */
  profile: z.string().min(1).exactOptional(),
});

const given = z.discriminatedUnion('type', [google, azure, aws], {
  error: 'must be "google", "azure" or "aws", or an object whose type is one of these',
});

export type GivenCredentials = z.output<typeof given>;

type Written = GivenCredentials['type'] | z.input<typeof given>;

/** A cloud by its name alone, or an object with what it needs. */
export const credentialsSchema = z
  .transform((written: Written) => (typeof written === 'string' ? { type: written } : written))
  .pipe(given);

/**
 * Host names of Bedrock: `bedrock-mantle.us-east-1.api.aws`, `bedrock-runtime.eu-west-1.amazonaws.com`, also after the
 * prefix of a VPC endpoint.
 */
export const BEDROCK = /(?:^|\.)(bedrock-(?:mantle|runtime))(?:-fips)?\.([a-z]+(?:-[a-z]+)+-\d+)\./;

/**
 * The scope of an Azure token: at Foundry the one that Anthropic's SDK uses (its README, "Using Azure AD Token Provider"),
 * elsewhere the one of Microsoft's own SDKs.
 */
function scopeAt(hostname: string): string {
  if (hostname.endsWith('.services.ai.azure.com')) return 'https://ai.azure.com/.default';
  return `https://cognitiveservices.azure.${hostname.endsWith('.us') ? 'us' : 'com'}/.default`;
}

/** The credentials of a vendor at an address: what the configuration leaves out is derived from the address. */
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
      // Its two endpoints are services of their own (openai-node, "Amazon Bedrock"; Anthropic's SDK).
      const service = endpoint === 'bedrock-mantle' ? endpoint : 'bedrock';
      return { region: named, service, ...credentials, ...by };
    }
  }
}
