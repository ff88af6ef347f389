/** The certificates of a vendor in a configuration. */

import { z } from 'zod';
import { invalidConfig } from '../lib/config-error.ts';
import type { VendorTls } from '../upstream/tls-context.ts';
import { certificate, describeMismatch } from './certificates.ts';

/** Certificates, each as PEM text or in a file. */
export const tlsSchema = z
  .strictObject({
    /** The only authority that may have signed the vendor's certificate, in PEM. */
    ca: certificate.exactOptional(),
    /** A file that holds `ca`. It is read again when it changes. */
    caFile: z.string().exactOptional(),
    /** The certificate that the gateway shows to the vendor, in PEM. */
    cert: certificate.exactOptional(),
    /** A file that holds `cert`. It is read again when it changes. */
    certFile: z.string().exactOptional(),
    /** The private key of `cert`, in PEM. */
    key: z.string().min(1).exactOptional(),
    /** A file that holds `key`. It is read again when it changes. */
    keyFile: z.string().exactOptional(),
  })
  .superRefine(({ cert, key }, context) => {
    const message =
      cert === undefined || key === undefined
        ? cert === key
          ? undefined
          : 'needs both cert and key, or neither'
        : describeMismatch(cert, key);
    if (message === undefined) return;
    context.addIssue({
      code: 'custom',
      path: cert !== undefined && key !== undefined ? ['key'] : [],
      message,
    });
  });

/** Certificates at an address of a vendor. */
export interface TlsPlace {
  readonly vendor: string;
  readonly baseUrl: string;
  readonly tls?: z.output<typeof tlsSchema>;
}

/**
 * The certificates for each origin. A connection is shared by all vendors at its origin, so they need the same ones.
 * @throws ConfigError if two vendors at an origin have different ones, or if an address is not https.
 */
export function tlsByOrigin(places: readonly TlsPlace[]): ReadonlyMap<string, VendorTls> {
  const found = new Map<string, { readonly vendor: string; readonly tls?: VendorTls }>();
  for (const { vendor, baseUrl, tls } of places) {
    const { origin, protocol } = new URL(baseUrl);
    const own = tls && withoutFiles(tls);
    if (own !== undefined && protocol !== 'https:')
      throw invalidConfig(`vendors.${vendor}.tls: needs an address that begins with https`);
    const other = found.get(origin);
    if (other !== undefined && JSON.stringify(other.tls) !== JSON.stringify(own))
      throw invalidConfig(
        `vendors.${vendor}.tls: must be the same as for ${other.vendor}, which has the same address`,
      );
    found.set(origin, { vendor, ...(own && { tls: own }) });
  }
  return new Map([...found].flatMap(([origin, { tls }]) => (tls === undefined ? [] : [[origin, tls]])));
}

function withoutFiles({ ca, cert, key }: z.output<typeof tlsSchema>): VendorTls {
  return {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  };
}
