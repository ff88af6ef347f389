/**
 * Custom tools (OpenAI's, which take free text instead of JSON) for vendors that have only functions: each becomes a
 * function with one string field, `input`. An outbound half that renders custom tools so also fuses `unwrapCustomCalls`
 * behind its parser, so callers never see the wrapping. To unwrap a call twice changes nothing.
 */

import { asObject, asText, type JsonObject } from '../../lib/json.ts';
import { fuse, type Sink, type Step } from '../../streams/step.ts';
import type { CustomTool, FunctionTool, Prompt, Tool, ToolCallPart } from '../prompt.ts';
import type { PartEnd, PartStart, ReplyEvent } from '../reply.ts';
import { argumentsObject } from './arguments.ts';

/** The grammar that a custom tool's text must follow. */
export interface Grammar {
  /** `lark` or `regex`. */
  readonly syntax: string;
  readonly definition: string;
}

/**
 * The grammar of a custom tool, as responses writes it (`{type, syntax, definition}`) or as chat-completions does
 * (`{type, grammar: {syntax, definition}}`); undefined if the tool has none.
 */
export function findGrammar(tool: CustomTool): Grammar | undefined {
  const fields = asObject(tool.format?.['grammar']) ?? tool.format;
  const definition = asText(fields?.['definition']);
  return definition === undefined ? undefined : { syntax: asText(fields?.['syntax']) ?? 'lark', definition };
}

/** The names of the custom tools among `tools`. */
export function getCustomNames(tools: readonly Tool[] = []): ReadonlySet<string> {
  return new Set(tools.flatMap((tool) => (tool.kind === 'custom' ? [tool.name] : [])));
}

/** A custom tool as a function with one string field. Its description contains the grammar. */
export function asFunctionTool(tool: CustomTool): FunctionTool {
  const grammar = findGrammar(tool);
  const rule = grammar && `The input must match this ${grammar.syntax} grammar:\n${grammar.definition}`;
  const description = [tool.description, rule].filter((text) => text).join('\n\n');
  return {
    kind: 'function',
    name: tool.name,
    ...(description !== '' && { description }),
    parameters: PARAMETERS,
    ...(tool.formatSpecific && { formatSpecific: tool.formatSpecific }),
    ...(tool.unknownFields && { unknownFields: tool.unknownFields }),
  };
}

/** A custom call of the dialogue as a call of the function that `asFunctionTool` makes; any other call as it is. */
export function asFunctionCall(call: ToolCallPart): ToolCallPart {
  if (!call.custom) return call;
  const { custom: _, ...rest } = call;
  return { ...rest, arguments: JSON.stringify({ input: call.arguments }) };
}

/** The free text in a call's JSON arguments. If the model wrote another shape, the text is what it wrote. */
export function unwrapInput(argumentsText: string): string {
  const input = asText(argumentsObject(argumentsText)['input']);
  return input ?? (argumentsText === '{}' ? '' : argumentsText);
}

/**
 * A step that turns calls of functions that stand for custom tools of `prompt` back into custom calls. It holds the
 * arguments of such a call until its end, since JSON text means nothing before it is whole. Everything else passes at
 * once.
 */
export function unwrapCustomCalls(prompt: Pick<Prompt, 'tools'>): Step<ReplyEvent, ReplyEvent> {
  return new CallUnwrapper(getCustomNames(prompt.tools));
}

class CallUnwrapper implements Step<ReplyEvent, ReplyEvent> {
  readonly #names: ReadonlySet<string>;
  /** The arguments so far of each choice's open call, if it is to be unwrapped. */
  readonly #held = new Map<number, string>();

  constructor(names: ReadonlySet<string>) {
    this.#names = names;
  }

  transform(event: ReplyEvent, out: Sink<ReplyEvent>): void {
    const wrapped = event.type === 'part-delta' ? this.#held.get(event.choice) : undefined;
    if (event.type === 'part-start') out.enqueue(this.#open(event));
    else if (event.type === 'part-end') this.#close(event, out);
    else if (event.type !== 'part-delta' || wrapped === undefined) out.enqueue(event);
    else this.#held.set(event.choice, wrapped + event.text);
  }

  #open(event: PartStart): PartStart {
    const { part } = event;
    if (part.kind !== 'tool-call' || part.custom || !this.#names.has(part.name)) return event;
    this.#held.set(event.choice, '');
    return { ...event, part: { ...part, custom: true } };
  }

  #close(event: PartEnd, out: Sink<ReplyEvent>): void {
    const wrapped = this.#held.get(event.choice);
    this.#held.delete(event.choice);
    const text = wrapped === undefined ? '' : unwrapInput(wrapped);
    const { choice, index } = event;
    if (text !== '') out.enqueue({ type: 'part-delta', choice, index, text });
    out.enqueue(event);
  }
}

/** A parser that emits custom calls unwrapped; the parser itself if `prompt` has no custom tool. */
export function withCustomCalls<I>(
  parser: Step<I, ReplyEvent>,
  prompt: Pick<Prompt, 'tools'>,
): Step<I, ReplyEvent> {
  const custom = prompt.tools?.some((tool) => tool.kind === 'custom');
  return custom ? fuse(parser, unwrapCustomCalls(prompt)) : parser;
}

const PARAMETERS: JsonObject = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The whole input of the tool, as free text.' } },
  required: ['input'],
  additionalProperties: false,
};
