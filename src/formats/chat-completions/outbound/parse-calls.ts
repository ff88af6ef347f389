/**
 * Which call a piece of a stream belongs to. OpenAI says `index` in every piece, `id` and `name` in the first alone;
 * others say all three in every piece, leave `index` out, give every call the index 0 or the id '', or make a new id
 * for every piece.
 */

import { asNumber, asObject, asText, type Json, type JsonObject } from '../../../lib/json.ts';
import { broken } from '../../event-data.ts';
import type { CallSignature } from '../wire/reasoning-details.ts';
import { parseExtraContent } from '../wire/signatures.ts';
import type { Out, PartSequence, SequencePart } from './part-sequence.ts';

/** What the calls of one answer share. */
export interface CallContext {
  /** The stem of ids for calls that have none. */
  readonly stem: string;
  /** The caller's names of tools whose names the service would not take. */
  readonly names: ReadonlyMap<string, string>;
}

export interface CallReader {
  /** A piece of `tool_calls`. @param whole whether it is a call of its own, all of it. */
  read(piece: JsonObject, whole: boolean, out: Out): void;
  /** A piece of the older `function_call`. */
  readFunctionCall(piece: JsonObject, out: Out): void;
  /** A signature that stands apart from the call it is of. */
  sign(found: CallSignature, out: Out): void;
  hasAny(): boolean;
  /** Nothing more comes. Gives the signatures that no call has claimed. @throws where a call has no name. */
  end(): readonly CallSignature[];
}

interface Call {
  /** As the vendor gave it; '' for none. */
  id: string;
  name: string;
  readonly custom: boolean;
  /** Absent until its name is known. */
  part: SequencePart | undefined;
  /** What came before its name. */
  text: string;
  /** Whether any of its arguments came. */
  begun: boolean;
}

/** The key of the one call that has no index: the older `function_call`. */
const OLD = -1;

export function callReader(choice: number, line: PartSequence, context: CallContext): CallReader {
  const byIndex = new Map<number, Call>();
  const byId = new Map<string, Call>();
  const nameless = new Set<Call>();
  const apart: CallSignature[] = [];
  let last: Call | undefined;
  let count = 0;

  const begin = (id: string, custom: boolean, index: number | undefined): Call => {
    const call: Call = { id, name: '', custom, part: undefined, text: '', begun: false };
    if (index !== undefined) byIndex.set(index, call);
    nameless.add(call);
    last = call;
    return call;
  };

  /** The call that a piece goes on with, or undefined where it begins one. */
  const find = (index: number | undefined, id: string, name: string): Call | undefined => {
    const known = index === undefined ? last : byIndex.get(index);
    const same = id === '' ? undefined : byId.get(id);
    if (same !== undefined && (index === undefined || known === same)) return same;
    // An index that is new, with the id of another call: more of that one, or a service that gives one id to all.
    if (known === undefined) return name === '' ? same : undefined;
    // An id made anew for every piece comes without a name; a call of its own has one.
    if (name === '' || known.name === '') return known;
    if (id !== '' && known.id !== '') return known.id === id ? known : undefined;
    // A name again: the same call, said once more, or the next call of a service that knows no index.
    return known.name === name && !known.part?.scan?.isWhole() ? known : undefined;
  };

  const open = (call: Call, out: Out): void => {
    count += 1;
    const isOnly = call.id !== '' && byId.get(call.id) === call;
    const id = isOnly ? call.id : `${context.stem}_${choice}_${count}`;
    const name = context.names.get(call.name) ?? call.name;
    const part = line.begin({ kind: 'tool-call', id, name, ...(call.custom && { custom: true }) }, out);
    call.part = part;
    const at = apart.findIndex((found) => found.id === undefined || found.id === call.id);
    const [found] = at < 0 ? [] : apart.splice(at, 1);
    if (found) line.note(part, { signature: found.signature }, out);
    line.write(part, call.text, out);
  };

  const add = (call: Call, name: string, given: string, out: Out): void => {
    // No arguments at all are null to some; no object begins so.
    const text = given === 'null' && !call.custom && !call.begun ? '' : given;
    call.begun ||= text !== '';
    if (call.part === undefined) {
      call.text += text;
      call.name ||= name;
      if (call.name === '') return;
      nameless.delete(call);
      open(call, out);
    } else line.write(call.part, text, out);
  };

  return {
    read(piece, whole, out) {
      const { type, function: fn, custom: free, extra_content: signed } = piece;
      const id = asText(piece['id']) ?? '';
      const index = asNumber(piece['index']);
      const isCustom = type === 'custom' || (fn === undefined && free !== undefined);
      const fields = asObject(isCustom ? free : fn) ?? {};
      const name = asText(fields['name']) ?? '';
      const text = argumentsText(isCustom ? fields['input'] : fields['arguments']);
      let call = whole ? undefined : find(index, id, name);
      if (call === undefined) {
        if (id === '' && name === '' && text === '') return;
        call = begin(id, isCustom, index);
      } else last = call;
      if (id !== '' && !byId.has(id)) byId.set(id, call);
      if (call.part === undefined) call.id ||= id;
      add(call, name, text, out);
      const signature = parseExtraContent(signed);
      if (signature && call.part) line.note(call.part, { signature }, out);
      else if (signature) apart.push({ signature, ...(id !== '' && { id }) });
    },
    readFunctionCall(piece, out) {
      const name = asText(piece['name']) ?? '';
      const text = argumentsText(piece['arguments']);
      let call = byIndex.get(OLD);
      if (call === undefined) {
        // Snowflake says an empty one beside every answer.
        if (name === '' && text === '') return;
        call = begin('', false, OLD);
      }
      add(call, name, text, out);
    },
    sign(found, out) {
      const part = found.id === undefined ? undefined : byId.get(found.id)?.part;
      if (part && part.state !== 'ended') line.note(part, { signature: found.signature }, out);
      else apart.push(found);
    },
    hasAny: () => count > 0,
    end() {
      if ([...nameless].some((call) => call.text !== '' || call.id !== '')) {
        throw broken('a tool call without a name');
      }
      return apart;
    },
  };
}

/** Arguments are JSON text; a few services send the object itself. */
function argumentsText(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
