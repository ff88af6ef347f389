/** Kinds and values of a request that Google refuses, and that no other vendor would see. */

import type { Prompt } from '../../../conversation/prompt.ts';
import { findMissingChoice } from '../../../conversation/rules/allowed-tools.ts';
import { type GatewayError, invalid } from '../../../lib/errors.ts';
import { asObject, asText, isObject, type Json, type JsonObject } from '../../../lib/json.ts';
import { itemPlace, type Place } from '../../../lib/place.ts';
import { camelCase, repeatedField, repeatedObjects, snakeCase } from '../wire/protobuf-json.ts';
import { CONTENT_FIELDS, PART_DATA, PART_FIELDS, PART_OPAQUE, PART_OWN, sortFields } from './sort-fields.ts';

/** The types of an answer that the API lists in its own error for any other. */
const MIME_TYPES = ['text/plain', 'application/json', 'application/xml', 'application/yaml', 'text/x.enum'];

const DATA: ReadonlySet<string> = new Set([...PART_DATA, ...PART_OPAQUE]);
const PART: ReadonlySet<string> = new Set([...PART_FIELDS, ...PART_OPAQUE, ...PART_OWN]);
const CHECKED: ReadonlySet<string> = new Set(['contents', 'systemInstruction', 'tools', 'generationConfig']);
const TOOL_FIELDS: ReadonlySet<string> = new Set(['functionDeclarations']);
const CONFIG_FIELDS: ReadonlySet<string> = new Set(['responseMimeType']);

/** @see Inbound.refuseUnknown */
export function refuseUnknown(body: JsonObject, prompt: Prompt): void {
  const { known } = sortFields(body, CHECKED);
  const { systemInstruction } = known;
  const [other] = Object.keys(sortFields(asObject(systemInstruction) ?? {}, CONTENT_FIELDS).extra);
  if (other !== undefined) throw unknownField(`systemInstruction.${other}`);
  refuseUnknownParts(systemInstruction, 'systemInstruction');
  const contents = repeatedField(known['contents']);
  for (let at = 0; at < contents.length; at++) refuseUnknownParts(contents[at], itemPlace('contents', at));
  refuseRepeated(known['tools']);
  const missing = findMissingChoice(prompt);
  if (missing !== undefined) {
    throw invalid(
      `Function calling config is set with allowed_function_names that are not declared: ${missing.slice(0, 64)}`,
      'toolConfig.functionCallingConfig.allowedFunctionNames',
    );
  }
  const config = sortFields(asObject(known['generationConfig']) ?? {}, CONFIG_FIELDS);
  const mimeType = asText(config.known['responseMimeType']);
  if (mimeType && !MIME_TYPES.includes(mimeType)) {
    throw invalid(
      `* GenerateContentRequest.generation_config.response_mime_type: allowed mimetypes are ${MIME_TYPES.map((type) => `\`${type}\``).join(', ')}.`,
      'generationConfig.responseMimeType',
    );
  }
}

/** Refuses a part in which no field is known. Other unknown fields are passed on beside its data. */
function refuseUnknownParts(content: Json | undefined, at: Place): void {
  if (!isObject(content)) return;
  for (const name in content) {
    if (camelCase(name) !== 'parts') continue;
    const parts = repeatedField(content[name]);
    for (let index = 0; index < parts.length; index++) {
      const unknown = findUnknown(parts[index]);
      if (unknown !== undefined) throw unknownField(`${at}.parts[${index}].${unknown}`);
    }
  }
}

/** The first unknown field of a part without data; undefined if there is none. */
function findUnknown(part: Json | undefined): string | undefined {
  if (!isObject(part)) return undefined;
  let unknown: string | undefined;
  for (const key in part) {
    const name = camelCase(key);
    if (DATA.has(name)) return undefined;
    if (!PART.has(name)) unknown ??= key;
  }
  return unknown;
}

function refuseRepeated(tools: Json | undefined): void {
  const seen = new Set<string>();
  for (const entry of repeatedObjects(tools)) {
    const { known } = sortFields(entry, TOOL_FIELDS);
    for (const { name } of repeatedObjects(known['functionDeclarations'])) {
      if (typeof name !== 'string') continue;
      if (seen.has(name))
        throw invalid(`Duplicate function declaration found: ${name.slice(0, 64)}`, 'tools');
      seen.add(name);
    }
  }
}

/** @see Inbound.unknownField */
export function unknownField(path: string): GatewayError {
  const names = path.split('.');
  const name = names.pop() ?? '';
  const place = names.map(snakeCase);
  return invalid(
    `Invalid JSON payload received. Unknown name "${name.slice(0, 64)}" at '${place.join('.')}': Cannot find field.`,
    path,
  );
}
