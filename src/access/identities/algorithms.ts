/**
 * The accepted signature algorithms (RFC 7518, 3.1; RFC 8037; RFC 9864). All of them use a private key whose public
 * half the provider publishes. Tokens signed with a shared secret (HS256) or not at all (`none`) could be made by
 * anybody who knows that half.
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
