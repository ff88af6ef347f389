/** Chooses the reader for an output item. */

import type { Tool } from '../../../conversation/prompt.ts';
import { asText, type JsonObject } from '../../../lib/json.ts';
import { changedNames } from '../../safe-names.ts';
import { findNamespacedNames, qualifyName } from '../wire/namespaces.ts';
import { toOpaquePart } from '../wire/whole-items.ts';
import type { ItemReader } from './item-reader.ts';
import { CallReader } from './parse-call.ts';
import { TextItemReader } from './parse-message.ts';
import type { PartWriter } from './part-writer.ts';
import { safeName } from './tool-names.ts';

/** Makes the reader of an item. @param at its place in the output; @param item what is known of it when it is added */
export type MakeReader = (at: number, item: JsonObject) => ItemReader;

/** How to read the items of one answer. @param tools those of the prompt. */
export function itemReaders(parts: PartWriter, tools: readonly Tool[] = []): MakeReader {
  const names = findOtherNames(tools);
  // A model that has custom tools may get the name of one wrong, and is to be told so.
  const callsOnlyKnown =
    tools.some(({ kind }) => kind === 'hosted') || tools.every(({ kind }) => kind !== 'custom');
  const isKnown = (name: string): boolean =>
    names.has(name) || tools.some((tool) => tool.kind !== 'hosted' && tool.name === name);
  return (at, item) => {
    switch (item['type']) {
      case 'message':
      case 'reasoning':
        return new TextItemReader(at, item, parts);
      case 'function_call':
        return new CallReader(at, item, parts, names);
      case 'custom_tool_call':
        // xAI shows the searches that it runs itself as custom calls. The caller must not answer those, and clients of
        // chat-completions that know functions only fail on them (the AI SDK: each call has a `function`).
        return callsOnlyKnown && !isKnown(asText(item['name']) ?? '')
          ? opaqueReader(parts)
          : new CallReader(at, item, parts, names);
      default:
        return opaqueReader(parts);
    }
  };
}

/** The prompt's names of the tools that go by others. */
function findOtherNames(tools: readonly Tool[]): ReadonlyMap<string, string> {
  const changed = changedNames(tools, safeName);
  const namespaced = findNamespacedNames(tools);
  if (namespaced.size === 0) return changed;
  // A tool in a namespace may go by another name than the joined one.
  return new Map([
    ...changed,
    ...Array.from(namespaced, ([name, member]) => [qualifyName(member), name] as const),
  ]);
}

/** Reads an item that only this format understands, such as a hosted tool: as a whole, once it is done. */
function opaqueReader(parts: PartWriter): ItemReader {
  return {
    read() {},
    done(item) {
      parts.start(toOpaquePart(item));
      parts.end();
    },
  };
}
