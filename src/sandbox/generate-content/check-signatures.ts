/**
 * Checks thought signatures that come back (ai.google.dev, "Thought signatures"). Each must be Google's own, and on the
 * part that it came with. Models of the third generation demand one on the first call of each step of the current turn.
 */

import { createHash } from 'node:crypto';
import type { Model } from '../../catalog/model.ts';
import type { JsonObject } from '../../lib/json.ts';
import { asObject, asObjects, asText } from '../../lib/json.ts';
import type { FlawPath } from '../flaws.ts';
import { badRequest } from '../google/words.ts';
import { about } from '../refusal-subject.ts';
import { verify } from '../signatures.ts';
import { parseParts, speaks } from './ask.ts';

/** What Google accepts instead of a signature, for calls that another model made. */
const ESCAPES = ['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go'].flatMap(
  (text) => [
    text,
    // Signatures are bytes, which some clients encode in base64.
    Buffer.from(text).toString('base64'),
  ],
);

/** Base64 as protobuf's JSON reads it: either alphabet, padded or not (protobuf.dev, "ProtoJSON format"). */
const BASE64 = /^(?:[\w+/-]{4})*(?:[\w+/-]{2,3}={0,2})?$/;

/** SHA-256 of the signature that LangChain sends with calls for which it has none. It was once Google's own. */
const LANGCHAINS = '95961e890e24085525fd6971146dd82dc41b406e594bb3f048b599dfe3f44eeb';

/**
 * Checks the signatures of a request.
 * @throws Refused with Google's own error
 */
export function checkSignatures(body: JsonObject, model: Model): void {
  const contents = asObjects(body['contents']);
  const ofCalls = new Set<string>();
  for (const [index, content] of contents.entries()) {
    for (const [at, part] of parseParts(content).entries()) {
      checkSignature(part, ['contents', index, 'parts', at], ofCalls);
    }
  }
  if (/gemini-[12]\b/.test(model.id)) return;
  const current = contents.findLastIndex(speaks);
  for (const [index, content] of contents.entries()) {
    // Successive contents of the same side are one turn.
    if (index <= current || contents[index - 1]?.['role'] === content['role']) continue;
    const first = parseParts(content).find((part) => part['functionCall'] !== undefined);
    if (first === undefined || first['thoughtSignature'] !== undefined) continue;
    const name = asText(asObject(first['functionCall'])?.['name']) ?? '';
    throw badRequest(
      'Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, ' +
        'and missing thought_signature may lead to degraded model performance. Additional data, function call ' +
        `\`default_api:${name}\` , position ${index + 1}. Please refer to ` +
        'https://ai.google.dev/gemini-api/docs/thought-signatures for more details.',
      about('missing signature', 'contents', index),
    );
  }
}

/**
 * @param ofCalls the signatures of the calls before. Google's agent kit copies the first one to the calls beside it.
 */
function checkSignature(part: JsonObject, path: FlawPath, ofCalls: Set<string>): void {
  const signature = asText(part['thoughtSignature']);
  if (signature === undefined || ESCAPES.includes(signature) || sha256(signature) === LANGCHAINS) return;
  const subject = about('thoughts', ...path, 'thoughtSignature');
  if (!BASE64.test(signature)) {
    const at = `contents[${path[1]}].parts[${path[3]}].thought_signature`;
    const fault = `Invalid value at '${at}' (TYPE_BYTES), Base64 decoding failed for "${signature.slice(0, 200)}"`;
    throw badRequest(fault, subject);
  }
  const call = asObject(part['functionCall']);
  if (call !== undefined && ofCalls.has(signature)) return;
  const signed = call === undefined ? 'text' : (asText(call['name']) ?? '');
  if (!verify('google', signature, signed)) {
    throw badRequest('Corrupted thought signature.', subject);
  }
  if (call !== undefined) ofCalls.add(signature);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
