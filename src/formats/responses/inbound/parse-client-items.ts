/** Calls of the tools that the caller runs (`client-calls.ts`) and their outputs, in a caller's history. */

import type { ToolCallPart, ToolResultPart } from '../../../conversation/prompt.ts';
import { asNumber, asObject, asText, type JsonObject } from '../../../lib/json.ts';
import { missing, objectAt, objectsAt, requiredText, textAt } from '../../openai/fields.ts';
import { isCallers } from '../wire/client-tools.ts';
import { argumentsOf, CLIENT_CALLS, type ClientCall } from './client-calls.ts';

/** The call or the result that an item is; undefined where it is of no tool that the caller runs. */
export type ClientItemReader = (item: JsonObject, path: string) => ToolCallPart | ToolResultPart | undefined;

/** @param names of the tools called so far, by the ids of the calls. */
export function clientItemReader(names: ReadonlyMap<string, string>): ClientItemReader {
  /** Calls of a shell in a container of OpenAI's, whose outputs are OpenAI's too. */
  const hosted = new Set<string>();
  /** Ids of calls, by those of their items: the types of `openai` give an output of a local shell no other. */
  const callIds = new Map<string, string>();

  const readCall = (name: string, call: ClientCall, item: JsonObject, path: string) => {
    const id = callIdOf(item, path);
    if (!isCallers(item['environment'])) {
      hosted.add(id);
      return undefined;
    }
    callIds.set(asText(item['id']) ?? id, id);
    const action = objectAt(item[call.field], `${path}.${call.field}`);
    if (action === undefined) throw missing(`${path}.${call.field}`);
    return { kind: 'tool-call', id, name, arguments: argumentsOf(action), shorthand: whole(item) } as const;
  };

  const readOutput = (item: JsonObject, path: string): ToolResultPart | undefined => {
    const told = callIdOf(item, path);
    if (hosted.has(told)) return undefined;
    const id = callIds.get(told) ?? told;
    const name = names.get(id);
    return {
      kind: 'tool-result',
      id,
      ...(name !== undefined && { name }),
      content: [{ kind: 'text', text: outputOf(item, path) }],
      ...(item['type'] === 'apply_patch_call_output' && item['status'] === 'failed' && { isError: true }),
      shorthand: whole(item),
    };
  };

  return (item, path) => {
    for (const [name, call] of CLIENT_CALLS) {
      if (item['type'] === call.item) return readCall(name, call, item, path);
      if (item['type'] === `${call.item}_output`) return readOutput(item, path);
    }
    return undefined;
  };
}

function callIdOf({ type, call_id, id }: JsonObject, path: string): string {
  const isOld = asText(type)?.startsWith('local_shell') === true;
  return requiredText(isOld ? (call_id ?? id) : call_id, `${path}.call_id`);
}

function outputOf({ type, output, status, max_output_length }: JsonObject, path: string): string {
  if (type === 'apply_patch_call_output') return textAt(output, `${path}.output`) ?? asText(status) ?? '';
  if (output === undefined || output === null) throw missing(`${path}.output`);
  if (type === 'local_shell_call_output') return requiredText(output, `${path}.output`);
  const commands = objectsAt(output, `${path}.output`);
  const most = (asNumber(max_output_length) ?? Number.POSITIVE_INFINITY) / commands.length;
  return commands.map(([one]) => commandOutput(one, most)).join('\n\n') || NOTHING_RAN;
}

const NOTHING_RAN = 'No command was run.';

/** As a terminal shows it, and how it ended. */
function commandOutput({ stdout, stderr, outcome }: JsonObject, most: number): string {
  const errors = asText(stderr)?.trimEnd();
  const written = [asText(stdout)?.trimEnd(), errors && `stderr:\n${errors}`];
  const shown = shortened(written.filter((text) => text).join('\n'), most);
  const { type, exit_code } = asObject(outcome) ?? {};
  const ending = type === 'timeout' ? 'timed out' : `exit code: ${asNumber(exit_code) ?? 'unknown'}`;
  return shown === '' ? ending : `${shown}\n${ending}`;
}

/**
 * The beginning and the end of `text`, where it is longer than `most`: callers give back all of it with the limit that
 * the model has set, and leave the cutting to OpenAI (guide "Shell", `max_output_length`).
 */
function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.max(0, Math.floor(most / 2));
  const left = text.length - 2 * half;
  return `${text.slice(0, half)}\n[${left} characters left out]\n${text.slice(text.length - half)}`.trim();
}

/** The item as it came, for this format. */
function whole(item: JsonObject) {
  return { format: 'responses', fields: item } as const;
}
