/**
 * Content blocks of an answer as parts, streamed or whole: a whole block is one that starts with all it has. Blocks
 * that are not known here, and tools that Anthropic runs itself, are opaque: collected and given at their end.
 */

import { formatSpecificOf } from '../../../conversation/format-specific.ts';
import type { Prompt, Signature } from '../../../conversation/prompt.ts';
import type { OpenPart, PartStart, ReplyEvent } from '../../../conversation/reply.ts';
import { argumentsObject, argumentsText } from '../../../conversation/rules/arguments.ts';
import { broughtBack, unseal } from '../../../conversation/signature.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { asObjects, asText, isObject, withoutNulls } from '../../../lib/json.ts';
import type { Sink } from '../../../streams/step.ts';
import { broken } from '../../event-data.ts';
import { changedNames } from '../../safe-names.ts';
import { parseCitation } from '../wire/citations.ts';
import { type Calls, NO_CALLS, withCall } from '../wire/finish-reasons.ts';
import { isCarried } from '../wire/signature-carriers.ts';
import { safeName } from '../wire/tool-names.ts';
import { FORMAT } from '../wire/wire.ts';
import { answerParts } from './open-parts.ts';
import { jsonToolName } from './output-format.ts';
import { type ChangedKeys, changedKeys, changedKeysOf, restoredKeys } from './property-keys.ts';

type Out = Sink<ReplyEvent>;

/** The deltas that are text of a part, and the field that has it. */
const FIELDS = { text_delta: 'text', thinking_delta: 'thinking', input_json_delta: 'partial_json' } as const;

type TextDelta = keyof typeof FIELDS;

/** The block that is open. */
interface Open {
  /** Its index on the wire. */
  readonly at: Json | undefined;
  /** The deltas that are its text; none of an opaque block's are. */
  readonly takes: TextDelta | undefined;
  /** Its part as it starts. */
  readonly part: OpenPart;
  readonly own: PartStart['formatSpecific'];
  /** The part's index; -1 while it has not begun. */
  index: number;
  /** Text that is given at the end, where none came as a delta. */
  whole: string;
  signature: Signature | undefined;
  /** Of an input whose fields have other names to the caller: its text is held to the end, in `json`. */
  keys: ChangedKeys | undefined;
  /** An opaque block so far, and the JSON text of its input. */
  block: JsonObject;
  json: string;
}

interface AnswerBlocks {
  /** A block starts; one that is still open ends here. */
  start(block: JsonObject, at: Json | undefined, out: Out): void;
  /** @throws GatewayError `upstream-broken` for a delta that belongs to no open block, or not to one of its kind. */
  delta(delta: JsonObject, at: Json | undefined, out: Out): void;
  stop(out: Out): void;
  /** No block comes after this. */
  end(out: Out): void;
  /** The calls so far of tools that the caller knows of. */
  calls(): Calls;
}

