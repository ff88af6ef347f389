/** The choices of a chat-completions stream, each with its calls. */

import { asList, asText, isList, isObject, type Json, type JsonObject } from '../../lib/json.ts';
import { isCount, isName, misfit, show } from '../shape.ts';
import { checkCallHead, checkChoiceEnd, getCallBody, TEXTS } from './choice.ts';
import type { Report, Rule } from './rules.ts';

/** A call of a choice. */
interface Call {
  readonly custom: boolean;
  text: string;
}

/** A choice, as far as it has come. */
interface Choice {
  readonly calls: Map<number, Call>;
  legacy: boolean;
  legacyText: string;
  finish: string | undefined;
  finishedAt: number;
}

/**
 * A checker of the choices of one stream, which has seen none.
 * @param report receives a violation in the current event.
 */
export function choiceChecker(report: Report) {
  const choices = new Map<number, Choice>();
  const callIds = new Set<string>();

  function openCall(choice: Choice, at: number, piece: JsonObject, body: JsonObject): Call {
    if (at !== choice.calls.size) report('call-index', `${at} where ${choice.calls.size} is next`);
    checkCallHead(piece, body, callIds, report);
    const call = { custom: piece['type'] === 'custom', text: '' };
    choice.calls.set(at, call);
    return call;
  }

  /** The index of a call. Without one, a new id begins the next call, and anything else continues the last one. */
  function findIndex({ calls }: Choice, { index, id }: JsonObject): number {
    if (isCount(index)) return index;
    report('call-index', `${show(index)} is none`);
    return isName(id) && !callIds.has(id) ? calls.size : Math.max(0, calls.size - 1);
  }

  function addCallPiece(choice: Choice, piece: JsonObject): void {
    const body = getCallBody(piece);
    const at = findIndex(choice, piece);
    const known = choice.calls.get(at);
    const call = known ?? openCall(choice, at, piece, body);
    if (known && (piece['id'] !== undefined || piece['type'] !== undefined || body['name'] !== undefined)) {
      report('call-head-repeated', show(piece));
    }
    const text = call.custom ? body['input'] : body['arguments'];
    if (typeof text === 'string') call.text += text;
    else report('call-piece', show(text));
  }

  function addDelta(choice: Choice, delta: JsonObject, first: boolean): void {
    const { role, tool_calls: calls, function_call: legacy } = delta;
    if (first && role !== 'assistant') report('role-first', show(role));
    if (!first && role !== undefined) report('role-repeated', show(role));
    const wrong = misfit(delta, TEXTS);
    if (wrong !== undefined) report('delta-text', wrong);
    addCalls(choice, calls);
    if (isObject(legacy)) {
      choice.legacy = true;
      choice.legacyText += asText(legacy['arguments']) ?? '';
    }
  }

  function addCalls(choice: Choice, calls: Json | undefined): void {
    if (calls !== undefined && !isList(calls)) report('call-list', show(calls));
    for (const piece of asList(calls)) {
      if (isObject(piece)) addCallPiece(choice, piece);
      else report('call-list', show(piece));
    }
  }

  /** Checks a choice of a chunk. @param index the number of the chunk's event. */
  function addChoice(value: Json, index: number): void {
    if (!isObject(value)) {
      report('choices-list', show(value));
      return;
    }
    const { index: at, delta, finish_reason: finish } = value;
    if (!isCount(at)) {
      report('choice-index', show(at));
      return;
    }
    const known = choices.get(at);
    const choice = known ?? newChoice();
    if (!known) choices.set(at, choice);
    if (choice.finish !== undefined) report('after-finish', show(value));
    if (isObject(delta)) addDelta(choice, delta, known === undefined);
    else report('delta-object', show(delta));
    if (typeof finish === 'string') {
      choice.finish = finish;
      choice.finishedAt = index;
    } else if (finish !== null) report('finish-field', show(finish));
  }

  return {
    add: addChoice,
    /** The number of choices that have come. */
    count: () => choices.size,
    /** Whether a choice has not told yet why it stopped. */
    hasOpen: () => [...choices.values()].some(({ finish }) => finish === undefined),
    /**
     * Checks the choices against their ends.
     * @param wasDone whether the stream has ended in its own way, without an error.
     * @param forced whether the caller named the tool to call.
     * @param sayAt reports a violation in the event with this number.
     */
    end(wasDone: boolean, forced: boolean, sayAt: (rule: Rule, index: number, detail: string) => void): void {
      for (const [at, choice] of choices) {
        if (at >= choices.size) report('choice-index', `${at} of ${choices.size} choices`);
        if (choice.finish !== undefined) {
          const { finish, finishedAt, legacy, legacyText } = choice;
          const calls = [...choice.calls.values()].filter((call) => !call.custom).map((call) => call.text);
          if (legacy) calls.push(legacyText);
          const end = { finish, calls, callCount: choice.calls.size, legacy, forced };
          checkChoiceEnd(end, (rule, detail) => sayAt(rule, finishedAt, detail));
        } else if (wasDone) report('finish-missing', `choice ${at}`);
      }
    },
  };
}

function newChoice(): Choice {
  return { calls: new Map(), legacy: false, legacyText: '', finish: undefined, finishedAt: -1 };
}
