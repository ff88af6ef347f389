/** An output item by its kind. */

import type { Tool } from '../../../conversation/prompt.ts';
import { asText, type JsonObject } from '../../../lib/json.ts';
import { changedNames } from '../../safe-names.ts';
import type { ItemReader } from './item-reader.ts';
import { callReader } from './parse-call.ts';
import { spokenReader } from './parse-message.ts';
import type { PartWriter } from './part-writer.ts';
import { safeName } from './tool-names.ts';

/** A reader for each item of an answer to a prompt with these tools. */
export function itemReaders(
  parts: PartWriter,
  tools: readonly Tool[] = [],
): (at: number, item: JsonObject) => ItemReader {
  const names = changedNames(tools, safeName);
  const hosted = tools.some((tool) => tool.kind === 'hosted');
  const isKnown = (name: string): boolean =>
    names.has(name) || tools.some((tool) => tool.kind !== 'hosted' && tool.name === name);
  /** xAI shows the searches it runs itself as custom calls: nobody should answer them. */
  const isOurs = (item: JsonObject): boolean => !hosted || isKnown(asText(item['name']) ?? '');

  return (at, item) => {
    switch (item['type']) {
      case 'message':
      case 'reasoning':
        return spokenReader(at, item, parts);
      case 'function_call':
        return callReader(at, item, parts, names);
      case 'custom_tool_call':
        return isOurs(item) ? callReader(at, item, parts, names) : opaqueReader(parts);
      default:
        return opaqueReader(parts);
    }
  };
}

/** Hosted tools and whatever else only this format can read: whole, once it is. */
function opaqueReader(parts: PartWriter): ItemReader {
  return {
    read() {},
    done(item) {
      parts.start({ kind: 'opaque', format: 'responses', value: item });
      parts.end();
    },
  };
}
