/**
 * What a refusal is about, by the fields and the words that it names. Services word the same refusal in many ways, so no
 * sentence is looked for: the name of a field is enough, and if there is none, a word on the subject.
 */

import type { Avoidance } from '../../conversation/rules/avoidance.ts';
import type { GatewayError } from '../../lib/errors.ts';
import { wordList } from '../../lib/words.ts';

/** One thing that a refusal may be about. */
interface Subject {
  readonly avoidance: Avoidance;
  /** Names of fields, in any of the four formats. */
  readonly fields: readonly string[];
  /** Words on the subject, for refusals that name no field. */
  readonly topic: RegExp;
  /** What the refusal must say besides; absent if its subject is enough. */
  readonly only?: RegExp;
  /** What the refusal must not say; absent if it may say anything. */
  readonly unless?: RegExp;
  /** Where it stands: in the turns of the dialogue alone, or there and among the settings. Absent: among the settings. */
  readonly place?: 'dialogue' | 'anywhere';
}

const SUBJECTS: readonly Subject[] = [
  {
    // DeepSeek: "must be passed back"; Moonshot: "thinking is enabled but reasoning_content is missing".
    avoidance: 'calls-without-thoughts',
    fields: ['reasoning_content'],
    topic: /reasoning.?content/i,
    only: /\bmust\b|missing|required|pass(?:ed)? back|expected|provide/i,
    unless: /unsupported|not supported|not permitted|unknown|unexpected|unrecognized|extra/i,
    place: 'dialogue',
  },
  {
    avoidance: 'thoughts',
    fields: wordList(`
      reasoning reasoning_content reasoning_details reasoning_text thinking_blocks thinking
      redacted_thinking thought thought_signature thoughtSignature signature encrypted_content
      extra_content
    `),
    topic: /reasoning|thinking|thoughts?\b|signature|encrypted/i,
    place: 'dialogue',
  },
  {
    avoidance: 'user-after-tool',
    fields: [],
    // Mistral's templates: "Unexpected role 'user' after role 'tool'", "roles must alternate".
    topic: /\broles?\b/i,
    only: /\b(?:after|alternat|order|follow|unexpected)/i,
    place: 'dialogue',
  },
  {
    avoidance: 'late-system',
    fields: [],
    topic: /\b(?:system|developer)\b/i,
    only: /\b(?:begin|start|first|only|position|top|role|order|precede|messages?)/i,
    place: 'dialogue',
  },
  {
    avoidance: 'unusual-call-ids',
    fields: ['tool_call_id', 'tool_use_id', 'call_id', 'tool_call_ids'],
    topic: /\bids?\b/i,
    place: 'dialogue',
  },
  {
    avoidance: 'loose-turns',
    fields: ['tool_result', 'tool_use', 'tool_calls', 'function_call', 'functionCall', 'functionResponse'],
    topic:
      /\b(?:empty|blank|non-?whitespace|alternat\w*|consecutive|immediately|preced\w+|follow\w*|without|no tool output)\b/i,
    place: 'dialogue',
  },
  {
    avoidance: 'thinking-setting',
    fields: wordList(`
      reasoning_effort reasoning thinking effort enable_thinking thinking_budget budget_tokens
      thinkingConfig thinking_config thinkingBudget thinking_level thinkingLevel reasoning_split
    `),
    topic: /reasoning|thinking|\beffort\b/i,
  },
  {
    avoidance: 'stream-options',
    fields: ['stream_options', 'include_usage'],
    topic: /stream.?options/i,
  },
  {
    avoidance: 'output-schema',
    fields: wordList(`
      json_schema response_format output_format responseSchema response_schema responseJsonSchema format
    `),
    // "Schema is too complex for compilation", "The compiled grammar is too large", "Grammar compilation timed out"
    // (Anthropic: anthropics/anthropic-sdk-python#1185, mozilla/bugbug#6234) is said of answers and of tools alike.
    topic: /json.?schema|response.?format|structured.?outputs?|output.?format|grammar|compil/i,
  },
  { avoidance: 'strict', fields: ['strict'], topic: /\bstrict\b|grammar|compil/i },
  { avoidance: 'parallel-calls', fields: ['parallel_tool_calls'], topic: /parallel/i },
  {
    avoidance: 'service-fields',
    fields: wordList(`
      prompt_cache_key cache_control service_tier tool_stream reasoning_split prompt_cache_breakpoint
    `),
    topic: /prompt.?cach|cache.?control|service.?tier/i,
    // Anthropic, which takes them: "cache_control cannot be set for empty text blocks", "A maximum of 4 blocks with …".
    unless: /cannot be set|a maximum of/i,
    place: 'anywhere',
  },
  {
    avoidance: 'limit-name',
    fields: ['max_tokens', 'max_completion_tokens'],
    topic: /max_(?:completion_)?tokens/i,
    only: /unsupported|not supported|unknown|unrecognized|unexpected|not permitted|instead/i,
  },
];

const OF_DIALOGUE: ReadonlySet<Avoidance> = new Set(
  SUBJECTS.filter(({ place }) => place === 'dialogue').map(({ avoidance }) => avoidance),
);

/** Whether an avoidance is about the turns of the dialogue, not about a setting. */
export function isOfDialogue(avoidance: Avoidance): boolean {
  return OF_DIALOGUE.has(avoidance);
}

