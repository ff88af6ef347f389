/** Turns to messages. */

import { asFunctionCall } from '../../conversation/custom-tools.ts';
import type { Part, TextPart, ToolCallPart, Turn } from '../../conversation/prompt.ts';
import type { Json, JsonObject } from '../../json.ts';
import { isEmpty } from './body.ts';
import { callIdFor, nameFor } from './names.ts';
import { renderContent, renderPart, type Spoken, spokenIn } from './render-content.ts';
import { joinToLast, renderResults, resultsIn } from './render-results.ts';
import { renderThoughts, signatureField } from './render-thoughts.ts';
import { ownFields, type Writing } from './writing.ts';

/** All messages. The turns are in the order the service wants already. */
export function renderTurns(turns: readonly Turn[], writing: Writing): JsonObject[] {
  return turns.flatMap((turn, at) => {
    if (turn.role === 'system')
      return [renderSpoken(turn, systemRole(turn, writing), turn.parts, '\n', writing)];
    if (turn.role === 'user') return renderUser(turn, writing);
    const message = renderAssistant(turn, writing);
    const { prefill } = writing.dialect;
    const isLast = prefill !== undefined && at === turns.length - 1 && message['tool_calls'] === undefined;
    if (isSilent(message) && !writing.exact) return [];
    return [isLast ? { ...message, [prefill]: true } : message];
  });
}

function systemRole(turn: Turn, { dialect, target }: Writing): 'system' | 'developer' {
  if (dialect.developer === 'never') return 'system';
  const always = dialect.developer === 'thinking' && target.thinking !== undefined;
  return turn.developer || always ? 'developer' : 'system';
}

/** Results first, then what the user says. */
function renderUser(turn: Turn, writing: Writing): JsonObject[] {
  const said = spokenIn(turn.parts);
  const results = resultsIn(turn.parts);
  reportMisplaced(turn.parts, writing);
  if (results.length === 0) return [renderSpoken(turn, 'user', said, '\n', writing)];
  if (!writing.dialect.userAfterTool) {
    const { messages, moved } = renderResults(joinToLast(results, said, writing), writing);
    return moved.length === 0 ? messages : [...messages, renderSpoken(turn, 'user', moved, '\n', writing)];
  }
  const { messages, moved } = renderResults(results, writing);
  const all = [...moved, ...said];
  return all.length === 0 ? messages : [...messages, renderSpoken(turn, 'user', all, '\n', writing)];
}

function renderSpoken(
  turn: Turn,
  role: 'system' | 'developer' | 'user',
  parts: readonly Part[],
  glue: string,
  writing: Writing,
): JsonObject {
  const own = ownFields(turn.own, writing.report);
  const { cache_control: control } = own;
  // A mark on the message was read as one on its last part.
  const spoken = control === undefined ? spokenIn(parts) : unmarkLast(spokenIn(parts));
  return {
    ...turn.extra,
    ...(control !== undefined && { cache_control: control }),
    role,
    content: renderContent(spoken, glue, writing),
    ...(turn.name !== undefined && { name: turn.name }),
  };
}

function unmarkLast(parts: readonly Spoken[]): readonly Spoken[] {
  const last = parts.at(-1);
  if (last === undefined || last.own !== undefined) return parts;
  const { mark: _, ...rest } = last;
  return [...parts.slice(0, -1), rest];
}

function renderAssistant(turn: Turn, writing: Writing): JsonObject {
  const { dialect, report } = writing;
  const own = ownFields(turn.own, report);
  const thoughts = renderThoughts(turn.parts, writing);
  const calls = turn.parts.flatMap((part) => (part.kind === 'tool-call' ? [renderCall(part, writing)] : []));
  const texts = turn.parts.filter((part) => part.kind === 'text');
  const spoken = spokenIn(turn.parts).filter((part) => !isForeign(part) && isAnswer(part, writing));
  const refusal = dialect.answerFields
    ? spoken.map((part) => (part.kind === 'refusal' ? part.text : '')).join('')
    : '';
  const said = refusal === '' ? spoken : spoken.filter((part) => part.kind !== 'refusal');
  const content = assistantContent(said.filter(isFilled), thoughts.content, writing);
  return {
    ...turn.extra,
    ...foreignBlocks(turn.parts, writing),
    ...(dialect.answerFields && own['audio'] !== undefined && { audio: own['audio'] }),
    role: 'assistant',
    content: content === '' && (calls.length > 0 || refusal !== '') ? null : content,
    ...(refusal !== '' && { refusal }),
    ...thoughts.fields,
    ...(calls.length > 0 && { tool_calls: calls }),
    ...textSignature(texts, writing),
    ...annotations(texts, writing),
    ...(turn.name !== undefined && { name: turn.name }),
  };
}

