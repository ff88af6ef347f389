/** What a configuration may say of an identity provider: whose tokens open, and which of them. */

import { z } from 'zod';
import { isIssuer, isProviders, PROVIDERS } from '../access/identities/address.ts';
import { ALGORITHMS } from '../access/identities/algorithms.ts';

const text = z.string().min(1, 'must not be empty');
/** One that is held as it is written: beyond 2^53 another one would pass for it. */
const exactNumber = z.number().refine((number) => Number.isSafeInteger(number) || !Number.isInteger(number));
const scalar = z.union(
  [text, exactNumber, z.boolean()],
  'must be a text, a number (from 2^53 on as a text), true or false',
);

export const identityFields = {
  /** What the names of its callers begin with. */
  name: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,31}$/, 'must be 1 to 32 lower-case letters, digits, _ or -'),
  /** To the letter as its tokens have it (`iss`). */
  issuer: text.max(512),
  /** For whom tokens must be meant (`aud`): one of these. */
  audience: z.union([text, z.array(text).min(1)], 'must be a text, or a list of some'),
  /** Where its keys are; absent: as the issuer's own `/.well-known/openid-configuration` says. */
  jwks: z.string().refine(isProviders, PROVIDERS).exactOptional(),
  algorithms: z
    .array(z.enum(ALGORITHMS, `must be one of ${ALGORITHMS.join(', ')}`))
    .min(1)
    .exactOptional(),
  /** The claim that names the caller. */
  subject: text.default('sub'),
  /** What claims must be, or have among them, by their names. */
  require: z
    .record(text, z.union([scalar, z.array(scalar).min(1)], 'must be a value, or a list of some'))
    .exactOptional(),
  /** The group that its callers are of: the name of one of `groups`, or of the claim that has it. */
  group: z
    .union([text, z.strictObject({ claim: text })], 'must be the name of a group, or { claim }')
    .exactOptional(),
};

interface Said {
  readonly issuer: string;
  readonly jwks?: string;
  readonly require?: Readonly<Record<string, unknown>>;
}

type Refinement = [check: (said: Said) => boolean, params: { path: string[]; error: string }];

export const hasAddressOfKeys: Refinement = [
  ({ issuer, jwks }) => jwks !== undefined || isIssuer(issuer),
  { path: ['issuer'], error: `${PROVIDERS}, or jwks must say where its keys are` },
];

/**
 * Those who give a token for any audience to everybody who has an account: GitHub's "OpenID Connect reference", GitLab's
 * "OpenID Connect (OIDC) authentication using ID tokens", Google's "Get an ID token".
 */
const EVERYBODYS = new Set([
  'https://token.actions.githubusercontent.com',
  'https://gitlab.com',
  'https://accounts.google.com',
]);

export const hasLimitedCallers: Refinement = [
  ({ issuer, require = {} }) => !EVERYBODYS.has(issuer) || Object.keys(require).length > 0,
  {
    path: ['require'],
    error: 'is required: this issuer gives tokens for any audience to everybody who has an account there',
  },
];
