/** Checks of credentials that a configuration has for vendors. */

import { resolve } from 'node:path';
import { invalidConfig } from '../lib/config-error.ts';
import type { Environment } from '../lib/environment.ts';
import { isObject, tryParseJson } from '../lib/json.ts';
import { wordSet } from '../lib/words.ts';
import { azureFlow } from '../upstream/credentials/azure-flow.ts';
import { requirePackages } from '../upstream/optional-packages.ts';
import { BEDROCK, type GivenCredentials } from './credentials.ts';
import { readTextFile } from './read-text-file.ts';
import type { Config } from './schema.ts';

/** Credentials in a configuration. */
interface Place {
  /** The path of the field, for messages. */
  readonly field: string;
  readonly vendor: string;
  /** Undefined: the default address of the vendor. */
  readonly baseUrl: string | undefined;
  readonly credentials: GivenCredentials;
}

/**
 * Rejects credentials that cannot work, as far as that can be known without a request: packages or files that are missing,
 * variables that are not set.
 * @param directory the directory that paths of files are relative to.
 * @throws ConfigError that names the field.
 */
export async function checkCredentials(
  vendors: Config['vendors'],
  environment: Environment,
  directory: string,
): Promise<void> {
  for (const place of findPlaces(vendors)) {
    checkAddress(place);
    const { field, credentials } = place;
    // Tokens of Microsoft Entra ID need no package.
    if (credentials.type !== 'azure') requirePackages(credentials.type, field);
    if (credentials.type === 'google') await checkGoogle(credentials, field, environment, directory);
    if (credentials.type === 'azure') checkAzure(credentials, field, environment);
  }
}

async function checkGoogle(
  { file }: Extract<GivenCredentials, { type: 'google' }>,
  field: string,
  environment: Environment,
  directory: string,
): Promise<void> {
  const named = environment['GOOGLE_APPLICATION_CREDENTIALS'];
  if (file !== undefined) await checkGoogleFile(`${field}.file`, resolve(directory, file));
  else if (named)
    await checkGoogleFile(`${field}: GOOGLE_APPLICATION_CREDENTIALS`, resolve(directory, named));
}

/**
 * The token that Kubernetes puts into a file may come after the start, and another one every hour. Until it is there, the
 * log says so, and requests that need it fail.
 */
function checkAzure(
  credentials: Extract<GivenCredentials, { type: 'azure' }>,
  field: string,
  environment: Environment,
): void {
  const flow = azureFlow(credentials, environment);
  if (typeof flow === 'string') throw invalidConfig(`${field}: ${flow}`);
}

function findPlaces(vendors: Config['vendors']): readonly Place[] {
  return Object.entries(vendors).flatMap(([vendor, { upstreams, ...own }]) =>
    [own, ...upstreams].flatMap(({ credentials, baseUrl = own.baseUrl }, at) => {
      const place = at === 0 ? '' : `.upstreams.${at - 1}`;
      return credentials === undefined
        ? []
        : [{ field: `vendors.${vendor}${place}.credentials`, vendor, baseUrl, credentials }];
    }),
  );
}

/** The token of a cloud must not be sent to any other address. */
function checkAddress({ field, vendor, baseUrl, credentials }: Place): void {
  const { type } = credentials;
  if (baseUrl === undefined) {
    if (vendor === 'google' && type === 'google') return;
    throw invalidConfig(`${field}: needs a baseUrl, the address of this vendor in the cloud`);
  }
  if (type !== 'aws' || credentials.region !== undefined || BEDROCK.test(new URL(baseUrl).hostname)) return;
  throw invalidConfig(`${field}: needs a region, because the address does not name one`);
}

/** The types of Google's credential files. */
const TYPES = wordSet(`
  service_account authorized_user external_account external_account_authorized_user
  impersonated_service_account
`);

async function checkGoogleFile(field: string, file: string): Promise<void> {
  const value = tryParseJson(await readTextFile(field, file));
  const type = isObject(value) ? value['type'] : undefined;
  if (typeof type === 'string' && TYPES.has(type)) return;
  throw invalidConfig(
    `${field}: ${file} is not a Google credentials file (JSON with a type such as service_account)`,
  );
}
