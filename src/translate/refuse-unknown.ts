/**
 * Refuses what a request contains that its own vendor would refuse, before another vendor's model is asked. In a
 * translation it would be lost without a word. Unknown fields that a translation passes on are not refused here: the
 * vendor answers them itself.
 */

import type { FormatName, Prompt } from '../conversation/prompt.ts';
import type { Inbound } from '../formats/format.ts';
import { findRequests } from '../formats/generate-content/wire/counted-requests.ts';
import { asObjects, isList, isObject, type Json, type JsonObject } from '../lib/json.ts';
import { onDemand } from '../lib/on-demand.ts';
import { isResponsesBody } from './cursor/index.ts';
import { type KnownFields, knownFields, knownOfBoth, perFormat, toolTypes } from './known-fields.ts';

/** Objects whose own unknown fields are passed on (`Prompt.unknownFields`), by the callers' names. */
const PASSED_ON = [
  '',
  'tools',
  'tools.function',
  'tools.custom',
  'functions',
  'generationConfig',
  'generation_config',
  'tools.functionDeclarations',
  'tools.function_declarations',
];

/** What requests are checked by. */
interface Known {
  readonly root: KnownFields;
  /** The objects whose own unknown fields are passed on. */
  readonly passedOn: ReadonlySet<KnownFields>;
}

/** What is known of a format. The names of Google's tools are fields, which are not passed on. */
const knownIn = perFormat((format) =>
  withPassedOn(
    knownFields(format),
    PASSED_ON.filter((path) => format !== 'generate-content' || path !== 'tools'),
  ),
);

/** The same of a Responses body that comes to chat-completions. */
const ofBoth = onDemand(() => withPassedOn(knownOfBoth(), PASSED_ON));

function withPassedOn(root: KnownFields, paths: readonly string[]): Known {
  return { root, passedOn: new Set(findFields(root, paths)) };
}

function findFields(root: KnownFields, paths: readonly string[]): readonly KnownFields[] {
  return paths.flatMap((path) => {
    let at: KnownFields | undefined = root;
    for (const name of path === '' ? [] : path.split('.')) at = at?.fields.get(name);
    return at ?? [];
  });
}

/** Fields that are read, or passed on, with all that they hold: LiteLLM's and Vercel's, and their own services'. */
const UNCHECKED: ReadonlySet<string> = new Set(['extra_body', 'usage', 'plugins', 'providerOptions']);

/**
 * Checks a request that is translated to another format.
 * @param inbound the caller's half of `format`, which has parsed the body as `prompt`.
 * @throws GatewayError `invalid-request`, in the words of the caller's format.
 */
export function refuseUnknown(inbound: Inbound, format: FormatName, body: JsonObject, prompt: Prompt): void {
  const isResponses = format === 'chat-completions' && isResponsesBody(body);
  const all = isResponses ? ofBoth() : knownIn(format);
  // A count of Google's may hold a whole request.
  for (const request of format === 'generate-content' ? findRequests(body) : [body]) {
    const unknown = findUnknown(request, all.root, all);
    if (unknown !== undefined) throw inbound.unknownField(unknown);
    refuseUnknownTools(inbound, format, request);
    inbound.refuseUnknown(request, prompt);
  }
}

/**
 * Finds a field that is neither known nor passed on. Null is the same as absent.
 * @returns its path within the object.
 */
function findUnknown(object: JsonObject, known: KnownFields, all: Known): string | undefined {
  const { fields } = known;
  for (const name in object) {
    const value = object[name];
    if (value === null || value === undefined || (known === all.root && UNCHECKED.has(name))) continue;
    const within = fields.get(name);
    if (within === undefined && !all.passedOn.has(known)) return name;
    if (within === undefined || within.isOpen || typeof value !== 'object') continue;
    const found = findUnknownIn(isList(value) ? value : [value], within, all);
    if (found !== undefined) return `${name}.${found}`;
  }
  return undefined;
}

function findUnknownIn(values: readonly Json[], known: KnownFields, all: Known): string | undefined {
  for (const value of values) {
    // A long number keeps its spelling in an object of its own.
    const found = isObject(value) && !JSON.isRawJSON(value) ? findUnknown(value, known, all) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The types of tools without their versions. OpenAI's functions are read in every format. */
const knownTools = perFormat(
  (format) => new Set([...Array.from(toolTypes(format), withoutDate), 'function']),
);

function refuseUnknownTools(inbound: Inbound, format: FormatName, { tools }: JsonObject): void {
  if (inbound.unknownTool === undefined) return;
  for (const [at, { type }] of asObjects(tools).entries()) {
    if (isKnownTool(type, knownTools(format))) continue;
    throw inbound.unknownTool(at, String(type));
  }
}

/**
 * Any service's search is known by its name (Groq's `browser_search`, xAI's `live_search`), and what OpenRouter runs by
 * its own prefix.
 */
function isKnownTool(type: Json | undefined, types: ReadonlySet<string>): boolean {
  if (typeof type !== 'string') return true;
  return (
    types.has(withoutDate(type)) || /(?:web|browser|live)_search/.test(type) || type.startsWith('openrouter:')
  );
}

/** A type without its version: a new one of a known tool is known, too. */
function withoutDate(type: string): string {
  return type.replace(/_20\d{6}$/, '');
}
