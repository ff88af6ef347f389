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

/** Makes readers for the items of one answer. */
export class ItemReaders {
  readonly #parts: PartWriter;
  readonly #tools: readonly Tool[];
  /** The prompt's names of the tools that go by others. */
  readonly #names: ReadonlyMap<string, string>;
  readonly #hasHosted: boolean;

  /** @param tools those of the prompt. */
  constructor(parts: PartWriter, tools: readonly Tool[] = []) {
    this.#parts = parts;
    this.#tools = tools;
    this.#hasHosted = tools.some((tool) => tool.kind === 'hosted');
    const changed = changedNames(tools, safeName);
    const namespaced = findNamespacedNames(tools);
    this.#names =
      namespaced.size === 0
        ? changed
        : new Map([
            ...changed,
            // A tool in a namespace may go by another name than the joined one.
            ...[...namespaced].map(([name, member]) => [qualifyName(member), name] as const),
          ]);
  }

  /** Makes the reader of an item. @param at its place in the output; @param item what is known of it when it is added */
  create(at: number, item: JsonObject): ItemReader {
    switch (item['type']) {
      case 'message':
      case 'reasoning':
        return new TextItemReader(at, item, this.#parts);
      case 'function_call':
        return new CallReader(at, item, this.#parts, this.#names);
      case 'custom_tool_call':
        return this.#isForCaller(item)
          ? new CallReader(at, item, this.#parts, this.#names)
          : opaqueReader(this.#parts);
      default:
        return opaqueReader(this.#parts);
    }
  }

  /** xAI shows the searches that it runs itself as custom calls. The caller must not answer those. */
  #isForCaller(item: JsonObject): boolean {
    return !this.#hasHosted || this.#isKnown(asText(item['name']) ?? '');
  }

  #isKnown(name: string): boolean {
    return this.#names.has(name) || this.#tools.some((tool) => tool.kind !== 'hosted' && tool.name === name);
  }
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
