/**
 * The events of a messages stream (Anthropic documentation, "Streaming messages"): message_start, then
 * content_block_start, content_block_delta … and content_block_stop for every block, message_delta, message_stop.
 * Kinds of events, blocks and deltas that are not known here are let through, as the documentation asks of clients.
 */

import {
  asObject,
  asObjects,
  asText,
  isList,
  isObject,
  type Json,
  type JsonObject,
  tryParseJson,
} from '../../lib/json.ts';
import { isName, show } from '../shape.ts';
import { type ValidateOptions, type Validator, violationLog } from '../validator.ts';
import { checkBlock, countCall, isByCode, kindOf } from './block.ts';
import { checkStop, checkUsage } from './end.ts';
import { excused, type Rule } from './rules.ts';

/** Which field a delta has, and which blocks take it. */
const DELTAS: Readonly<Record<string, { readonly field: string; readonly blocks: readonly string[] }>> = {
  text_delta: { field: 'text', blocks: ['text'] },
  input_json_delta: { field: 'partial_json', blocks: ['tool_use', 'server_tool_use', 'mcp_tool_use'] },
  thinking_delta: { field: 'thinking', blocks: ['thinking'] },
  signature_delta: { field: 'signature', blocks: ['thinking'] },
};

/** Ends in the middle of whatever was being said. */
const CUTS: ReadonlySet<Json | undefined> = new Set(['max_tokens', 'model_context_window_exceeded']);

interface Block {
  readonly index: number;
  readonly kind: string;
  /** Whether a tool call was made by code that the vendor runs, not by the model. */
  readonly byCode: boolean;
  /** Whether a text block has any text. */
  filled: boolean;
  /** JSON text of a call's arguments. */
  json: string;
  deltas: number;
  signed: boolean;
}

