/**
 * How tokens may be signed (RFC 7518, 3.1; RFC 8037; RFC 9864): by a private key, of which the provider publishes the
 * other half. What is signed by a shared secret (HS256) or not at all (`none`) anybody could make who knows that half.
 */
export const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const;
