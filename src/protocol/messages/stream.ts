/**
 * The events of a messages stream (Anthropic documentation, "Streaming messages"): message_start, then
 * content_block_start, content_block_delta … and content_block_stop for every block, message_delta, message_stop.
 * Unknown kinds of events, blocks and deltas pass, as the documentation asks of clients.
 */

import {
  asObject,
  asObjects,
  asText,
  isList,
  type Json,
  type JsonObject,
  tryParseJson,
} from '../../lib/json.ts';
import { isName, show } from '../shape.ts';
import { type ValidateOptions, type Validator, violationLog } from '../validator.ts';
import { checkBlock, countCall } from './block.ts';
import { blockChecker } from './blocks.ts';
import { checkError, checkStop, checkUsage } from './end.ts';
import { excused, type Rule } from './rules.ts';

/** Reasons to stop that may cut a message in the middle of a block. */
const CUTS: ReadonlySet<Json | undefined> = new Set(['max_tokens', 'model_context_window_exceeded']);

/** A validator of one messages stream. */
export function messagesValidator(options?: ValidateOptions): Validator {
  const log = violationLog(excused, options);
  const ids = new Set<string>();
  let index = -1;
  let started: JsonObject | undefined;
  const calls = { direct: 0, byCode: 0 };
  let closing = false;
  let stopped = false;
  let failed = false;

  const report = (rule: Rule, detail: string): void => log.report(rule, index, detail);
  const blocks = blockChecker(ids, calls, report);

  function start(message: JsonObject): void {
    if (started) report('start-once', 'a second time');
    started = message;
    const { id, type, role, model, content, stop_reason: reason, usage } = message;
    if (type !== 'message' || role !== 'assistant') report('start-fields', `${show(type)} of ${show(role)}`);
    if (!isName(id) || !isName(model)) report('start-fields', `id ${show(id)}, model ${show(model)}`);
    checkUsage(usage, report);
    if (typeof reason === 'string') {
      addWhole(message);
      return;
    }
    if (!isList(content) || content.length > 0) report('start-fields', `content ${show(content)}`);
    if (reason !== null) report('start-fields', `stop_reason ${show(reason)}`);
  }

  /** A message that continues with calls made by code comes whole in its start. Only `message_stop` follows. */
  function addWhole(message: JsonObject): void {
    for (const block of asObjects(message['content'])) {
      checkBlock(block, ids, report);
      countCall(block, calls);
    }
    checkStop(message, calls, report);
    closing = true;
  }

  function close({ delta, usage }: JsonObject): void {
    const stop = asObject(delta) ?? {};
    const open = blocks.openIndex();
    if (open !== undefined)
      report(stop['stop_reason'] === 'max_tokens' ? 'block-cut' : 'block-unclosed', `block ${open}`);
    const torn = blocks.tornArguments();
    if (torn !== undefined && !CUTS.has(stop['stop_reason'])) report('call-arguments', show(torn));
    blocks.closeAll();
    closing = true;
    checkStop(stop, calls, report);
    checkUsage(usage, report);
    checkGrowth(asObject(started?.['usage']) ?? {}, asObject(usage) ?? {});
  }

  function checkGrowth(early: JsonObject, late: JsonObject): void {
    if (!early['input_tokens'] && late['input_tokens'] === undefined) report('usage-input', 'told nowhere');
    const before = early['output_tokens'];
    const after = late['output_tokens'];
    if (typeof before === 'number' && typeof after === 'number' && after < before) {
      report('usage-grows', `${before}, then ${after}`);
    }
  }

  function follow(type: string, value: JsonObject): void {
    if (type === 'message_start') {
      start(asObject(value['message']) ?? {});
      return;
    }
    if (!started) report('start-first', `${type} before it`);
    if (closing && type !== 'message_stop') report('after-delta', type);
    switch (type) {
      case 'content_block_start':
        blocks.start(value);
        return;
      case 'content_block_delta':
        blocks.addDelta(value);
        return;
      case 'content_block_stop':
        blocks.stop(value);
        return;
      case 'message_delta':
        close(value);
        return;
      case 'message_stop':
        stopped = true;
        if (!closing) report('delta-missing', 'none came');
    }
  }

  function addObject(event: string | undefined, value: JsonObject): void {
    const type = asText(value['type']) ?? '';
    if (event !== type) report('event-name', `${event ?? 'no name'} for ${show(value['type'])}`);
    failed = type === 'error';
    if (failed) checkError(value, report);
    else if (type !== 'ping') follow(type, value);
  }

  return {
    failed: () => failed,
    add({ event, data }) {
      index += 1;
      if (stopped) report('after-stop', show(data));
      if (failed) report('after-error', show(data));
      if (stopped || failed) return;
      const value = asObject(tryParseJson(data));
      if (value) addObject(event, value);
      else report('json', show(data));
    },
    end() {
      index += 1;
      if (failed) return log.all;
      if (!started) report('start-first', 'it never came');
      const open = blocks.openIndex();
      if (open !== undefined) report('block-unclosed', `block ${open}`);
      if (!closing && !stopped) report('delta-missing', 'none came');
      if (!stopped) report('stop-missing', 'the stream ended without it');
      return log.all;
    },
  };
}
