/** The TLS context of the connections to vendors. */

import type { SecureContext } from 'node:tls';

/** Certificates in PEM for the connections to one vendor. */
export interface VendorTls {
  /** The only authorities that this vendor's certificate may be signed by. Absent: those that Node trusts. */
  readonly ca?: string;
  /** What the gateway shows if the vendor asks who it is, and the private key for it. */
  readonly cert?: string;
  readonly key?: string;
}

/**
 * A TLS context that is made at the first call and shared by all connections with the same certificates. Without it,
 * Node makes one for each connection (its docs, `tls.connect`, `secureContext`): 0.25 ms of CPU before the handshake, and
 * 20 KB for as long as the connection is open.
 * @param own the certificates of a vendor that needs its own.
 */
export function shareTlsContext(own: VendorTls = {}): () => SecureContext {
  let context: SecureContext | undefined;
  return () => {
    // Node parses its root certificates as soon as `tls` is loaded: 3 MB that a gateway without an https vendor saves.
    context ??= process.getBuiltinModule('node:tls').createSecureContext(own);
    return context;
  };
}