/** A validator of one stream. */
export function messagesValidator(options?: ValidateOptions): Validator {
  const log = violationLog<Rule>(excused, options);
  const ids = new Set<string>();
  let index = -1;
  let started: JsonObject | undefined;
  let open: Block | undefined;
  let blocks = 0;
  const calls = { direct: 0, byCode: 0 };
  /** Arguments that are no JSON: forgiven where the message was cut. */
  let torn: string | undefined;
  let closing = false;
  let stopped = false;
  let failed = false;

  const say = (rule: Rule, detail: string): void => log.say(rule, index, detail);

  function start(message: JsonObject): void {
    if (started) say('start-once', 'a second time');
    started = message;
    const { id, type, role, model, content, stop_reason: reason, usage } = message;
    if (type !== 'message' || role !== 'assistant') say('start-fields', `${show(type)} of ${show(role)}`);
    if (!isName(id) || !isName(model)) say('start-fields', `id ${show(id)}, model ${show(model)}`);
    checkUsage(usage, say);
    if (typeof reason === 'string') {
      addWhole(message);
      return;
    }
    if (!isList(content) || content.length > 0) say('start-fields', `content ${show(content)}`);
    if (reason !== null) say('start-fields', `stop_reason ${show(reason)}`);
  }

  /** A message that goes on with calls made by code comes whole in its start, and only `message_stop` follows. */
  function addWhole(message: JsonObject): void {
    for (const block of asObjects(message['content'])) {
      checkBlock(block, ids, say);
      countCall(block, calls);
    }
    checkStop(message, calls, say);
    closing = true;
  }

  function startBlock({ index: at, content_block: value }: JsonObject): void {
    const block = asObject(value) ?? {};
    const kind = kindOf(block);
    if (open) say('block-overlap', `block ${show(at)} while ${open.index} is open`);
    if (at !== blocks) say('block-index', `${show(at)} where ${blocks} is next`);
    checkBlock(block, ids, say);
    const byCode = isByCode(block);
    countCall(block, calls);
    if (kind === 'tool_use' && !byCode && !isEmpty(block['input'])) {
      say('call-delta', 'its start has arguments already');
    }
    const index = typeof at === 'number' ? at : blocks;
    open = { index, kind, filled: isName(block['text']), byCode, json: '', deltas: 0, signed: false };
    blocks += 1;
  }

  function addDelta({ index: at, delta: value }: JsonObject): void {
    const delta = asObject(value) ?? {};
    if (!open || at !== open.index) {
      say('delta-unopened', `a delta of block ${show(at)}`);
      return;
    }
    const kind = kindOf(delta);
    if (kind === '') say('delta-kind', show(value));
    if (open.signed) say('after-signature', `a ${kind}`);
    open.deltas += 1;
    const known = Object.hasOwn(DELTAS, kind) ? DELTAS[kind] : undefined;
    if (!known) return;
    const text = delta[known.field];
    if (!known.blocks.includes(open.kind)) say('delta-kind', `${kind} in a ${open.kind} block`);
    if (typeof text !== 'string') say('delta-kind', `${kind} without its \`${known.field}\``);
    else if (kind === 'input_json_delta') open.json += text;
    else if (text !== '') open.filled = true;
    if (kind === 'signature_delta') open.signed = true;
  }

  function stopBlock({ index: at }: JsonObject): void {
    if (!open || at !== open.index) {
      say('stop-unopened', `a stop of block ${show(at)}`);
      return;
    }
    const { kind, filled, byCode, json, deltas } = open;
    if (kind === 'text' && !filled) say('block-empty', `block ${open.index}`);
    if (kind === 'tool_use' && deltas === 0 && !byCode) say('call-delta', 'no delta at all');
    if (kind === 'tool_use' && json !== '' && !asObject(tryParseJson(json))) torn = json;
    open = undefined;
  }

  function close({ delta, usage }: JsonObject): void {
    const stop = asObject(delta) ?? {};
    if (open)
      say(stop['stop_reason'] === 'max_tokens' ? 'block-cut' : 'block-unclosed', `block ${open.index}`);
    if (torn !== undefined && !CUTS.has(stop['stop_reason'])) say('call-arguments', show(torn));
    open = undefined;
    closing = true;
    checkStop(stop, calls, say);
    checkUsage(usage, say);
    const early = asObject(started?.['usage']) ?? {};
    const late = asObject(usage) ?? {};
    if (!early['input_tokens'] && late['input_tokens'] === undefined) say('usage-input', 'told nowhere');
    const before = early['output_tokens'];
    const after = late['output_tokens'];
    if (typeof before === 'number' && typeof after === 'number' && after < before) {
      say('usage-grows', `${before}, then ${after}`);
    }
  }

  function addError(value: JsonObject): void {
    failed = true;
    const { type, message } = asObject(value['error']) ?? {};
    if (typeof type !== 'string' || typeof message !== 'string') say('error-shape', show(value));
  }

  function follow(type: string, value: JsonObject): void {
    if (type === 'message_start') {
      start(asObject(value['message']) ?? {});
      return;
    }
    if (!started) say('start-first', `${type} before it`);
    if (closing && type !== 'message_stop') say('after-delta', type);
    switch (type) {
      case 'content_block_start':
        startBlock(value);
        return;
      case 'content_block_delta':
        addDelta(value);
        return;
      case 'content_block_stop':
        stopBlock(value);
        return;
      case 'message_delta':
        close(value);
        return;
      case 'message_stop':
        stopped = true;
        if (!closing) say('delta-missing', 'none came');
    }
  }

  return {
    failed: () => failed,
    add({ event, data }) {
      index += 1;
      const value = asObject(tryParseJson(data));
      if (stopped) say('after-stop', show(data));
      if (failed) say('after-error', show(data));
      if (stopped || failed) return;
      if (!value) {
        say('json', show(data));
        return;
      }
      const type = asText(value['type']) ?? '';
      if (event !== type) say('event-name', `${event ?? 'no name'} for ${show(value['type'])}`);
      if (type === 'error') addError(value);
      else if (type !== 'ping') follow(type, value);
    },
    end() {
      index += 1;
      if (failed) return log.all;
      if (!started) say('start-first', 'it never came');
      if (open) say('block-unclosed', `block ${open.index}`);
      if (!closing && !stopped) say('delta-missing', 'none came');
      if (!stopped) say('stop-missing', 'the stream ended without it');
      return log.all;
    },
  };
}

function isEmpty(input: Json | undefined): boolean {
  return isObject(input) && Object.keys(input).length === 0;
}
