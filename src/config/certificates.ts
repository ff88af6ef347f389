/** Certificates and private keys in a configuration, and the ones that the gateway itself shows. */

import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { z } from 'zod';

/** Whether a text holds a certificate in PEM. */
function isCertificate(text: string): boolean {
  try {
    return new X509Certificate(text).subject !== undefined;
  } catch {
    return false;
  }
}

/** A certificate, or several in a row. */
export const certificate = z.string().refine(isCertificate, 'must be a certificate in PEM');

/** Why a certificate and a private key cannot be used together; undefined if they can. Never quotes either. */
export function describeMismatch(cert: string, key: string): string | undefined {
  try {
    createSecureContext({ cert, key });
    return undefined;
  } catch {
    return 'must be the private key of cert, in PEM and not encrypted';
  }
}

/** The fields of `tls` that may be in files of their own. `withKeyFiles` reads them. */
export const TLS_FILES = ['ca', 'cert', 'key'] as const;

/** The certificate of the gateway itself, and its private key: each as PEM text, or in a file. */
export const serverTlsSchema = z
  .strictObject({
    /** The certificate in PEM, after it those between it and its authority. */
    cert: certificate.exactOptional(),
    /** A file that holds `cert`. It is read again when it changes. */
    certFile: z.string().exactOptional(),
    /** The private key of the certificate, in PEM. */
    key: z.string().min(1).exactOptional(),
    /** A file that holds `key`. It is read again when it changes. */
    keyFile: z.string().exactOptional(),
  })
  .transform(({ cert, key, ...files }, context) => {
    if (cert === undefined || key === undefined) {
      context.addIssue({ code: 'custom', message: 'needs certFile and keyFile, or cert and key' });
      return z.NEVER;
    }
    const message = describeMismatch(cert, key);
    if (message !== undefined) context.addIssue({ code: 'custom', path: ['key'], message });
    return { cert, key, ...files };
  });
