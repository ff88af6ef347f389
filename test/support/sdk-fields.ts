/** The fields of a request that the vendors' SDKs know, as paths. */

import { FORMAT_NAMES, type FormatName } from '../../src/conversation/prompt.ts';
import { type Shape, shapeOf } from './sdk-types.ts';

/** The types of a request, by format: those of an answer, of a count and of a compaction. */
const TYPES: Readonly<Record<FormatName, readonly (readonly [module: string, type: string])[]>> = {
  'chat-completions': [['openai/resources/chat/completions/completions', 'ChatCompletionCreateParamsBase']],
  responses: [
    ['openai/resources/responses/responses', 'ResponseCreateParamsBase'],
    ['openai/resources/responses/responses', 'ResponseCompactParams'],
    ['openai/resources/responses/input-tokens', 'InputTokenCountParams'],
    ['openai/resources/beta/responses/responses', 'ResponseCreateParamsBase'],
    ['openai/resources/beta/responses/responses', 'ResponseCompactParams'],
    ['openai/resources/beta/responses/input-tokens', 'InputTokenCountParams'],
  ],
  messages: [
    ['@anthropic-ai/sdk/resources/messages/messages', 'MessageCreateParamsBase'],
    ['@anthropic-ai/sdk/resources/messages/messages', 'MessageCountTokensParams'],
    ['@anthropic-ai/sdk/resources/beta/messages/messages', 'MessageCreateParamsBase'],
    ['@anthropic-ai/sdk/resources/beta/messages/messages', 'MessageCountTokensParams'],
  ],
  'generate-content': [
    ['@google/genai/dist/genai', 'GenerateContentParameters'],
    ['@google/genai/dist/genai', 'CountTokensParameters'],
  ],
};

/** The dialogue: its content makes no requests, except for the tools that it brings along. */
export const DIALOGUES: ReadonlySet<string> = new Set([
  'messages',
  'input',
  'instructions',
  'system',
  'contents',
  'systemInstruction',
]);

/** Types that allow any field: a schema describes an answer or an argument. */
const OPEN_TYPES: ReadonlySet<string> = new Set(['Schema']);

/** Fields of Google's SDK that the SDK reads itself and does not send (`generateContentParametersToMldev`). */
const UNSENT =
  /^config\.(?:httpOptions|abortSignal|automaticFunctionCalling|automaticContinuation|mcpServers)\b/;

/**
 * Where Google's SDK puts what its callers write in `config`; everything not listed here goes into `generationConfig`.
 */
export const BESIDE: readonly string[] = [
  'systemInstruction',
  'tools',
  'toolConfig',
  'safetySettings',
  'labels',
  'cachedContent',
  'serviceTier',
  'modelArmorConfig',
  'continuationToken',
  'store',
  'outputConfig',
];

/** What the requests of a format may contain. */
export interface SdkFields {
  /**
   * Paths such as `tools.function.name`: lists are left out, and a path that ends in `.*` may hold anything. Sorted.
   */
  readonly fields: readonly string[];
  /** The `type` of tools. Sorted. */
  readonly tools: readonly string[];
}

/**
 * Collects all fields of the SDKs' types.
 * @param whole whether to include the fields of the dialogue; otherwise the dialogue may hold anything.
 */
export function sdkFields(whole: boolean): Readonly<Record<FormatName, SdkFields>> {
  const of = (format: FormatName): SdkFields => {
    const shapes = TYPES[format].map(([module, type]) => shapeOf(module, type));
    const found = new Set(shapes.flatMap((shape) => [...pathsOf(shape, '', whole)]));
    const sent = format === 'generate-content' ? [...found].flatMap((path) => asSent(path)) : [...found];
    const tools = shapes.flatMap((shape) =>
      fieldsOf(shape, 'tools').flatMap((field) => typesOf(field.shape())),
    );
    return { fields: [...new Set(sent)].toSorted(), tools: [...new Set(tools)].toSorted() };
  };
  return Object.fromEntries(FORMAT_NAMES.map((format) => [format, of(format)])) as Record<
    FormatName,
    SdkFields
  >;
}

function* pathsOf(
  shape: Shape,
  path: string,
  whole: boolean,
  within: readonly Shape[] = [],
): Generator<string> {
  if (shape.kind === 'value') return;
  if (shape.kind === 'any' || within.includes(shape)) {
    yield `${path}.*`;
  } else if (shape.kind === 'list') {
    yield* pathsOf(shape.item(), path, whole, within);
  } else if (shape.kind === 'union') {
    for (const member of shape.members) yield* pathsOf(member, path, whole, [...within, shape]);
  } else {
    if (shape.isOpen || OPEN_TYPES.has(shape.name)) yield `${path}.*`;
    for (const field of shape.fields) {
      const at = path === '' ? field.name : `${path}.${field.name}`;
      yield at;
      if (DIALOGUES.has(at.replace(/^config\./, '')) && !whole) yield `${at}.*`;
      else yield* pathsOf(field.shape(), at, whole, [...within, shape]);
    }
  }
}

/** Converts a path of Google's SDK to the path in the body. */
function asSent(path: string): readonly string[] {
  if (!path.startsWith('config')) return [path];
  if (UNSENT.test(path) || path === 'config') return [];
  const rest = path.slice('config.'.length);
  if (rest.startsWith('generationConfig')) return [rest];
  if (rest.startsWith('generationOutputConfig'))
    return [rest.replace('generationOutputConfig', 'outputConfig')];
  const [first = ''] = rest.split('.');
  return [BESIDE.includes(first) ? rest : `generationConfig.${rest}`];
}

function fieldsOf(shape: Shape, name: string): { readonly shape: () => Shape }[] {
  if (shape.kind === 'union') return shape.members.flatMap((member) => fieldsOf(member, name));
  return shape.kind === 'object' ? shape.fields.filter((field) => field.name === name) : [];
}

/** The values of `type` in the objects of a list. */
function typesOf(shape: Shape): string[] {
  if (shape.kind === 'list') return typesOf(shape.item());
  if (shape.kind === 'union') return shape.members.flatMap((member) => typesOf(member));
  if (shape.kind === 'value') return typeof shape.sample === 'string' ? [shape.sample] : [];
  return fieldsOf(shape, 'type').flatMap((field) => typesOf(field.shape()));
}
