/**
 * Joins calls of earlier answers whose arguments came in pieces (Vertex AI, `streamFunctionCallArguments`), and that a
 * caller sends back as they came: a part with the name, parts with `partialArgs` and no name, and an empty one at the
 * end, in one content or, with the chats of Google's SDKs, each in a content of its own.
 */

import { parseExact } from '../../../conversation/rules/arguments.ts';
import { invalid } from '../../../lib/errors.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { asObject, isEmpty, isList, isObject } from '../../../lib/json.ts';
import { PartialArgs } from '../wire/partial-args.ts';
import { camelCase, repeatedField, repeatedObjects } from '../wire/protobuf-json.ts';
import { CALL_OWN, sortFields } from './sort-fields.ts';

/** A call that is not over. */
interface OpenCall {
  readonly args: PartialArgs;
  /** Puts the arguments into the part that the call began with. */
  close(): void;
}

/**
 * The contents, in which each call is one part and has all of its arguments in `args`.
 * @param contents as the caller wrote them. They are not changed.
 * @throws GatewayError `invalid-request` for an argument that has no place in its call.
 */
export function joinPartialCalls(contents: readonly Json[]): readonly Json[] {
  if (!contents.some(holdsPiece)) return contents;
  let open: OpenCall | undefined;
  /** Adds a part to `kept`, unless it is a piece of the open call. */
  const add = (part: Json, kept: Json[], param: string): void => {
    const call = findCall(part);
    const { known, extra } = sortFields(call ?? {}, CALL_OWN);
    const isPiece = open !== undefined && call !== undefined && !('name' in extra);
    if (!isPiece) {
      open?.close();
      open = undefined;
      if (call === undefined || Object.keys(known).length === 0) return void kept.push(part);
      open = openCall(kept, part, extra, `${param}.functionCall.partialArgs`);
    }
    for (const piece of repeatedObjects(known['partialArgs'])) open?.args.add(inCamelCase(piece));
    if (known['willContinue'] === true) return;
    open?.close();
    open = undefined;
  };
  const joined = contents.flatMap((content, at): readonly Json[] => {
    const name = findPartsOfModel(content);
    if (name === undefined || !isObject(content)) {
      open?.close();
      open = undefined;
      return [content];
    }
    const kept: Json[] = [];
    const parts = repeatedField(content[name]);
    for (const [index, part] of parts.entries()) add(part, kept, `contents[${at}].parts[${index}]`);
    // A content of nothing but pieces is gone.
    return kept.length > 0 || parts.length === 0 ? [{ ...content, [name]: kept }] : [];
  });
  open?.close();
  return joined;
}

/** Adds the part that a call begins with. @param call the fields of the call, without its pieces. */
function openCall(kept: Json[], part: Json, call: JsonObject, param: string): OpenCall {
  const place = kept.push(part) - 1;
  const around = Object.entries(asObject(part) ?? {}).filter(([name]) => camelCase(name) !== 'functionCall');
  const args = new PartialArgs(() =>
    invalid(`Invalid value at '${param}': an argument has no place in its call.`, param),
  );
  return {
    args,
    close() {
      const { args: given, ...others } = call;
      // A caller that has put the arguments together may keep the pieces beside them.
      const whole = isObject(given) && !isEmpty(given) ? given : parseExact(args.text());
      kept[place] = { ...Object.fromEntries(around), functionCall: { ...others, args: whole } };
    },
  };
}

const PART: ReadonlySet<string> = new Set(['functionCall']);

/** Whether a content of the model's holds a call, or a piece of one, that came in pieces. */
function holdsPiece(content: Json): boolean {
  const name = findPartsOfModel(content);
  if (name === undefined || !isObject(content)) return false;
  const parts = content[name];
  return isList(parts) ? parts.some(isPiece) : isPiece(parts);
}

function isPiece(part: Json | undefined): boolean {
  if (!isObject(part)) return false;
  for (const key in part) {
    const call = part[key];
    if (!isObject(call) || camelCase(key) !== 'functionCall') continue;
    for (const field in call) if (call[field] !== null && CALL_OWN.has(camelCase(field))) return true;
  }
  return false;
}

function findPartsOfModel(content: Json): string | undefined {
  if (!isObject(content) || content['role'] !== 'model') return undefined;
  for (const name in content) if (camelCase(name) === 'parts') return name;
  return undefined;
}

function findCall(part: Json): JsonObject | undefined {
  return isObject(part) ? asObject(sortFields(part, PART).known['functionCall']) : undefined;
}

function inCamelCase(piece: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(piece).map(([name, value]) => [camelCase(name), value]));
}
