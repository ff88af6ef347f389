/** Chooses the reader for an output item. */

import type { Tool } from '../../../conversation/prompt.ts';
import { asText, type JsonObject } from '../../../lib/json.ts';
import { changedNames } from '../../safe-names.ts';
import { findNamespacedNames, qualifyName } from '../wire/namespaces.ts';
import type { ItemReader } from './item-reader.ts';
import { callReader } from './parse-call.ts';
import { textItemReader } from './parse-message.ts';
import type { PartWriter } from './part-writer.ts';
import { safeName } from './tool-names.ts';

/** Makes the reader of an item. @param at its place in the output; @param item what is known of it when it is added */
export type CreateItemReader = (at: number, item: JsonObject) => ItemReader;

/** Makes readers for the items of an answer to a prompt with these tools. */
export function itemReaders(parts: PartWriter, tools: readonly Tool[] = []): CreateItemReader {
  const changed = changedNames(tools, safeName);
  const namespaced = findNamespacedNames(tools);
  const names =
    namespaced.size === 0
      ? changed
      : new Map([
          ...changed,
          // A tool in a namespace may go by another name than the joined one.
          ...[...namespaced].map(([name, member]) => [qualifyName(member), name] as const),
        ]);
  const hasHosted = tools.some((tool) => tool.kind === 'hosted');
  const isKnown = (name: string): boolean =>
    names.has(name) || tools.some((tool) => tool.kind !== 'hosted' && tool.name === name);
  /** xAI shows the searches that it runs itself as custom calls. The caller must not answer those. */
  const isForCaller = (item: JsonObject): boolean => !hasHosted || isKnown(asText(item['name']) ?? '');

  return (at, item) => {
    switch (item['type']) {
      case 'message':
      case 'reasoning':
        return textItemReader(at, item, parts);
      case 'function_call':
        return callReader(at, item, parts, names);
      case 'custom_tool_call':
        return isForCaller(item) ? callReader(at, item, parts, names) : opaqueReader(parts);
      default:
        return opaqueReader(parts);
    }
  };
}

/** Reads items that only this format understands, such as hosted tools: as a whole, once they are done. */
function opaqueReader(parts: PartWriter): ItemReader {
  return {
    read() {},
    done(item) {
      parts.start({ kind: 'opaque', format: 'responses', value: item });
      parts.end();
    },
  };
}
