/** The certificates that a gateway shows: to callers, at the admin listener, and to vendors that ask for one. */

import { X509Certificate } from 'node:crypto';
import type { Config } from './schema.ts';

export interface ShownCertificate {
  /** The field of the configuration that has it. */
  readonly field: string;
  /** When it expires. */
  readonly end: Date;
}

/** Reads when each certificate of a configuration expires. */
export function shownCertificates({
  tls,
  admin,
  vendors,
}: Pick<Config, 'tls' | 'admin' | 'vendors'>): readonly ShownCertificate[] {
  const ofVendors = Object.entries(vendors).flatMap(([name, { tls: own, upstreams = [] }]) => [
    { field: `vendors.${name}.tls`, tls: own },
    ...upstreams.map((upstream, at) => ({ field: `vendors.${name}.upstreams.${at}.tls`, tls: upstream.tls })),
  ]);
  const all = [{ field: 'tls', tls }, { field: 'admin.tls', tls: admin.tls }, ...ofVendors];
  return all.flatMap(({ field, tls: one }) =>
    one?.cert === undefined ? [] : [{ field, end: new X509Certificate(one.cert).validToDate }],
  );
}
