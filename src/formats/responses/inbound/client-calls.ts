/**
 * Calls of the tools that the caller runs (`client-tools.ts`): OpenAI has an item for each, and other models call a
 * function. What such a model writes may be anything; the item is one that the caller's code can read all the same, and
 * that does nothing: it has no command, or a diff for no file. The caller's code says so, and the dialogue goes on.
 */

import type { Tool } from '../../../conversation/prompt.ts';
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

export interface ClientCall {
  /** The item's `type`. */
  readonly item: string;
  /** What the item's id begins with. */
  readonly prefix: string;
  /** The item's field for what is to be done. */
  readonly field: 'action' | 'operation';
  /** Other fields that are always the same. */
  readonly beside?: JsonObject;
  /** The item's `status` where the answer ended before the call did. */
  readonly cut: 'incomplete' | 'in_progress';
  /** What is to be done, from the arguments of the function, `written` by a model. */
  readonly read: (args: JsonObject, written: string) => JsonObject;
  /** As much of it as is told when the item is added to a stream. */
  readonly begun: (action: JsonObject) => JsonObject;
}

const SHELL: ClientCall = {
  item: 'shell_call',
  prefix: 'sh_',
  field: 'action',
  beside: { environment: { type: 'local' } },
  cut: 'incomplete',
  read: ({ commands, max_output_length, timeout_ms }) => ({
    commands: textsOf(commands),
    max_output_length: naturalOf(max_output_length) ?? null,
    timeout_ms: naturalOf(timeout_ms) ?? null,
  }),
  begun: () => ({ commands: [], max_output_length: null, timeout_ms: null }),
};

const LOCAL_SHELL: ClientCall = {
  item: 'local_shell_call',
  prefix: 'lsh_',
  field: 'action',
  cut: 'incomplete',
  read: ({ command, env, timeout_ms, user, working_directory }) =>
    compact({
      type: 'exec',
      command: textsOf(command),
      env: textFields(env),
      timeout_ms: naturalOf(timeout_ms),
      user: asText(user),
      working_directory: asText(working_directory),
    }),
  begun: () => ({ type: 'exec', command: [], env: {} }),
};

const APPLY_PATCH: ClientCall = {
  item: 'apply_patch_call',
  prefix: 'apc_',
  field: 'operation',
  // It is completed or not: the types have no third word.
  cut: 'in_progress',
  read({ type, path, diff }, written) {
    if (typeof path === 'string') {
      if (type === 'delete_file') return { type, path };
      if ((type === 'create_file' || type === 'update_file') && typeof diff === 'string') {
        return { type, path, diff };
      }
    }
    // What fits no operation is one that fails: no file is without a name, and JSON is no diff.
    return { type: 'update_file', path: '', diff: written };
  },
  // Clients read here already what is done to which file.
  begun: (operation) => ({ ...operation, ...(operation['diff'] !== undefined && { diff: '' }) }),
};

/** By the names of the functions. */
export const CLIENT_CALLS: ReadonlyMap<string, ClientCall> = new Map([
  ['shell', SHELL],
  ['local_shell', LOCAL_SHELL],
  ['apply_patch', APPLY_PATCH],
]);

/** Those of a prompt's tools, by the names of the functions. */
export function clientCalls(tools: readonly Tool[] = []): ReadonlyMap<string, ClientCall> {
  return new Map(
    tools.filter(isClientTool).flatMap(({ name }) => {
      const call = CLIENT_CALLS.get(name);
      return call === undefined ? [] : [[name, call]];
    }),
  );
}

/** What is to be done, whatever a model wrote. */
export function actionOf(call: ClientCall, written: string): JsonObject {
  return call.read(asObject(tryParseBounded(written)) ?? {}, written);
}

/** What is to be done, as the arguments of the function. */
export function argumentsOf(action: JsonObject): string {
  const { type, ...rest } = withoutNulls(action);
  return JSON.stringify(type === 'exec' ? rest : { ...(type !== undefined && { type }), ...rest });
}

/** A list of texts, or one text alone; nothing of a list with anything else in it, for half of it says another thing. */
function textsOf(value: Json | undefined): readonly string[] {
  const list = typeof value === 'string' ? [value] : asList(value);
  const texts = list.filter((one) => typeof one === 'string');
  return texts.length === list.length ? texts : [];
}

/** A whole number from 0 on. */
function naturalOf(value: Json | undefined): number | undefined {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined;
}

function textFields(value: Json | undefined): JsonObject {
  return Object.fromEntries(
    Object.entries(asObject(value) ?? {}).filter(([, one]) => typeof one === 'string'),
  );
}
