/** The fields of the console's sign-in by an identity provider. */

import { z } from 'zod';
import { isIssuerAddress, isProviderAddress, PROVIDER_ADDRESS } from '../access/identities/address.ts';

const text = z.string().min(1, 'must not be empty');

export const signInSchema = z.strictObject({
  /** Exactly as in the provider's tokens (`iss`). */
  issuer: text.max(512).refine(isIssuerAddress, PROVIDER_ADDRESS),
  /** The id of the console as a client of the provider. */
  clientId: text,
  /** The secret of the client. Absent: it is a public client. */
  clientSecret: text.exactOptional(),
  /** The scopes that are asked for. */
  scope: text.default('openid profile email'),
  /** The address of the console, as browsers reach it. The provider must allow it with `/admin/sign-in/callback`. */
  url: z.string().refine(isProviderAddress, PROVIDER_ADDRESS),
  /** Who may do what, by a claim of the ID token. */
  roles: z.strictObject({
    /** The claim, which holds a text or a list of them. */
    claim: text.default('roles'),
    /** Its values for those who may change everything. */
    admin: z.array(text).default([]),
    /** Its values for those who may only look. */
    viewer: z.array(text).default([]),
  }),
});
