/**
 * `thoughtSignature`. Google's own signatures stand in it as they are; another vendor's, and reasoning that only its
 * vendor can read, are sealed (`conversation/signature.ts`).
 */

import type { Part, Signature } from '../../../conversation/prompt.ts';
import { seal, unseal } from '../../../conversation/signature.ts';

/**
 * Inside a sealed signature, marks reasoning that only its vendor can read (Anthropic's redacted_thinking). No base64
 * alphabet has a dot, so no vendor's signature begins like this.
 */
const REDACTED = 'r.';

/** What a `thoughtSignature` holds. */
export interface Proof {
  readonly signature?: Signature;
  readonly redacted?: Signature;
}

/** `{ thoughtSignature }` for the proof of a part, to be spread; empty if the part has none. */
export function renderProof({ signature, redacted }: Proof): { readonly thoughtSignature?: string } {
  const sealed = redacted ? { ...redacted, value: REDACTED + redacted.value } : signature;
  return sealed === undefined ? {} : { thoughtSignature: seal(sealed, 'google') };
}

/** What a `thoughtSignature` says about a part of this kind. */
export function unsealProof(text: string, kind: Part['kind']): Proof {
  const signature = unseal(text, 'google');
  const { origin, value } = signature;
  return kind === 'thinking' && origin !== 'google' && value.startsWith(REDACTED)
    ? { redacted: { origin, value: value.slice(REDACTED.length) } }
    : { signature };
}
