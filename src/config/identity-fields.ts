/** The fields of an identity provider: whose tokens are accepted, and which of them. */

import { z } from 'zod';
import { isIssuerAddress, isProviderAddress, PROVIDER_ADDRESS } from '../access/identities/address.ts';
import { ALGORITHMS } from '../access/identities/algorithms.ts';

const text = z.string().min(1, 'must not be empty');
/** A number that a double holds exactly: from 2^53 on, different numbers would look the same. */
const exactNumber = z.number().refine((number) => Number.isSafeInteger(number) || !Number.isInteger(number));
const scalar = z.union(
  [text, exactNumber, z.boolean()],
  'must be a text, a number (as a text from 2^53 on), true or false',
);

export const identityFields = {
  /** The prefix of the names of its callers. */
  name: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,31}$/, 'must be 1 to 32 lower-case letters, digits, _ or -'),
  /** Exactly as in its tokens (`iss`). */
  issuer: text.max(512),
  /** The audience of its tokens (`aud`): one of these. */
  audience: z.union([text, z.array(text).min(1)], 'must be a text or a list of texts'),
  /** Where its keys are; absent: the issuer's `/.well-known/openid-configuration` says it. */
  jwks: z.string().refine(isProviderAddress, PROVIDER_ADDRESS).exactOptional(),
  /** The signature algorithms that are allowed. Absent: all that are known. */
  algorithms: z
    .array(z.enum(ALGORITHMS, `must be one of ${ALGORITHMS.join(', ')}`))
    .min(1)
    .exactOptional(),
  /** The claim that names the caller. */
  subject: text.default('sub'),
  /** Values that claims must have or contain, by the names of the claims. */
  require: z
    .record(text, z.union([scalar, z.array(scalar).min(1)], 'must be a value or a list of values'))
    .exactOptional(),
  /** The group of its callers: the name of one of `groups`, or the claim that holds it. */
  group: z
    .union(
      [
        text,
        z.strictObject({
          /** The claim that holds the name of the group. */
          claim: text,
        }),
      ],
      'must be the name of a group, or { claim }',
    )
    .exactOptional(),
};

interface Identity {
  readonly issuer: string;
  readonly jwks?: string;
  readonly require?: Readonly<Record<string, unknown>>;
}

type Refinement = [check: (identity: Identity) => boolean, params: { path: string[]; error: string }];

/** The gateway must be able to find the keys of the provider. */
export const hasAddressOfKeys: Refinement = [
  ({ issuer, jwks }) => jwks !== undefined || isIssuerAddress(issuer),
  { path: ['issuer'], error: `${PROVIDER_ADDRESS}, or jwks must be set` },
];

/**
 * Issuers that give tokens for any audience to everyone who has an account: GitHub's "OpenID Connect reference", GitLab's
 * "OpenID Connect (OIDC) authentication using ID tokens", Google's "Get an ID token".
 */
const PUBLIC_ISSUERS = new Set([
  'https://token.actions.githubusercontent.com',
  'https://gitlab.com',
  'https://accounts.google.com',
]);

/** A public issuer needs a further claim that says whose tokens are accepted. */
export const hasLimitedCallers: Refinement = [
  ({ issuer, require = {} }) => !PUBLIC_ISSUERS.has(issuer) || Object.keys(require).length > 0,
  {
    path: ['require'],
    error: 'is required, because this issuer gives tokens for any audience to everyone who has an account',
  },
];
