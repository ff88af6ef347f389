/**
 * Calls of the tools that the caller runs: OpenAI has an item for each, and other models call a function
 * (`client-tool-definitions.ts`). Such a model may write anything. The item is valid all the same, but does nothing: it
 * has no command, or a diff for no file. The caller's code reports that, and the conversation goes on.
 */

import type { Tool } from '../../../conversation/prompt.ts';
import { toolTable } from '../../../conversation/rules/tool-table.ts';
import {
  asList,
  asObject,
  asText,
  compact,
  type Json,
  type JsonObject,
  withoutNulls,
} from '../../../lib/json.ts';
import { tryParseBounded } from '../../../lib/json-bounds.ts';
import { isClientTool } from '../wire/client-tools.ts';
import type { EventWriter, Item, Place, Status } from './output-item.ts';

/** What is called an action here is the `operation` of `apply_patch`, too. */
export interface ClientCall {
  /** The item's `type`. */
  readonly item: string;
  /** How the item's id begins. */
  readonly prefix: string;
  /** The item's field for the action. */
  readonly field: 'action' | 'operation';
  /** Other fields, which are always the same. */
  readonly constants?: JsonObject;
  /** The item's `status` if the answer ended before the call did. */
  readonly cutStatus: 'incomplete' | 'in_progress';
  /** Parses the arguments of the function. @param written the text that the model wrote, of which `args` are parsed */
  readonly parse: (args: JsonObject, written: string) => JsonObject;
  /** Renders as much of the action as a stream shows when the item is added. */
  readonly renderAdded: (action: JsonObject) => JsonObject;
}

const SHELL: ClientCall = {
  item: 'shell_call',
  prefix: 'sh_',
  field: 'action',
  constants: { environment: { type: 'local' } },
  cutStatus: 'incomplete',
  parse: ({ commands, max_output_length, timeout_ms }) => ({
    commands: parseTexts(commands),
    max_output_length: parseNatural(max_output_length) ?? null,
    timeout_ms: parseNatural(timeout_ms) ?? null,
  }),
  renderAdded: () => ({ commands: [], max_output_length: null, timeout_ms: null }),
};

const LOCAL_SHELL: ClientCall = {
  item: 'local_shell_call',
  prefix: 'lsh_',
  field: 'action',
  cutStatus: 'incomplete',
  parse: ({ command, env, timeout_ms, user, working_directory }) =>
    compact({
      type: 'exec',
      command: parseTexts(command),
      env: parseTextFields(env),
      timeout_ms: parseNatural(timeout_ms),
      user: asText(user),
      working_directory: asText(working_directory),
    }),
  renderAdded: () => ({ type: 'exec', command: [], env: {} }),
};

const APPLY_PATCH: ClientCall = {
  item: 'apply_patch_call',
  prefix: 'apc_',
  field: 'operation',
  // The types know only `completed` and `in_progress`.
  cutStatus: 'in_progress',
  parse({ type, path, diff }, written) {
    if (typeof path === 'string') {
      if (type === 'delete_file') return { type, path };
      if ((type === 'create_file' || type === 'update_file') && typeof diff === 'string') {
        return { type, path, diff };
      }
    }
    // What fits no operation becomes one that fails: no file has an empty name, and JSON is no diff.
    return { type: 'update_file', path: '', diff: written };
  },
  // Clients read here already what happens to which file.
  renderAdded: (operation) => ({ ...operation, ...(operation['diff'] !== undefined && { diff: '' }) }),
};

/** All kinds of calls, by the names of the functions. */
export const CLIENT_CALLS: ReadonlyMap<string, ClientCall> = new Map([
  ['shell', SHELL],
  ['local_shell', LOCAL_SHELL],
  ['apply_patch', APPLY_PATCH],
]);

/** The kinds of calls for a prompt's tools, by the names of the functions. */
export function findClientCalls(tools: readonly Tool[] | undefined): ReadonlyMap<string, ClientCall> {
  return toolTable(tools, (tool) =>
    isClientTool(tool) ? CLIENT_CALLS.get(tool.givenName ?? tool.name) : undefined,
  );
}

/** Parses what a model wrote as the arguments of the function. Never throws. */
function parseAction(call: ClientCall, written: string): JsonObject {
  return call.parse(asObject(tryParseBounded(written)) ?? {}, written);
}

/** Renders an action as the arguments of the function, in JSON. */
export function renderArguments(action: JsonObject): string {
  const { type, ...rest } = withoutNulls(action);
  return JSON.stringify(type === 'exec' ? rest : { ...(type !== undefined && { type }), ...rest });
}

/** Parses a list of texts, or a single text. A list with anything else in it is empty: half of it means something else. */
function parseTexts(value: Json | undefined): readonly string[] {
  const list = typeof value === 'string' ? [value] : asList(value);
  const texts = list.filter((one) => typeof one === 'string');
  return texts.length === list.length ? texts : [];
}

/** Parses an integer of at least 0. */
function parseNatural(value: Json | undefined): number | undefined {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined;
}

function parseTextFields(value: Json | undefined): JsonObject {
  return Object.fromEntries(
    Object.entries(asObject(value) ?? {}).filter(([, one]) => typeof one === 'string'),
  );
}

/** The item of a call. It is added only when the call is complete: partial JSON text says nothing. */
export function clientCallItem(place: Place, callId: string, call: ClientCall, events: EventWriter): Item {
  let text = '';
  let action: JsonObject = {};
  const renderItem = (status: Status, shown: JsonObject): JsonObject => ({
    id: place.id,
    type: call.item,
    status,
    [call.field]: shown,
    call_id: callId,
    ...call.constants,
  });
  return {
    isLate: true,
    signed: 'after',
    delta(piece) {
      text += piece;
    },
    end() {
      const at = { output_index: place.index };
      action = parseAction(call, text);
      const item = renderItem('in_progress', call.renderAdded(action));
      events.write('response.output_item.added', { ...at, item });
      // The commands of a shell have events of their own (API reference, `response.shell_call_command`).
      for (const [index, command] of asList(action['commands']).entries()) {
        const event = 'response.shell_call_command';
        const which = { ...at, command_index: index };
        events.write(`${event}.added`, { ...which, command: '' });
        if (command !== '') events.write(`${event}.delta`, { ...which, delta: command });
        events.write(`${event}.done`, { ...which, command });
      }
    },
    render: (status) => renderItem(status === 'incomplete' ? call.cutStatus : status, action),
  };
}
