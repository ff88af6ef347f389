/** Parses calls of the tools that the caller runs (`client-calls.ts`), and their outputs, in a caller's history. */

import type { ToolCallPart, ToolResultPart } from '../../../conversation/prompt.ts';
import { asNumber, asObject, asText, type JsonObject } from '../../../lib/json.ts';
import { fieldPlace, type Place } from '../../../lib/place.ts';
import { missing, objectAt, objectsAt, requiredText, textAt } from '../../openai/fields.ts';
import { CLIENT_CALLS, type ClientCall, renderArguments } from './client-calls.ts';
import { isLocal } from './client-tool-definitions.ts';

/**
 * Parses an item as a call or a result.
 * @returns undefined if the item is not about a tool that the caller runs.
 * @throws GatewayError `invalid-request` for a field that is missing or of a wrong type.
 */
export type ClientCallParser = (item: JsonObject, path: Place) => ToolCallPart | ToolResultPart | undefined;

/** Makes the parser for one history. @param names the names of the tools called so far, by the ids of the calls */
export function clientCallParser(names: ReadonlyMap<string, string>): ClientCallParser {
  /** Calls of a shell in a container of OpenAI's, whose outputs are OpenAI's too. */
  const hosted = new Set<string>();
  /** Ids of calls, by the ids of their items: the types of `openai` give the output of a local shell no other id. */
  const callIds = new Map<string, string>();

  const parseCall = (name: string, call: ClientCall, item: JsonObject, path: Place) => {
    const id = parseCallId(item, path);
    if (!isLocal(item['environment'])) {
      hosted.add(id);
      return undefined;
    }
    callIds.set(asText(item['id']) ?? id, id);
    const action = objectAt(item[call.field], `${path}.${call.field}`);
    if (action === undefined) throw missing(`${path}.${call.field}`);
    const shorthand = asShorthand(item);
    return { kind: 'tool-call', id, name, arguments: renderArguments(action), shorthand } as const;
  };

  const parseOutput = (item: JsonObject, path: Place): ToolResultPart | undefined => {
    const given = parseCallId(item, path);
    if (hosted.has(given)) return undefined;
    const id = callIds.get(given) ?? given;
    const name = names.get(id);
    return {
      kind: 'tool-result',
      id,
      ...(name !== undefined && { name }),
      content: [{ kind: 'text', text: parseClientOutput(item, path) }],
      ...(item['type'] === 'apply_patch_call_output' && item['status'] === 'failed' && { isError: true }),
      shorthand: asShorthand(item),
    };
  };

  return (item, path) => {
    for (const [name, call] of CLIENT_CALLS) {
      if (item['type'] === call.item) return parseCall(name, call, item, path);
      if (item['type'] === `${call.item}_output`) return parseOutput(item, path);
    }
    return undefined;
  };
}

function parseCallId({ type, call_id, id }: JsonObject, path: Place): string {
  const isLocalShell = asText(type)?.startsWith('local_shell') === true;
  return requiredText(isLocalShell ? (call_id ?? id) : call_id, fieldPlace(path, 'call_id'));
}

function asShorthand(item: JsonObject) {
  return { format: 'responses', fields: item } as const;
}

const NOTHING_RAN = 'No command was run.';

/**
 * Parses the output of a shell, a local shell or `apply_patch` as text. The output of a shell is cut to its
 * `max_output_length`, in characters.
 * @throws GatewayError `invalid-request` for an output that is missing or of a wrong type.
 */
function parseClientOutput(item: JsonObject, path: Place): string {
  const { type, output, status, max_output_length } = item;
  if (type === 'apply_patch_call_output')
    return textAt(output, fieldPlace(path, 'output')) ?? asText(status) ?? '';
  if (output === undefined || output === null) throw missing(fieldPlace(path, 'output'));
  if (type === 'local_shell_call_output') return requiredText(output, fieldPlace(path, 'output'));
  const commands = objectsAt(output, fieldPlace(path, 'output'));
  const limit = (asNumber(max_output_length) ?? Number.POSITIVE_INFINITY) / commands.length;
  return commands.map((one) => renderCommandOutput(one, limit)).join('\n\n') || NOTHING_RAN;
}

/** Renders the output of one command as a terminal shows it, and how the command ended. */
function renderCommandOutput({ stdout, stderr, outcome }: JsonObject, limit: number): string {
  const errors = asText(stderr)?.trimEnd();
  const written = [asText(stdout)?.trimEnd(), errors && `stderr:\n${errors}`];
  const shown = shorten(written.filter((text) => text).join('\n'), limit);
  const { type, exit_code } = asObject(outcome) ?? {};
  const ending = type === 'timeout' ? 'timed out' : `exit code: ${asNumber(exit_code) ?? 'unknown'}`;
  return shown === '' ? ending : `${shown}\n${ending}`;
}

/**
 * Keeps the beginning and the end of a text that is longer than `limit`. Callers send all of an output together with the
 * limit that the model has set, and leave the cutting to OpenAI (guide "Shell", `max_output_length`).
 */
function shorten(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const half = Math.max(0, Math.floor(limit / 2));
  const left = text.length - 2 * half;
  return `${text.slice(0, half)}\n[${left} characters left out]\n${text.slice(text.length - half)}`.trim();
}