/** @param prompt what was asked: tool names that had to change are changed back, and a JSON answer is unwrapped. */
export function answerBlocks(prompt: Prompt): AnswerBlocks {
  const names = changedNames(prompt.tools, safeName);
  const keys = changedKeys(prompt.tools);
  const schema = prompt.output?.kind === 'json-schema' ? prompt.output.schema : undefined;
  const jsonTool = schema && { name: jsonToolName(prompt), keys: changedKeysOf(schema) };
  const parts = answerParts();
  let calls = NO_CALLS;
  let open: Open | undefined;

  const begin = (block: Open, out: Out): void => {
    block.index = parts.begin(block.part, block.own, out);
  };

  const say = (block: Open, text: string, out: Out): void => {
    if (text === '') return;
    if (block.index < 0) begin(block, out);
    block.whole = '';
    out.enqueue({ type: 'part-delta', choice: 0, index: block.index, text });
  };

  const startText = (block: JsonObject, at: Json | undefined, out: Out): Open => {
    const { type: _, text, citations, ...rest } = block;
    const started = openBlock('text_delta', { kind: 'text' }, rest, at);
    begin(started, out);
    say(started, asText(text) ?? '', out);
    for (const citation of asObjects(citations)) cite(started, citation, out);
    return started;
  };

  /** Begins with its first text: until then it may be a carrier. */
  const startThinking = (block: JsonObject, at: Json | undefined, out: Out): Open => {
    const { type: _, thinking, signature, ...rest } = block;
    const started = openBlock('thinking_delta', { kind: 'thinking' }, rest, at);
    parts.noCall(out);
    say(started, asText(thinking) ?? '', out);
    sign(started, signature);
    return started;
  };

  const startRedacted = (block: JsonObject, at: Json | undefined, out: Out): Open => {
    const { type: _, data, ...rest } = block;
    const started = openBlock(undefined, { kind: 'thinking' }, rest, at);
    begin(started, out);
    const redacted = unseal(asText(data) ?? '', 'anthropic');
    out.enqueue({ type: 'part-detail', choice: 0, index: started.index, redacted });
    return started;
  };

  const startCall = (block: JsonObject, at: Json | undefined, out: Out): Open => {
    const { type: _, id, name, input, ...rest } = block;
    const given = asText(name) ?? '';
    if (given === jsonTool?.name) {
      const started = openBlock('input_json_delta', { kind: 'text' }, {}, at);
      begin(started, out);
      started.whole = argumentsText(input) || '{}';
      started.keys = jsonTool.keys;
      return started;
    }
    calls = withCall(calls, rest);
    const call = { id: asText(id) ?? '', name: names.get(given) ?? given };
    const started = openBlock('input_json_delta', { kind: 'tool-call', ...call }, rest, at);
    begin(started, out);
    started.whole = argumentsText(input);
    started.keys = keys.get(call.name);
    return started;
  };

  const startOpaque = (block: JsonObject, at: Json | undefined): Open => ({
    ...openBlock(undefined, { kind: 'opaque', format: FORMAT, value: block }, {}, at),
    block,
  });

  const startBlock = (block: JsonObject, at: Json | undefined, out: Out): Open => {
    switch (block['type']) {
      case 'text':
        return startText(block, at, out);
      case 'thinking':
        return startThinking(block, at, out);
      case 'redacted_thinking':
        return startRedacted(block, at, out);
      case 'tool_use':
        return startCall(block, at, out);
      default:
        return startOpaque(block, at);
    }
  };

  const stop = (out: Out): void => {
    if (open === undefined) return;
    const block = open;
    open = undefined;
    say(block, textAtEnd(block), out);
    const { part, signature } = block;
    if (part.kind === 'opaque') {
      parts.begin({ ...part, value: wholeBlock(block) }, undefined, out);
    } else if (block.index < 0) {
      if (signature && isCarried(signature)) {
        parts.carry(signature, out);
        return;
      }
      begin(block, out);
    }
    if (signature) out.enqueue({ type: 'part-detail', choice: 0, index: block.index, signature });
    parts.end(out);
  };

  return {
    start(block, at, out) {
      stop(out);
      open = startBlock(block, at, out);
    },
    delta(delta, at, out) {
      if (open === undefined || open.at !== at) throw broken('a delta of a block that is not open');
      const { type } = delta;
      if (open.takes !== undefined && type === open.takes) {
        const text = delta[FIELDS[open.takes]];
        if (typeof text !== 'string') return;
        if (open.keys) open.json += text;
        else say(open, text, out);
      } else if (typeof type === 'string') {
        addOther(open, type, delta, out);
      }
    },
    stop,
    end(out) {
      stop(out);
      parts.close(out);
    },
    calls: () => calls,
  };
}

function openBlock(
  takes: TextDelta | undefined,
  part: OpenPart,
  rest: JsonObject,
  at: Json | undefined,
): Open {
  const { formatSpecific: own } = formatSpecificOf(FORMAT, withoutNulls(rest));
  return {
    at,
    takes,
    part,
    own,
    index: -1,
    whole: '',
    signature: undefined,
    keys: undefined,
    block: {},
    json: '',
  };
}

/** What of a block's text is still to be said when it ends. */
function textAtEnd({ whole, json, keys }: Open): string {
  return keys === undefined ? whole : restoredKeys(json || whole, keys);
}

/** Adds a delta that is not text of a part. The documentation asks to let pass those of kinds that are not known. */
function addOther(open: Open, type: string, delta: JsonObject, out: Out): void {
  if (open.part.kind === 'opaque') {
    if (type === 'input_json_delta') open.json += asText(delta['partial_json']) ?? '';
    else open.block = grow(open.block, delta);
  } else if (type === 'signature_delta') {
    sign(open, delta['signature']);
  } else if (type === 'citations_delta' && open.part.kind === 'text') {
    if (isObject(delta['citation'])) cite(open, delta['citation'], out);
  } else if (Object.hasOwn(FIELDS, type)) {
    throw broken(`a ${type} in a block of another kind`);
  }
}

function sign(open: Open, signature: Json | undefined): void {
  open.signature = broughtBack(signature, 'anthropic') ?? open.signature;
}

function cite({ index }: Open, citation: JsonObject, out: Out): void {
  out.enqueue({ type: 'part-detail', choice: 0, index, citation: parseCitation(citation) });
}

/** The block with a delta added: text to text of the same field, anything else in its place. */
function grow(block: JsonObject, { type: _, ...delta }: JsonObject): JsonObject {
  const grown = Object.entries(withoutNulls(delta)).map(([key, value]) => {
    const before = Object.hasOwn(block, key) ? block[key] : undefined;
    return [key, typeof before === 'string' && typeof value === 'string' ? before + value : value];
  });
  return { ...block, ...Object.fromEntries(grown) };
}

function wholeBlock({ block, json }: Open): JsonObject {
  return json === '' ? block : { ...block, input: argumentsObject(json) };
}
