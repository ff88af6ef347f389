/** Format-specific fields when another format is written. */

import { findFormatFields } from '../conversation/format-specific.ts';
import type { FormatName, FormatSpecific } from '../conversation/prompt.ts';
import { asList, asText, isEmpty, isObject, type Json, type JsonObject } from '../lib/json.ts';
import { wordSet } from '../lib/words.ts';
import type { Report } from './format.ts';

/** What has the fields: the prompt itself, or something in its turns or tools. */
type Owner = 'own' | 'turns[]' | 'tools[]';

/** The fields of `own` if they belong to `format`; empty otherwise, and then they are reported as dropped. */
export function ownFields(
  own: FormatSpecific | undefined,
  format: FormatName,
  owner: Owner,
  report: Report,
): JsonObject {
  reportForeign(own, format, owner, report);
  return findFormatFields(own, format);
}

/** Reports fields of another format than `format` as dropped. */
export function reportForeign(
  own: FormatSpecific | undefined,
  format: FormatName,
  owner: Owner,
  report: Report,
): void {
  if (own === undefined || own.format === format) return;
  // Another format may have it, or another service of this one: `verbosity` is in both of OpenAI's.
  const detail = `part of ${own.format}, and not translated here`;
  for (const [field, value] of Object.entries(own.fields)) {
    for (const path of fieldPaths(`${owner}.${field}`, value)) report(path, 'dropped', detail);
  }
}

/** Objects of a request of which other formats have some fields, so that the others are reported one by one. */
const SHARED_OBJECTS = wordSet(`
  own.generationConfig own.metadata own.output_config own.output_config.format own.reasoning
  own.response_format own.response_format.json_schema own.stream_options own.text own.thinking
  own.toolConfig own.toolConfig.functionCallingConfig
`);

/** Fields that name the forms of an answer. */
const FORMS: ReadonlySet<string> = new Set(['own.modalities', 'own.generationConfig.responseModalities']);

/** Whether a field asks for nothing but text, which every model answers in. */
function asksForText(path: string, value: Json | undefined): boolean {
  return FORMS.has(path) && asList(value).every((form) => asText(form)?.toLowerCase() === 'text');
}

/** The paths of what a shared object holds; the path itself for anything else. */
function fieldPaths(path: `${Owner}.${string}`, value: Json | undefined): readonly `${Owner}.${string}`[] {
  if (asksForText(path, value)) return [];
  if (!SHARED_OBJECTS.has(path) || !isObject(value) || isEmpty(value)) return [path];
  return Object.entries(value).flatMap(([name, inner]) => fieldPaths(`${path}.${name}`, inner));
}

/** The fields without those whose value another field of the prompt has, which is reported by itself. */
export function withoutSaid(
  own: FormatSpecific | undefined,
  said: Readonly<Record<string, string | undefined>>,
): FormatSpecific | undefined {
  if (own === undefined) return undefined;
  const fields = Object.entries(own.fields).filter(
    ([name, value]) => value === undefined || value !== said[name],
  );
  return { ...own, fields: Object.fromEntries(fields) };
}
