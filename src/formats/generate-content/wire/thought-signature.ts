/** `thoughtSignature`: Google's own as they are, another vendor's sealed, and reasoning only that vendor can read. */

import type { Part, Signature } from '../../../conversation/prompt.ts';
import { seal, unseal } from '../../../conversation/signature.ts';

/**
 * Marks, inside a sealed signature, reasoning that only its vendor can read (Anthropic's redacted_thinking): a dot is
 * in no base64 alphabet, so no vendor's signature begins so.
 */
const REDACTED = 'r.';

/** What stands in a `thoughtSignature`. */
export interface Proof {
  readonly signature?: Signature;
  readonly redacted?: Signature;
}

/** `{ thoughtSignature }` for what a part is proven by, else nothing: to be spread. */
export function renderProof({ signature, redacted }: Proof): { readonly thoughtSignature?: string } {
  const sealed = redacted ? { ...redacted, value: REDACTED + redacted.value } : signature;
  return sealed === undefined ? {} : { thoughtSignature: seal(sealed, 'google') };
}

/** What the field says of a part of this kind. */
export function unsealProof(text: string, kind: Part['kind']): Proof {
  const signature = unseal(text, 'google');
  const { origin, value } = signature;
  return kind === 'thinking' && origin !== 'google' && value.startsWith(REDACTED)
    ? { redacted: { origin, value: value.slice(REDACTED.length) } }
    : { signature };
}
