/** Turns to input items. */

import { roundTripOf } from '../../../conversation/format-specific.ts';
import type {
  ContentPart,
  Part,
  ThinkingPart,
  ToolCallPart,
  ToolResultPart,
  Turn,
} from '../../../conversation/prompt.ts';
import { contentWithFailure } from '../../../conversation/rules/failed-result.ts';
import { asObject, isEmpty, type JsonObject } from '../../../lib/json.ts';
import { reportForeign } from '../../own-fields.ts';
import { originOf } from '../wire/format-specific.ts';
import { callersName } from '../wire/namespaces.ts';
import type { Scope } from './render-context.ts';
import { renderContent } from './render-parts.ts';
import { renderCarrier, renderThoughts } from './render-reasoning.ts';
import { safeCallId, safeName } from './tool-names.ts';

/** @throws GatewayError `invalid-request` for media that cannot be sent. */
export function renderItems(turns: readonly Turn[], scope: Scope): readonly JsonObject[] {
  const custom = new Set<string>();
  return turns.flatMap((turn, at) => {
    if (turn.name !== undefined)
      scope.report('turns[].name', 'dropped', 'input messages have no names of speakers');
    reportForeign(turn.formatSpecific, 'responses', 'turns[]', scope.report);
    const whole = asObject(roundTripOf(turn.formatSpecific, 'responses')['whole']);
    if (whole) return [whole];
    const next = scope.tellsPhases && turn.role === 'assistant' ? turns[at + 1] : undefined;
    return runsOf(turn.parts).flatMap((run, place, runs) => {
      const phase = next && (goesOn(runs.slice(place + 1), next) ? 'commentary' : 'final_answer');
      return renderRun(run, { turn, custom, phase }, scope);
    });
  });
}

/** Whether the assistant says or calls more in its turn. */
function goesOn(after: readonly Run[], next: Turn): boolean {
  const isMore = (run: Run): boolean =>
    run.kind === 'content' || (run.kind === 'item' && run.part.kind === 'tool-call');
  return next.role === 'assistant' || after.some(isMore);
}

/** The item that a call or a result is in this format alone. */
function shorthandOf({ shorthand }: ToolCallPart | ToolResultPart): JsonObject | undefined {
  return shorthand?.format === 'responses' ? shorthand.fields : undefined;
}

/** Parts that become one item, or a few of one kind. */
type Run =
  | { readonly kind: 'content'; readonly parts: ContentPart[] }
  | { readonly kind: 'thinking'; readonly parts: ThinkingPart[] }
  | { readonly kind: 'item'; readonly part: Exclude<Part, ContentPart | ThinkingPart> | Opaque };

type Opaque = Extract<Part, { kind: 'opaque' }>;

function runsOf(parts: readonly Part[]): readonly Run[] {
  const runs: Run[] = [];
  for (const part of parts) {
    const open = runs.at(-1);
    switch (part.kind) {
      case 'text':
      case 'refusal':
      case 'media':
        if (isSilent(part) && parts.length > 1) break;
        if (open?.kind === 'content' && isOfOneMessage(open.parts.at(-1), part)) open.parts.push(part);
        else runs.push({ kind: 'content', parts: [part] });
        break;
      case 'thinking':
        if (open?.kind === 'thinking') open.parts.push(part);
        else runs.push({ kind: 'thinking', parts: [part] });
        break;
      default:
        runs.push({ kind: 'item', part });
    }
  }
  return runs;
}

/** An empty text says nothing, but where this format wrote it or something is proved by it. */
function isSilent(part: Part): boolean {
  return part.kind === 'text' && part.text === '' && !part.formatSpecific && !part.signature;
}

/** A signature goes behind the text it is of, so nothing of the same message may follow it. */
function isOfOneMessage(before: Part | undefined, part: Part): boolean {
  return !before?.signature && originOf(before?.formatSpecific).at === originOf(part.formatSpecific).at;
}

/** Where a run stands. */
interface Place {
  readonly turn: Turn;
  /** Calls of custom tools so far, by their ids. */
  readonly custom: Set<string>;
  /** What a message of the assistant's was. */
  readonly phase: 'commentary' | 'final_answer' | undefined;
}

