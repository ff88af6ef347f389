/**
 * The ids of what an answer stores at its vendor, read as its bytes pass. They are read only where the vendor
 * alone can have put them: what a caller has sent comes back in other fields (`metadata`, `tools`), and must not make
 * anything the caller's own.
 */

import type { FormatName } from '../../conversation/prompt.ts';
import { concatBytes, textOfBytes } from '../../lib/bytes.ts';
import { asObject, asObjects, asText, type Json, type JsonObject } from '../../lib/json.ts';
import { tryParseBounded } from '../../lib/json-bounds.ts';
import { firstNonSpace, isStream } from '../../streams/first-non-space.ts';
import { decodeSse, type Sse } from '../../streams/sse.ts';
import type { Step } from '../../streams/step.ts';

/** The values where ids may be. */
type StoredReference = readonly (Json | undefined)[];

/** Receives ids. */
export type Bind = (ids: readonly string[]) => void;

/** The longest event that is read, in UTF-16 code units, and the longest non-streaming answer, in bytes. */
const MAX_LENGTH = 16 * 1024 * 1024;

/** Events that contain ids. The others, which are most, are not read. */
const BINDING_EVENTS =
  /^(?:response\.(?:created|completed|incomplete|failed|done|output_item\.(?:added|done)|output_text\.annotation\.added)|message_start|message_delta|content_block_start)$/;

/**
 * Makes the step that reads each piece of an answer before it passes it on unchanged.
 * @param isCalledStream whether the answer's head says that it is an event stream rather than one object.
 * @returns undefined for a format whose answers store nothing.
 */
export function bindStored(
  format: FormatName,
  isCalledStream: boolean,
  bind: Bind,
): Step<Uint8Array, Uint8Array> | undefined {
  if (format === 'generate-content') return undefined;
  let reading: Reading | undefined;
  return {
    transform(chunk, out) {
      const first = reading === undefined ? firstNonSpace(chunk) : undefined;
      if (first !== undefined)
        reading = isStream(first, isCalledStream) ? readEvents(format, bind) : readWhole(format, bind);
      reading?.read(chunk);
      out.enqueue(chunk);
    },
    flush: () => reading?.end(),
  };
}

interface Reading {
  read(chunk: Uint8Array): void;
  end(): void;
}

function readEvents(format: FormatName, bind: Bind): Reading {
  let decoder: Step<Uint8Array, Sse> | undefined = decodeSse(MAX_LENGTH);
  const isChat = format === 'chat-completions';
  const out = {
    enqueue({ event, data }: Sse) {
      // Nothing is parsed for the pieces of a text, which are nearly all events.
      if (isChat ? !data.includes('"audio"') : event !== undefined && !BINDING_EVENTS.test(event)) return;
      const said = objectIn(data);
      // Some services name an event in its data alone.
      const name = event ?? asText(said['type']) ?? '';
      if (isChat || BINDING_EVENTS.test(name)) bind(idsIn(format, said));
    },
  };
  return {
    read(chunk) {
      try {
        decoder?.transform(chunk, out);
      } catch {
        // The event is too long. The answer goes on, but what it stores from here on belongs to no key.
        decoder = undefined;
      }
    },
    end() {},
  };
}

function readWhole(format: FormatName, bind: Bind): Reading {
  const chunks: Uint8Array[] = [];
  let size = 0;
  return {
    read(chunk) {
      size += chunk.byteLength;
      // What a longer answer stores belongs to no key.
      if (size <= MAX_LENGTH) chunks.push(chunk);
      else chunks.length = 0;
    },
    end() {
      if (size <= MAX_LENGTH) bind(idsIn(format, objectIn(textOfBytes(concatBytes(chunks)))));
    },
  };
}

/** An object within bounds: an answer without any could cost any amount. */
function objectIn(text: string): JsonObject {
  return asObject(tryParseBounded(text)) ?? {};
}

function idsIn(format: FormatName, said: JsonObject): readonly string[] {
  const ids =
    format === 'responses' ? ofResponses(said) : format === 'messages' ? ofMessages(said) : ofChat(said);
  return ids.flatMap((id) => asText(id) ?? []);
}

/** The ids of a response, or of an event of one: of the response, its items, and the files that those have made. */
function ofResponses(said: JsonObject): StoredReference {
  const response = asObject(said['response']) ?? (said['object'] === 'response' ? said : {});
  const items = [...asObjects(response['output']), ...[asObject(said['item']) ?? []].flat()];
  const annotations = [asObject(said['annotation']) ?? []].flat();
  return [response['id'], ...items.flatMap(ofItem), ...annotations.flatMap(ofAnnotation)];
}

function ofItem(item: JsonObject): StoredReference {
  const annotations = asObjects(item['content']).flatMap((part) => asObjects(part['annotations']));
  const environment = asObject(item['environment']);
  return [
    item['id'],
    ...(item['type'] === 'code_interpreter_call' ? [item['container_id']] : []),
    ...(item['type'] === 'shell_call' ? [environment?.['container_id']] : []),
    ...annotations.flatMap(ofAnnotation),
  ];
}

function ofAnnotation(annotation: JsonObject): StoredReference {
  if (annotation['type'] !== 'container_file_citation') return [];
  return [annotation['container_id'], annotation['file_id']];
}

/**
 * The ids of a message, or of an event of one: of the message, its container, and the files that tools have made in it.
 */
function ofMessages(said: JsonObject): StoredReference {
  const message = asObject(said['message']) ?? said;
  const container = asObject(message['container']) ?? asObject(asObject(said['delta'])?.['container']);
  const blocks = [...asObjects(message['content']), ...[asObject(said['content_block']) ?? []].flat()];
  const outputs = blocks
    .filter(({ type }) => asText(type)?.endsWith('code_execution_tool_result') === true)
    .flatMap((block) => asObjects(asObject(block['content'])?.['content']));
  return [
    message['type'] === 'message' ? message['id'] : undefined,
    container?.['id'],
    ...outputs.map((output) => output['file_id']),
  ];
}

function ofChat(said: JsonObject): StoredReference {
  return asObjects(said['choices']).map(
    (choice) => asObject((asObject(choice['message']) ?? asObject(choice['delta']))?.['audio'])?.['id'],
  );
}
