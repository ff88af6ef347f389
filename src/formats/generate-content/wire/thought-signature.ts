/**
 * `thoughtSignature`, which is bytes: base64 in the standard alphabet, padded. The clients for Go and Java lose a whole
 * answer in which one is anything else, and the one for Python raises.
 *
 * Google's own signatures stand in it as they are. Everything else is sealed, as the base64 of a text:
 *   `anthropic#EqQB…`     another vendor's signature of the part
 *   `anthropic#r.EmwK…`   reasoning that only its vendor can read (Anthropic's redacted_thinking)
 *   `thoughts#{…}`        thoughts that came before the part (`CarriedThought`), and the part's own signature
 *
 * Callers may still hold the first two as earlier versions of the gateway wrote them: the text itself, without base64.
 */

import type { Part, Signature, SignatureOrigin } from '../../../conversation/prompt.ts';
import { SIGNATURE_ORIGINS, unseal } from '../../../conversation/signature.ts';
import { asObject, asObjects, asText, type Json, type JsonObject, tryParseJson } from '../../../lib/json.ts';
import { base64OfText, latin1OfBase64, textOfBase64 } from '../../../lib/utf8.ts';

/**
 * Inside a sealed signature, marks reasoning that only its vendor can read. No base64 alphabet has a dot, so no vendor's
 * signature begins like this.
 */
const REDACTED = 'r.';

/** Begins the text of a seal that holds thoughts. */
const THOUGHTS = 'thoughts#';

const BEGINNINGS: readonly string[] = [...SIGNATURE_ORIGINS.map((origin) => `${origin}#`), THOUGHTS];

/** Base64 characters that decode to more bytes than the longest beginning of a seal has. */
const HEAD = 16;

/** What a signature says about the part that it stands on. */
export interface Proof {
  readonly signature?: Signature;
  readonly redacted?: Signature;
}

/**
 * A thought that travels in the signature of a later part. If it has no `text`, the thought parts right before that part
 * have it.
 */
export interface CarriedThought extends Proof {
  readonly text?: string;
}

/** What a `thoughtSignature` holds. */
export interface Unsealed extends Proof {
  /** Thoughts that belong before the part. */
  readonly thoughts?: readonly CarriedThought[];
}

/**
 * `{ thoughtSignature }` for a part, to be spread; empty if there is nothing to say.
 * @param thoughts thoughts that came before the part.
 */
export function renderProof(
  { signature, redacted }: Proof,
  thoughts: readonly CarriedThought[] = [],
): { readonly thoughtSignature?: string } {
  if (thoughts.length > 0) {
    const sealed = { thoughts: thoughts.map(renderThought), ...renderOwn({ signature, redacted }) };
    return { thoughtSignature: base64OfText(THOUGHTS + JSON.stringify(sealed)) };
  }
  if (redacted) return { thoughtSignature: base64OfText(sealText(redacted, REDACTED)) };
  if (signature === undefined) return {};
  const isPlain = signature.origin === 'google' && isBase64(signature.value);
  return { thoughtSignature: isPlain ? signature.value : base64OfText(sealText(signature)) };
}

/** What a `thoughtSignature` says about a part of this kind. A seal that is broken says nothing. */
export function unsealProof(text: string, kind: Part['kind']): Unsealed {
  const sealed = openSeal(text);
  if (sealed === undefined) return { signature: { origin: 'google', value: text } };
  if (sealed.startsWith(THOUGHTS)) {
    const held = parseHeld(sealed);
    return { thoughts: asObjects(held['thoughts']).map(parseThought), ...parseOwn(held) };
  }
  const signature = unseal(sealed, 'google');
  const { origin, value } = signature;
  return kind === 'thinking' && origin !== 'google' && value.startsWith(REDACTED)
    ? { redacted: { origin, value: value.slice(REDACTED.length) } }
    : { signature };
}

/** A `thoughtSignature` that the gateway has sealed. The Gemini API refuses it. */
export interface Seal {
  /** The vendor whose signature or thoughts are in it; `other` for thoughts without a signature. */
  readonly origin: SignatureOrigin;
  /** Google's own signature of the part, which may be sent in place of the seal. */
  readonly google?: string;
}

/** The seal that a `thoughtSignature` is; undefined if the gateway has not made it. */
export function findSeal(text: string): Seal | undefined {
  if (openSeal(text) === undefined) return undefined;
  const { thoughts = [], ...own } = unsealProof(text, 'thinking');
  const [first = own] = thoughts.filter((thought) => thought.signature ?? thought.redacted);
  const google = own.signature?.origin === 'google' ? own.signature.value : undefined;
  return {
    origin: (first.signature ?? first.redacted)?.origin ?? 'other',
    ...(google !== undefined && { google }),
  };
}

/** The text of a seal; undefined if the gateway has not made it. Its beginning is ASCII. */
function openSeal(text: string): string | undefined {
  if (isSealed(text)) return text;
  return isSealed(latin1OfBase64(text.slice(0, HEAD))) ? textOfBase64(text) : undefined;
}

function isSealed(text: string): boolean {
  return BEGINNINGS.some((beginning) => text.startsWith(beginning));
}

function sealText({ origin, value }: Signature, mark = ''): string {
  return `${origin}#${mark}${value}`;
}

function renderThought({ text, ...own }: CarriedThought): JsonObject {
  return { ...(text !== undefined && { text }), ...renderOwn(own) };
}

function renderOwn({ signature, redacted }: { [Name in keyof Proof]: Proof[Name] | undefined }): JsonObject {
  return {
    ...(signature && { signature: sealText(signature) }),
    ...(redacted && { redacted: sealText(redacted) }),
  };
}

function parseHeld(sealed: string): JsonObject {
  return asObject(tryParseJson(sealed.slice(THOUGHTS.length))) ?? {};
}

function parseThought(held: JsonObject): CarriedThought {
  const text = asText(held['text']);
  return { ...(text !== undefined && { text }), ...parseOwn(held) };
}

function parseOwn(held: JsonObject): Proof {
  const [signature, redacted] = [parseSigned(held['signature']), parseSigned(held['redacted'])];
  return { ...(signature && { signature }), ...(redacted && { redacted }) };
}

function parseSigned(value: Json | undefined): Signature | undefined {
  return typeof value === 'string' ? unseal(value, 'google') : undefined;
}

/**
 * Whether a text is base64 as JSON has it for bytes (protobuf, "ProtoJSON Format"), so that a client that decodes it writes
 * the same text again: bits beyond the last byte are zero.
 */
function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*(?:[A-Za-z0-9+/]|[AEIMQUYcgkosw048]=|[AQgw]==)$/.test(text);
}