function renderRun(run: Run, place: Place, scope: Scope): readonly JsonObject[] {
  const { custom } = place;
  if (run.kind === 'thinking') return renderThoughts(run.parts, scope);
  if (run.kind === 'content') {
    const signed = run.parts.at(-1);
    return [...renderMessage(run.parts, place, scope), ...(signed ? renderCarrier(signed, 'p', scope) : [])];
  }
  const { part } = run;
  switch (part.kind) {
    case 'tool-call':
      if (part.custom) custom.add(part.id);
      return [...renderCarrier(part, 'c', scope), shorthandOf(part) ?? renderCall(part, scope)];
    case 'tool-result':
      return [shorthandOf(part) ?? renderResult(part, part.custom === true || custom.has(part.id), scope)];
    case 'opaque':
      if (part.format === 'responses') return [part.value];
      scope.report('turns[].content', 'dropped', `a block that only ${part.format} can read`);
      return [];
  }
}

function renderMessage(
  parts: readonly ContentPart[],
  { turn, phase }: Place,
  scope: Scope,
): readonly JsonObject[] {
  if (turn.role !== 'assistant') {
    const role = turn.role === 'user' ? 'user' : turn.developer ? 'developer' : 'system';
    const content = renderContent(parts, 'input', scope);
    return [{ ...turn.unknownFields, ...originOf(turn.formatSpecific).item, type: 'message', role, content }];
  }
  const shown = parts.filter((part) => part.kind === 'media');
  const said = shown.length === 0 ? parts : parts.filter((part) => part.kind !== 'media');
  const told = originOf(parts[0]?.formatSpecific).item ?? {};
  const items: JsonObject[] = [];
  if (said.length > 0) {
    const content = renderContent(said, 'output', scope);
    items.push({
      ...turn.unknownFields,
      ...(phase !== undefined && { phase }),
      ...told,
      type: 'message',
      role: 'assistant',
      content: asListed(content, told),
    });
  }
  if (shown.length > 0) {
    const detail = "sent as the user's: messages of the model can only hold text";
    scope.report('turns[].content', 'approximated', detail);
    items.push({ type: 'message', role: 'user', content: renderContent(shown, 'input', scope) });
  }
  return items;
}

/** A message with an id is one that OpenAI wrote, whose content is a list. */
function asListed(content: string | readonly JsonObject[], told: JsonObject): string | readonly JsonObject[] {
  if (typeof content !== 'string' || isEmpty(told)) return content;
  return content === '' ? [] : [{ type: 'output_text', text: content, annotations: [] }];
}

function renderCall(part: ToolCallPart, scope: Scope): JsonObject {
  reportForeign(part.formatSpecific, 'responses', 'turns[]', scope.report);
  const { item = {} } = originOf(part.formatSpecific);
  const common = { ...part.unknownFields, ...item };
  const call = { call_id: safeCallId(part.id), name: callersName(item)?.name ?? safeName(part.name) };
  if (part.custom) return { ...common, type: 'custom_tool_call', ...call, input: part.arguments };
  return {
    ...common,
    type: 'function_call',
    ...call,
    arguments: part.arguments === '' ? '{}' : part.arguments,
  };
}

function renderResult(part: ToolResultPart, custom: boolean, scope: Scope): JsonObject {
  reportForeign(part.formatSpecific, 'responses', 'turns[]', scope.report);
  const content = scope.keepsAll ? part.content : contentWithFailure(part);
  if (content !== part.content) {
    scope.report('turns[].is_error', 'approximated', "sent as the word 'Error' before the result");
  } else if (part.isError) {
    scope.report('turns[].is_error', 'dropped', 'only the text of the result can say so');
  }
  return {
    ...part.unknownFields,
    ...originOf(part.formatSpecific).item,
    type: custom ? 'custom_tool_call_output' : 'function_call_output',
    call_id: safeCallId(part.id),
    output: renderContent(content, 'input', scope),
  };
}
