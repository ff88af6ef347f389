/** The passes of all vendors that have credentials of a cloud instead of a key. */

import type { LogProblem } from '../../lib/diagnostics.ts';
import { errorCode } from '../../lib/error-code.ts';
import { GatewayError } from '../../lib/errors.ts';
import { withoutSecrets } from '../redact.ts';
import type { Vendor } from '../vendor.ts';
import { awsPass } from './aws.ts';
import { azurePass } from './azure.ts';
import { CALLED, type Cloud, type Fetch, type Pass } from './cloud.ts';
import { googlePass } from './google.ts';
import { type RenewedToken, renewedToken } from './renewed-token.ts';

export interface CloudTokens {
  /**
   * That of a vendor, which has `credentials`. All vendors with the same ones share it.
   * @throws or rejects with GatewayError `upstream-auth` where there is none to be had
   */
  of(vendor: Vendor): Pass | Promise<Pass>;
  /** Another one than the vendor has refused; undefined where there is no use in it. Rejects as `of` does. */
  renew(vendor: Vendor, refused: Pass): Promise<Pass> | undefined;
  /** Has those of these vendors at once, and keeps them. @returns what lets them go: with the last who holds one it ends. */
  hold(vendors: readonly Vendor[]): () => void;
  close(): void;
}

interface Entry {
  readonly kept: RenewedToken;
  /** By whom it is used, for whoever reads the log. */
  readonly vendors: Set<string>;
  holders: number;
}

/** @param tell told, in a sentence, where one cannot be had, and where it can again. */
export function openCloudTokens(tell: LogProblem = () => {}): CloudTokens {
  const entries = new Map<string, Entry>();
  /** The same by the objects that vendors have: no request makes a text of one. */
  const known = new WeakMap<Cloud, Entry>();

  const make = (cloud: Cloud): Entry => {
    const vendors = new Set<string>();
    const what = (): string => `${CALLED[cloud.type]} for ${[...vendors].join(', ')}`;
    const kept = renewedToken(fetchOf(cloud), {
      failed(error, pass) {
        const until =
          pass === undefined ? 'until then requests there fail' : 'until it ends the old one is used';
        tell(`The gateway could not get ${what()}. It tries again, and ${until}: ${reasonOf(error)}`);
      },
      recovered: () => tell(`The gateway could get ${what()} again.`),
    });
    return { kept, vendors, holders: 0 };
  };
  const entryOf = (vendor: Vendor): Entry => {
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
    of(vendor) {
      try {
        const pass = entryOf(vendor).kept.get();
        return pass instanceof Promise ? pass.catch((error: unknown) => fail(vendor, error)) : pass;
      } catch (error) {
        return fail(vendor, error);
      }
    },
    renew: (vendor, refused) =>
      entryOf(vendor)
        .kept.renew(refused)
        ?.catch((error: unknown) => fail(vendor, error)),
    hold(vendors) {
      const held = new Set(vendors.flatMap(withCredentials).map(entryOf));
      for (const entry of held) {
        entry.holders += 1;
        // Nobody waits for it yet; who does is told why it could not be had.
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

function fetchOf(cloud: Cloud): Fetch {
  switch (cloud.type) {
    case 'google':
      return googlePass(cloud);
    case 'azure':
      return azurePass(cloud);
    case 'aws':
      return awsPass(cloud);
  }
}

/** A vendor as it is asked at each of its addresses that has credentials. */
function withCredentials({ upstreams, ...vendor }: Vendor): readonly Vendor[] {
  const { credentials: _, ...shared } = vendor;
  const places = upstreams?.map(({ weight: __, ...place }): Vendor => ({ ...shared, ...place })) ?? [vendor];
  return places.filter(({ credentials }) => credentials !== undefined);
}

/** @throws GatewayError that says whose pass is missing, and of the reason a word that tells no secret. */
function fail({ name, credentials }: Vendor, error: unknown): never {
  const what = credentials === undefined ? 'credentials' : CALLED[credentials.type];
  const word = wordOf(error);
  const message = `The gateway could not get ${what} for the vendor ${name}${word === undefined ? '' : ` (${word})`}.`;
  // What the log has of it.
  const code = ['NO_CREDENTIALS', word].join('_').replace(/_$/, '').toUpperCase();
  throw new GatewayError('upstream-auth', message, { cause: Object.assign(new Error(message), { code }) });
}

/** What OAuth calls what is wrong (RFC 6749, 5.2; RFC 8693, 2.2.2). */
const OAUTH = /\b(?:(?:invalid|unauthorized|unsupported)_[a-z_]{4,32}|access_denied)\b/;

/** `invalid_grant`, `ECONNREFUSED`, `CredentialsProviderError`: a word that an error has for what is wrong. */
function wordOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const said = [OAUTH.exec(error.message)?.[0], errorCode(error), errorCode(error.cause), error.name];
  return said.find((word) => word !== undefined && word !== 'Error' && /^[A-Za-z]\w{2,47}$/.test(word));
}

/** No reason is longer. */
const LONGEST_REASON = 300;

/** The first line of what went wrong; of what may quote a file, its kind alone. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'nobody knows why.';
  if (error instanceof SyntaxError) return 'a file of it is not JSON.';
  const { cause, message } = error;
  const deeper = cause instanceof Error && cause.message !== '' ? ` (${cause.message})` : '';
  const [line = ''] = `${message}${deeper}`.split('\n');
  return withoutSecrets(line, '').slice(0, LONGEST_REASON);
}
