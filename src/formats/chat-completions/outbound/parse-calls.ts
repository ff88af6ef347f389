/**
 * The tool calls of a stream: which call does a piece belong to? OpenAI sends `index` in every piece, and `id` and `name`
 * only in the first. Others send all three in every piece, leave out `index`, give every call the index 0 or the id '', or
 * make a new id for every piece.
 */

import { argumentsText } from '../../../conversation/rules/arguments.ts';
import { asNumber, asObject, asText, type JsonObject } from '../../../lib/json.ts';
import { brokenAnswer } from '../../event-data.ts';
import type { CallSignature } from '../wire/reasoning-details.ts';
import { parseExtraContent } from '../wire/signatures.ts';
import type { Out, PartSequence, SequencePart } from './part-sequence.ts';

/** What the readers of one answer's choices and calls need to know of the request and of the whole answer. */
export interface CallContext {
  /** The beginning of the ids that calls without an id get; '' if they get none here (`unique-call-ids.ts`). */
  readonly stem: string;
  /** The caller's names of the tools that were renamed for the service, by their new names. */
  readonly names: ReadonlyMap<string, string>;
  /** The caller's stop sequences. */
  readonly stops: readonly string[];
}

export interface CallReader {
  /**
   * A piece of `tool_calls`.
   * @param whole whether it is a complete call.
   */
  read(piece: JsonObject, whole: boolean, out: Out): void;
  /** A piece of the older `function_call`. */
  readFunctionCall(piece: JsonObject, out: Out): void;
  /** A signature of a call that stands elsewhere in the message. */
  sign(found: CallSignature, out: Out): void;
  hasAny(): boolean;
  /**
   * Nothing more comes.
   * @returns the signatures that no call took.
   * @throws GatewayError for a call without a name.
   */
  end(): readonly CallSignature[];
}

interface Call {
  /** The vendor's id; '' for none. */
  id: string;
  name: string;
  readonly custom: boolean;
  /** Undefined until its name is known. */
  part: SequencePart | undefined;
  /** The arguments that came before its name. */
  text: string;
  /** Whether any of its arguments have come. */
  begun: boolean;
}

/** The key of the one call that has no index: the older `function_call`. */
const FUNCTION_CALL = -1;

/**
 * An answer without calls.
 * @param choice the index of the choice.
 * @param parts the parts of the message, to which the calls are added.
 */
export function callReader(choice: number, parts: PartSequence, context: CallContext): CallReader {
  const byIndex = new Map<number, Call>();
  const byId = new Map<string, Call>();
  const nameless = new Set<Call>();
  const unclaimed: CallSignature[] = [];
  let last: Call | undefined;
  let count = 0;

  const begin = (id: string, custom: boolean, index: number | undefined): Call => {
    const call: Call = { id, name: '', custom, part: undefined, text: '', begun: false };
    if (index !== undefined) byIndex.set(index, call);
    nameless.add(call);
    last = call;
    return call;
  };

  /** The call that a piece continues; undefined if it begins one. */
  const find = (index: number | undefined, id: string, name: string): Call | undefined => {
    const known = index === undefined ? last : byIndex.get(index);
    const same = id === '' ? undefined : byId.get(id);
    if (same !== undefined && (index === undefined || known === same)) return same;
    // A new index with the id of another call: more of that call, or a service that gives all calls the same id.
    if (known === undefined) return name === '' ? same : undefined;
    // A new id for every piece comes without a name. A new call has a name.
    if (name === '' || known.name === '') return known;
    if (id !== '' && known.id !== '') return known.id === id ? known : undefined;
    // The name again: the same call repeats it, or a service without indexes begins the next call.
    return known.name === name && !known.part?.scan?.isWhole() ? known : undefined;
  };

  const open = (call: Call, out: Out): void => {
    count += 1;
    const isOnly = call.id !== '' && byId.get(call.id) === call;
    const id = isOnly ? call.id : context.stem && `${context.stem}_${choice}_${count}`;
    const name = context.names.get(call.name) ?? call.name;
    const part = parts.begin({ kind: 'tool-call', id, name, ...(call.custom && { custom: true }) }, out);
    call.part = part;
    const at = unclaimed.findIndex((found) => found.id === undefined || found.id === call.id);
    const [found] = at < 0 ? [] : unclaimed.splice(at, 1);
    if (found) parts.addDetail(part, { signature: found.signature }, out);
    parts.write(part, call.text, out);
  };

  const add = (call: Call, name: string, given: string, out: Out): void => {
    // Some services send null for no arguments. No object begins with `null`.
    const text = given === 'null' && !call.custom && !call.begun ? '' : given;
    call.begun ||= text !== '';
    if (call.part === undefined) {
      call.text += text;
      call.name ||= name;
      if (call.name === '') return;
      nameless.delete(call);
      open(call, out);
    } else parts.write(call.part, text, out);
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
      if (signature && call.part) parts.addDetail(call.part, { signature }, out);
      else if (signature) unclaimed.push({ signature, ...(id !== '' && { id }) });
    },
    readFunctionCall(piece, out) {
      const name = asText(piece['name']) ?? '';
      const text = argumentsText(piece['arguments']);
      let call = byIndex.get(FUNCTION_CALL);
      if (call === undefined) {
        // Snowflake sends an empty one with every answer.
        if (name === '' && text === '') return;
        call = begin('', false, FUNCTION_CALL);
      }
      add(call, name, text, out);
    },
    sign(found, out) {
      const part = found.id === undefined ? undefined : byId.get(found.id)?.part;
      if (part && part.state !== 'ended') parts.addDetail(part, { signature: found.signature }, out);
      else unclaimed.push(found);
    },
    hasAny: () => count > 0,
    end() {
      if ([...nameless].some((call) => call.text !== '' || call.id !== '')) {
        throw brokenAnswer('a tool call without a name');
      }
      return unclaimed;
    },
  };
}
