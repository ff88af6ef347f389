/** Parts of a turn as parts of a content. */

import { formatFields } from '../../../conversation/format-specific.ts';
import type { Part, ThinkingPart, ToolCallPart } from '../../../conversation/prompt.ts';
import { argumentsObject } from '../../../conversation/rules/arguments.ts';
import { asFunctionCall } from '../../../conversation/rules/custom-tools.ts';
import { compact, isEmpty, type JsonObject } from '../../../lib/json.ts';
import type { ModelTraits, Report } from '../../format.ts';
import { ownFields } from '../../own-fields.ts';
import { isGeminiId } from '../wire/ids.ts';
import { renderMedia, resolutionOf } from '../wire/media.ts';
import { safeName } from '../wire/tool-names.ts';
import { FORMAT } from '../wire/wire.ts';

/** What rendering a part needs to know of the conversation around it. */
export interface Rendering {
  readonly target: ModelTraits;
  readonly report: Report;
  /** Names of the calls so far, by id: results are found by name. */
  readonly names: Map<string, string>;
  /** Ids that several calls of one turn have: the vendor refuses such, and finds results by order without. */
  readonly repeated: ReadonlySet<string>;
}

/** A part as the parts it is; results stand apart (`results.ts`). */
export function renderPart(part: Part, rendering: Rendering): readonly JsonObject[] {
  const { report, target } = rendering;
  switch (part.kind) {
    case 'text':
    case 'refusal': {
      const signature = signatureOf(part, report);
      if (part.text === '' && signature === undefined) return [];
      return [withBeside(part, { text: part.text, ...signature }, report)];
    }
    case 'thinking':
      return renderThought(part, report);
    case 'media': {
      const resolution = resolutionOf(part, target);
      if (part.detail !== undefined && part.detail !== 'auto' && isEmpty(resolution)) {
        report('turns[].detail', 'dropped', `image detail ${part.detail}`);
      }
      if (part.name !== undefined) report('turns[].filename', 'dropped', 'Gemini has no names of files');
      const data = { ...renderMedia(part, target), ...resolution };
      return [withBeside(part, { ...data, ...signatureOf(part, report) }, report)];
    }
    case 'tool-call':
      return [withBeside(part, { ...renderCall(part, rendering), ...signatureOf(part, report) }, report)];
    case 'tool-result':
      return [];
    case 'opaque':
      return [part.value];
  }
}

/** Thoughts go back only with Google's own proof of them: without it the model does not know them as its own. */
function renderThought(part: ThinkingPart, report: Report): readonly JsonObject[] {
  if (part.signature?.origin !== 'google') {
    report('turns[].thinking', 'dropped', "thinking without Google's signature");
    return [];
  }
  return [
    withBeside(part, { text: part.text, thought: true, thoughtSignature: part.signature.value }, report),
  ];
}

function renderCall(part: ToolCallPart, { names, repeated }: Rendering): JsonObject {
  const { id, name, arguments: text } = asFunctionCall(part);
  names.set(id, name);
  const { id: given, partialArgs, willContinue } = formatFields(part.formatSpecific, FORMAT);
  return {
    functionCall: {
      ...part.unknownFields,
      ...(typeof given === 'string' && { id: given }),
      ...(isGeminiId(id) && !repeated.has(id) && { id }),
      name: safeName(name),
      args: argumentsObject(text),
      ...compact({ partialArgs, willContinue }),
    },
  };
}

/** `{ thoughtSignature }` of a part that Google has signed. */
export function signatureOf({ signature }: Part, report: Report): { thoughtSignature: string } | undefined {
  if (signature === undefined) return undefined;
  if (signature.origin === 'google') return { thoughtSignature: signature.value };
  report('turns[].signature', 'dropped', "a signature of another vendor's");
  return undefined;
}

/** The part's fields that are Google's own or nobody's, around its data. */
function withBeside(part: Part, data: JsonObject, report: Report): JsonObject {
  const extra = part.kind === 'tool-call' ? undefined : part.unknownFields;
  const {
    id: _,
    partialArgs: _args,
    willContinue: _more,
    ...own
  } = ownFields(part.formatSpecific, FORMAT, 'turns[]', report);
  return { ...extra, ...own, ...data };
}
