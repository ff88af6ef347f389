/** The parts of a candidate's content (Gemini API reference, "Part"). */

import { asObject, isObject, type JsonObject } from '../../lib/json.ts';
import { wordSet } from '../../lib/words.ts';
import { isName, misfit, show } from '../shape.ts';
import type { Report } from './rules.ts';

/** Fields of a part that describe its content. Any other field is the content. */
const META = wordSet(`
  thought thoughtSignature videoMetadata documentMetadata spreadsheetMetadata audioMetadata mediaResolution
  partMetadata mediaProcessing speechMetadata
`);

const SHAPE = { text: 'a string?', thought: 'a flag?', thoughtSignature: 'a string?' } as const;

/** What one part must know about earlier ones. */
export interface PartContext {
  /** The ids of all calls. */
  readonly ids: Set<string>;
  /** Whether a call's arguments are still coming (Vertex AI, `willContinue`). */
  continuing: boolean;
  /** The first whole call without `args`. Only the end tells whether it was cut off. */
  bare?: JsonObject;
}

/** Reports what is wrong with a part. */
export function checkPart(part: JsonObject, context: PartContext, report: Report): void {
  const held = Object.keys(part).filter((field) => !META.has(field));
  const wrong = misfit(part, SHAPE);
  if (wrong !== undefined) report('part-shape', wrong);
  const { thoughtSignature: signature } = part;
  if (typeof signature === 'string' && !isBase64(signature)) report('signature-bytes', show(signature));
  if (held.length !== 1) report('part-field', held.length === 0 ? 'nothing' : held.join(' and '));
  for (const field of held) {
    if (field !== 'text' && !isObject(part[field]))
      report('part-shape', `\`${field}\` is ${show(part[field])}`);
  }
  const call = asObject(part['functionCall']);
  if (call) checkCall(call, context, report);
}

function checkCall(call: JsonObject, context: PartContext, report: Report): void {
  const { id, name, args, partialArgs, willContinue } = call;
  const piece = context.continuing || willContinue === true || partialArgs !== undefined;
  if (!context.continuing && !isName(name)) report('call-shape', `name ${show(name)}`);
  if (args !== undefined && !isObject(args)) report('call-shape', `args ${show(args)}`);
  if (!piece && args === undefined) context.bare ??= call;
  if (id !== undefined && !context.continuing) {
    if (!isName(id)) report('call-id', show(id));
    else if (context.ids.has(id)) report('call-id', `\`${id}\` a second time`);
    else context.ids.add(id);
  }
  context.continuing = willContinue === true;
}

/** Whether a text is base64 (RFC 4648, 4) as Go's and Java's clients read it: padded, in the standard alphabet. */
function isBase64(text: string): boolean {
  return text.length % 4 === 0 && !/[^A-Za-z0-9+/]/.test(text.replace(/={1,2}$/, ''));
}
