/** Kinds and values of a request that Google refuses, and that no other vendor would see. */

import type { Prompt } from '../../../conversation/prompt.ts';
import { findMissingChoice } from '../../../conversation/rules/allowed-tools.ts';
import { type GatewayError, invalid } from '../../../lib/errors.ts';
import { asObject, asObjects, asText, isObject, type Json, type JsonObject } from '../../../lib/json.ts';
import { camelCase } from '../wire/camel-case.ts';
import { repeatedField } from '../wire/repeated-field.ts';
import { PART_FIELDS, PART_OPAQUE, PART_OWN, sortFields } from './sort-fields.ts';

/** The types of an answer that the API lists in its own error for any other. */
const MIME_TYPES = ['text/plain', 'application/json', 'application/xml', 'application/yaml', 'text/x.enum'];

const DATA: readonly string[] = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  ...PART_OPAQUE,
];
const PART: readonly string[] = [...PART_FIELDS, ...PART_OPAQUE, ...PART_OWN];

/** @see Inbound.refuseUnknown */
export function refuseUnknown(body: JsonObject, prompt: Prompt): void {
  const { known } = sortFields(body, ['contents', 'systemInstruction', 'tools', 'generationConfig']);
  const { systemInstruction } = known;
  const [other] = Object.keys(sortFields(asObject(systemInstruction) ?? {}, ['parts', 'role']).extra);
  if (other !== undefined) throw unknownField(`systemInstruction.${other}`);
  refuseUnknownParts(systemInstruction, 'systemInstruction');
  for (const [at, content] of repeatedField(known['contents']).entries())
    refuseUnknownParts(content, `contents[${at}]`);
  refuseRepeated(known['tools']);
  const missing = findMissingChoice(prompt);
  if (missing !== undefined) {
    throw invalid(
      `Function calling config is set with allowed_function_names that are not declared: ${missing.slice(0, 64)}`,
      'toolConfig.functionCallingConfig.allowedFunctionNames',
    );
  }
  const config = sortFields(asObject(known['generationConfig']) ?? {}, ['responseMimeType']);
  const mimeType = asText(config.known['responseMimeType']);
  if (mimeType && !MIME_TYPES.includes(mimeType)) {
    throw invalid(
      `* GenerateContentRequest.generation_config.response_mime_type: allowed mimetypes are ${MIME_TYPES.map((type) => `\`${type}\``).join(', ')}.`,
      'generationConfig.responseMimeType',
    );
  }
}

/** Refuses a part that holds nothing but what nobody knows. Other unknown fields are passed on beside its data. */
function refuseUnknownParts(content: Json | undefined, at: string): void {
  if (!isObject(content)) return;
  const parts = repeatedField(sortFields(content, ['parts']).known['parts']);
  for (const [index, part] of parts.entries()) {
    const names = isObject(part) ? Object.keys(part) : [];
    if (names.some((name) => DATA.includes(camelCase(name)))) continue;
    const unknown = names.find((name) => !PART.includes(camelCase(name)));
    if (unknown !== undefined) throw unknownField(`${at}.parts[${index}].${unknown}`);
  }
}

function refuseRepeated(tools: Json | undefined): void {
  const seen = new Set<string>();
  for (const entry of asObjects(repeatedField(tools))) {
    const { known } = sortFields(entry, ['functionDeclarations']);
    for (const { name } of asObjects(repeatedField(known['functionDeclarations']))) {
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
  const place = names.map((part) => part.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  return invalid(
    `Invalid JSON payload received. Unknown name "${name.slice(0, 64)}" at '${place.join('.')}': Cannot find field.`,
    path,
  );
}

/** @see Inbound.unknownTool. Here the name of a tool is a field. */
export function unknownTool(at: number, type: string): GatewayError {
  return unknownField(`tools[${at}].${type}`);
}
