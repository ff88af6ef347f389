/** Keeps the tokens and signing credentials of all vendors that have cloud credentials instead of a key. */

import type { LogProblem } from '../../lib/diagnostics.ts';
import { errorCode } from '../../lib/error-code.ts';
import { GatewayError } from '../../lib/errors.ts';
import { withoutSecrets } from '../redact.ts';
import type { Vendor } from '../vendor.ts';
import { awsToken } from './aws.ts';
import { azureToken } from './azure.ts';
import { type Cloud, type CloudToken, CREDENTIAL_NAMES, type Fetch } from './cloud.ts';
import { googleToken } from './google.ts';
import { RenewedToken } from './renewed-token.ts';

export interface CloudTokens {
  /**
   * The token of a vendor with `credentials`. Vendors with the same credentials share it.
   * @throws GatewayError `upstream-auth`, at once or by the promise, if it cannot be fetched.
   */
  get(vendor: Vendor): CloudToken | Promise<CloudToken>;
  /** Another token than the one that the vendor refused; undefined if a new one would not help. Rejects as `get` does. */
  renew(vendor: Vendor, refused: CloudToken): Promise<CloudToken> | undefined;
  /**
   * Fetches the tokens of these vendors now, and keeps them fresh. @returns a function that releases them: a token
   * without holders is no longer renewed.
   */
  hold(vendors: readonly Vendor[]): () => void;
  close(): void;
}

interface Entry {
  readonly kept: RenewedToken;
  /** The vendors that use it, for the log. */
  readonly vendors: Set<string>;
  holders: number;
}

/** @param log called with a sentence when a token cannot be fetched, and when it can again. */
export function openCloudTokens(log: LogProblem = () => {}): CloudTokens {
  const entries = new Map<string, Entry>();
  /** Entries by the vendors' own objects, so that no request has to serialise its credentials. */
  const known = new WeakMap<Cloud, Entry>();

  const make = (cloud: Cloud): Entry => {
    const vendors = new Set<string>();
    const what = (): string => `${CREDENTIAL_NAMES[cloud.type]} for ${[...vendors].join(', ')}`;
    const kept = new RenewedToken(chooseFetch(cloud, log), {
      failed(error, token) {
        const until =
          token === undefined ? 'until then requests there fail' : 'until it ends the old one is used';
        log(`The gateway could not get ${what()}. It tries again, and ${until}: ${getReason(error)}`);
      },
      recovered: () => log(`The gateway could get ${what()} again.`),
    });
    return { kept, vendors, holders: 0 };
  };
  const findEntry = (vendor: Vendor): Entry => {
    const cloud = vendor.credentials;
    if (cloud === undefined) throw new TypeError(`The vendor ${vendor.name} has no credentials.`);
    const found = known.get(cloud);
    if (found !== undefined) return found;
    const key = JSON.stringify(cloud);
    const entry = entries.get(key) ?? make(cloud);
    entry.vendors.add(vendor.name);
    entries.set(key, entry);
    known.set(cloud, entry);
    return entry;
  };
  const release = (held: ReadonlySet<Entry>): void => {
    for (const entry of held) entry.holders -= 1;
    for (const [key, entry] of entries) {
      if (entry.holders > 0 || !held.has(entry)) continue;
      entry.kept.close();
      entries.delete(key);
    }
  };

  return {
    get(vendor) {
      try {
        const token = findEntry(vendor).kept.get();
        return token instanceof Promise ? token.catch((error: unknown) => fail(vendor, error)) : token;
      } catch (error) {
        return fail(vendor, error);
      }
    },
    renew: (vendor, refused) =>
      findEntry(vendor)
        .kept.renew(refused)
        ?.catch((error: unknown) => fail(vendor, error)),
    hold(vendors) {
      const held = new Set(vendors.flatMap(withCredentials).map(findEntry));
      for (const entry of held) {
        entry.holders += 1;
        // Nobody waits for it yet. Whoever does is told why it could not be fetched.
        if (entry.holders === 1) begin(entry.kept).catch(() => undefined);
      }
      return () => release(held);
    },
    close() {
      for (const { kept } of entries.values()) kept.close();
      entries.clear();
    },
  };
}

async function begin(kept: RenewedToken): Promise<void> {
  await kept.get();
}

function chooseFetch(cloud: Cloud, log: LogProblem): Fetch {
  switch (cloud.type) {
    case 'google':
      return googleToken(cloud);
    case 'azure':
      return azureToken(cloud);
    case 'aws':
      return awsToken(cloud, log);
  }
}

/** A vendor once for each of its upstreams that has credentials. */
function withCredentials({ upstreams, ...vendor }: Vendor): readonly Vendor[] {
  const { credentials: _, ...shared } = vendor;
  const places = upstreams?.map(({ weight: __, ...place }): Vendor => ({ ...shared, ...place })) ?? [vendor];
  return places.filter(({ credentials }) => credentials !== undefined);
}

/** @throws GatewayError that names the vendor, and the reason in one word that holds no secret. */
function fail({ name, credentials }: Vendor, error: unknown): never {
  const what = credentials === undefined ? 'credentials' : CREDENTIAL_NAMES[credentials.type];
  const word = describeError(error);
  const message = `The gateway could not get ${what} for the vendor ${name}${word === undefined ? '' : ` (${word})`}.`;
  // The code that the log shows.
  const code = ['NO_CREDENTIALS', word].join('_').replace(/_$/, '').toUpperCase();
  throw new GatewayError('upstream-auth', message, { cause: Object.assign(new Error(message), { code }) });
}

/** The error codes of OAuth (RFC 6749, 5.2; RFC 8693, 2.2.2). */
const OAUTH = /\b(?:(?:invalid|unauthorized|unsupported)_[a-z_]{4,32}|access_denied)\b/;

/** The word of an error for what is wrong: `invalid_grant`, `ECONNREFUSED`, `CredentialsProviderError`. */
function describeError(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const said = [OAUTH.exec(error.message)?.[0], errorCode(error), errorCode(error.cause), error.name];
  return said.find((word) => word !== undefined && word !== 'Error' && /^[A-Za-z]\w{2,47}$/.test(word));
}

/** The most characters of a reason. Google's library puts 290 of its own before what the metadata server says. */
const MAX_REASON_LENGTH = 600;

/** The first line of an error. An error that may quote a file is only named. */
function getReason(error: unknown): string {
  if (!(error instanceof Error)) return 'the reason is unknown.';
  if (error instanceof SyntaxError) return 'a file with credentials is not valid JSON.';
  const { cause, message } = error;
  const deeper = cause instanceof Error && cause.message !== '' ? ` (${cause.message})` : '';
  const [line = ''] = `${message}${deeper}`.split('\n');
  return withoutSecrets(line, '').slice(0, MAX_REASON_LENGTH);
}