/** Texts of one answer belong together without anything between. */
function assistantContent(
  spoken: readonly Spoken[],
  thoughts: readonly JsonObject[],
  writing: Writing,
): Json {
  if (thoughts.length === 0) return renderContent(spoken, '', writing);
  return [...thoughts, ...spoken.flatMap((part) => renderPart(part, writing))];
}

function renderCall(part: ToolCallPart, writing: Writing): JsonObject {
  const { dialect, report } = writing;
  const call = dialect.customTools ? part : asFunctionCall(part);
  ownFields(call.own, report);
  const beside = {
    ...call.extra,
    ...signatureField(call.signature, writing),
    id: callIdFor(call.id, dialect),
  };
  const name = nameFor(call.name, dialect);
  if (call.custom) return { ...beside, type: 'custom', custom: { name, input: call.arguments } };
  // An empty text is no JSON.
  return { ...beside, type: 'function', function: { name, arguments: call.arguments || '{}' } };
}

/** Images and files in an answer have no place in the history, unless the caller wrote them there. */
function isAnswer(part: Spoken, { exact, report }: Writing): boolean {
  if (part.kind !== 'media' || exact) return true;
  report({ field: 'content', outcome: 'dropped', detail: `${part.media} in an answer of the assistant` });
  return false;
}

/** Blocks of other formats, which an answer showed under `provider_specific_fields`. */
function foreignBlocks(parts: readonly Part[], writing: Writing): JsonObject {
  const foreign = parts.filter((part) => part.kind === 'opaque').filter(isForeign);
  if (foreign.length === 0) return {};
  if (!writing.dialect.complete) {
    for (const part of foreign) renderPart(part, writing);
    return {};
  }
  const blocks: Record<string, JsonObject[]> = {};
  for (const { format, value } of foreign) blocks[format] = [...(blocks[format] ?? []), value];
  return { provider_specific_fields: blocks };
}

function isForeign(part: Spoken): boolean {
  return part.kind === 'opaque' && part.format !== 'chat-completions';
}

/** An empty text only carries a signature. */
function isFilled(part: Spoken): boolean {
  return part.kind !== 'text' || part.text !== '' || part.mark !== undefined;
}

/** The message has room for one signature: the last one. */
function textSignature(texts: readonly TextPart[], writing: Writing): JsonObject {
  return signatureField(texts.findLast((part) => part.signature)?.signature, writing);
}

function annotations(texts: readonly TextPart[], { dialect, report }: Writing): JsonObject {
  const cited = texts.flatMap((part) => part.citations ?? []);
  if (cited.length === 0) return {};
  const written = cited.flatMap(({ own }) => (own?.format === 'chat-completions' ? [own.fields] : []));
  if (dialect.answerFields && written.length > 0) return { annotations: written };
  report({
    field: 'citations',
    outcome: 'dropped',
    detail: 'of an earlier answer: the service takes none back',
  });
  return {};
}

/** Whether nothing is left of what the assistant said. */
function isSilent({ role: _role, content, ...rest }: JsonObject): boolean {
  return (content === '' || content === null) && isEmpty(rest);
}

function reportMisplaced(parts: readonly Part[], { report }: Writing): void {
  for (const { kind } of parts) {
    if (kind === 'thinking' || kind === 'tool-call') {
      report({ field: 'content', outcome: 'dropped', detail: `${kind} in a user message` });
    }
  }
}