/**
 * A place in the dialogue, as refusals name it: `messages[1].reasoning`, `body.messages.1.assistant`, `contents[2]`, or
 * OpenAI's "Item 'rs_1' of type 'reasoning'".
 */
const IN_DIALOGUE = /\b(?:messages|input|contents)\b\W{0,3}\d|\bitem '\w+' of type\b/i;

/** What a refusal may be about: what it names first, then what it only touches on. */
export interface RefusedSubjects {
  readonly named: readonly Avoidance[];
  readonly touched: readonly Avoidance[];
}

/**
 * Finds what a refusal may be about.
 * @param refusal a vendor's, of a request's content. Its message is short: `foreignText` cuts it.
 */
export function findSubjects(refusal: GatewayError): RefusedSubjects {
  const text = joinText(refusal);
  const words = new Set(wordsIn(text));
  const fitting = SUBJECTS.filter(
    ({ only, unless, place }) =>
      (only === undefined || only.test(text)) &&
      !unless?.test(text) &&
      (place !== undefined || !IN_DIALOGUE.test(text)),
  );
  // A vendor that demands thoughts is not helped by fewer of them.
  const isDemand = fitting.some(
    ({ avoidance, topic }) => avoidance === 'calls-without-thoughts' && topic.test(text),
  );
  const subjects = isDemand ? fitting.filter(({ avoidance }) => avoidance !== 'thoughts') : fitting;
  return {
    named: subjects
      .filter(({ fields }) => fields.some((field) => words.has(field)))
      .map(({ avoidance }) => avoidance),
    touched: subjects.filter(({ topic }) => topic.test(text)).map(({ avoidance }) => avoidance),
  };
}

/** Whether two refusals name the same: then the form of the request that was sent in between has not helped. */
export function isSameRefusal(one: GatewayError, other: GatewayError): boolean {
  const { named } = findSubjects(one);
  return named.length > 0 && named.join() === findSubjects(other).named.join();
}

/** Settings that only a caller makes. A refusal that names one is about what the caller asked for. */
const CALLERS_SETTINGS =
  /\b(?:temperature|top_?[pk]|top_logprobs|max_(?:output_|completion_)?tokens|max_tokens_to_sample|maxOutputTokens|stop_sequences|stopSequences|logprobs|(?:frequency|presence)_?penalty)\b/i;

/** The same, where they are words of every sentence: only as the name of the field. */
const CALLERS_FIELDS: ReadonlySet<string | undefined> = new Set(['model', 'n', 'seed', 'stop']);

/** Refusals of what is said, not of how it is written (OpenAI, Azure, Alibaba, DeepSeek, Volcengine, Anthropic, Google, xAI). */
const CONTENT =
  /content.?(?:filter|management)|moderation|flagged|\bpolic(?:y|ies)\b|inappropriate|sensitive|prohibited|\bsafety\b|data_?inspection|content exists risk|content violates/i;

/** Whether a refusal is about a setting that only the caller makes. No other form of the request mends it. */
export function isAboutSettings(refusal: GatewayError): boolean {
  return CALLERS_SETTINGS.test(joinText(refusal)) || CALLERS_FIELDS.has(refusal.param);
}

/** Whether a refusal names one of these fields. */
export function namesField(refusal: GatewayError, fields: readonly string[]): boolean {
  const words = new Set(wordsIn(joinText(refusal)));
  return fields.some((field) => words.has(field));
}

/** Whether a refusal is about what is said. It is the vendor's last word. */
export function isAboutContent(refusal: GatewayError): boolean {
  return CONTENT.test(joinText(refusal));
}

/**
 * Refusals of thoughts that belong to another account or to another beginning of the dialogue, or that are missing where a
 * round begins (Anthropic: "Expected `thinking` or `redacted_thinking`, but found `text`"). The next ones may be read.
 */
const OF_THIS_DIALOGUE =
  /signature|encrypt|decrypt|decod|verif|bound|issued|modified|identit|\bexpected .{0,3}thinking/i;

/** Whether a refusal is about this dialogue alone, so that nothing is learned from it about the next. */
export function isOfThisDialogue(refusal: GatewayError): boolean {
  return OF_THIS_DIALOGUE.test(joinText(refusal));
}

/** Avoidances of what a schema is written with. */
const OF_SCHEMAS: ReadonlySet<Avoidance> = new Set(['output-schema', 'strict']);

/**
 * Refusals of one schema, which say nothing about the next: OpenAI's "Invalid schema for response_format" (also of a
 * function), Anthropic's "Schema is too complex for compilation".
 */
const OF_THIS_SCHEMA =
  /invalid.?(?:json.?)?schema|schema\b.{0,20}\binvalid|in context|\.schema\b|too (?:complex|many|deep|large|long)|compil|nest(?:ing|ed)/i;

/** Whether a refusal is about the one schema that it was given, so that its avoidance is not learned for the next. */
export function isOfThisSchema(refusal: GatewayError, avoidance: Avoidance): boolean {
  return OF_SCHEMAS.has(avoidance) && OF_THIS_SCHEMA.test(joinText(refusal));
}

/** The words of a text that may be names of fields. */
function wordsIn(text: string): readonly string[] {
  return text.match(/[A-Za-z_]\w*/g) ?? [];
}

function joinText({ message, param, code }: GatewayError): string {
  return [param, code, message].filter((text) => text !== undefined).join(' ');
}
