/** The content blocks of a messages stream: they start and stop one after another, with their deltas in between. */

import { asObject, isObject, type Json, type JsonObject, tryParseJson } from '../../lib/json.ts';
import { getKind, isName, show } from '../shape.ts';
import { type Calls, checkBlock, countCall, isByCode } from './block.ts';
import type { Report } from './rules.ts';

/** The field of a kind of delta, and the blocks that take it. */
interface Delta {
  readonly field: string;
  readonly blocks: readonly string[];
}

const DELTAS: Readonly<Record<string, Delta>> = {
  text_delta: { field: 'text', blocks: ['text'] },
  input_json_delta: { field: 'partial_json', blocks: ['tool_use', 'server_tool_use', 'mcp_tool_use'] },
  thinking_delta: { field: 'thinking', blocks: ['thinking'] },
  signature_delta: { field: 'signature', blocks: ['thinking'] },
};

/** A block that has started. */
interface Block {
  readonly index: number;
  readonly kind: string;
  /** Whether a tool call was made by code that the vendor runs, not by the model. */
  readonly byCode: boolean;
  /** Whether a text block has any text. */
  filled: boolean;
  /** The JSON text of a call's arguments so far. */
  json: string;
  deltas: number;
  signed: boolean;
}

/**
 * A checker of the blocks of one stream, which has seen none.
 * @param ids receives the ids of the calls. @param calls counts the calls. @param report receives a violation.
 */
export function blockChecker(ids: Set<string>, calls: Calls, report: Report) {
  let open: Block | undefined;
  let blocks = 0;
  let torn: string | undefined;

  function startBlock({ index: at, content_block: value }: JsonObject): void {
    const block = asObject(value) ?? {};
    const kind = getKind(block);
    if (open) report('block-overlap', `block ${show(at)} while ${open.index} is open`);
    if (at !== blocks) report('block-index', `${show(at)} where ${blocks} is next`);
    checkBlock(block, ids, report);
    const byCode = isByCode(block);
    countCall(block, calls);
    if (kind === 'tool_use' && !byCode && !isEmpty(block['input'])) {
      report('call-delta', 'its start has arguments already');
    }
    const index = typeof at === 'number' ? at : blocks;
    open = { index, kind, filled: isName(block['text']), byCode, json: '', deltas: 0, signed: false };
    blocks += 1;
  }

  function addDelta({ index: at, delta: value }: JsonObject): void {
    if (!open || at !== open.index) {
      report('delta-unopened', `a delta of block ${show(at)}`);
      return;
    }
    const delta = asObject(value) ?? {};
    const kind = getKind(delta);
    if (kind === '') report('delta-kind', show(value));
    if (open.signed) report('after-signature', `a ${kind}`);
    open.deltas += 1;
    const known = Object.hasOwn(DELTAS, kind) ? DELTAS[kind] : undefined;
    if (known) addText(open, kind, known, delta[known.field]);
  }

  function addText(
    block: Block,
    kind: string,
    { field, blocks: takers }: Delta,
    text: Json | undefined,
  ): void {
    if (!takers.includes(block.kind)) report('delta-kind', `${kind} in a ${block.kind} block`);
    if (kind === 'signature_delta') block.signed = true;
    if (typeof text !== 'string') report('delta-kind', `${kind} without its \`${field}\``);
    else if (kind === 'input_json_delta') block.json += text;
    else if (text !== '') block.filled = true;
  }

  function stopBlock({ index: at }: JsonObject): void {
    if (!open || at !== open.index) {
      report('stop-unopened', `a stop of block ${show(at)}`);
      return;
    }
    const { kind, filled, byCode, json, deltas } = open;
    if (kind === 'text' && !filled) report('block-empty', `block ${open.index}`);
    if (kind === 'tool_use' && deltas === 0 && !byCode) report('call-delta', 'no delta at all');
    if (kind === 'tool_use' && json !== '' && !asObject(tryParseJson(json))) torn = json;
    open = undefined;
  }

  return {
    start: startBlock,
    addDelta,
    stop: stopBlock,
    /** The index of the open block; undefined if none is open. */
    openIndex: () => open?.index,
    /** Forgets the open block, once that was reported. */
    closeAll(): void {
      open = undefined;
    },
    /**
     * Arguments of a call that are no JSON object, which only a message that was cut may have; undefined if there are
     * none.
     */
    tornArguments: () => torn,
  };
}

function isEmpty(input: Json | undefined): boolean {
  return isObject(input) && Object.keys(input).length === 0;
}
