/** Renders turns as input items. */

import { findRoundTrip } from '../../../conversation/format-specific.ts';
import type { Turn } from '../../../conversation/prompt.ts';
import { asObject, type JsonObject } from '../../../lib/json.ts';
import { reportForeign } from '../../own-fields.ts';
import { groupParts, type ItemPart, type PartGroup } from './group-parts.ts';
import { renderCall, renderResult } from './render-calls.ts';
import type { RenderContext } from './render-context.ts';
import { renderMessage } from './render-message.ts';
import { renderCarrier, renderThoughts } from './render-reasoning.ts';

/** Renders the turns of a prompt. @throws GatewayError `invalid-request` for media that cannot be sent */
export function renderItems(turns: readonly Turn[], context: RenderContext): readonly JsonObject[] {
  const { report } = context;
  const customCalls = new Set<string>();
  const items: JsonObject[] = [];
  const add = (rendered: readonly JsonObject[]): void => {
    for (const item of rendered) items.push(item);
  };
  for (let at = 0; at < turns.length; at++) {
    const turn = turns[at];
    if (turn === undefined) continue;
    if (turn.name !== undefined)
      report('turns[].name', 'dropped', 'input messages do not name their speakers');
    reportForeign(turn.formatSpecific, 'responses', 'turns[]', report);
    const whole = asObject(findRoundTrip(turn.formatSpecific, 'responses')['whole']);
    if (whole) {
      items.push(whole);
      continue;
    }
    const next = context.sendsPhases && turn.role === 'assistant' ? turns[at + 1] : undefined;
    const groups = groupParts(turn.parts);
    for (let place = 0; place < groups.length; place++) {
      const group = groups[place];
      if (group === undefined) continue;
      if (group.kind === 'thinking') {
        const thoughts = renderThoughts(group.parts, context);
        // OpenAI refuses a reasoning item "without its required following item", as a cut answer leaves it.
        const leads = context.keepsAll || place + 1 < groups.length || turns[at + 1]?.role === 'assistant';
        if (leads) add(thoughts);
        else if (thoughts.length > 0) report('turns[].thinking', 'dropped', 'no answer follows it');
      } else if (group.kind === 'item') add(renderItem(group.part, customCalls, context));
      else {
        const phase = next && (goesOn(groups.slice(place + 1), next) ? 'commentary' : 'final_answer');
        add(renderMessage(group.parts, turn, phase, context));
        const signed = group.parts.at(-1);
        if (signed) add(renderCarrier(signed, 'p', context));
      }
    }
  }
  return items;
}

/** Whether the assistant says or calls more after this in its turn. */
function goesOn(after: readonly PartGroup[], next: Turn): boolean {
  const isMore = (group: PartGroup): boolean =>
    group.kind === 'content' || (group.kind === 'item' && group.part.kind === 'tool-call');
  return next.role === 'assistant' || after.some(isMore);
}

/** Whether an item is a thought of which there is only the id, and the service has refused thoughts. */
function isAvoided({ type }: JsonObject, { target }: RenderContext): boolean {
  return type === 'reasoning' && target.avoids?.has('thoughts') === true;
}

/** @param customCalls ids of the calls of custom tools so far; a call adds its own */
function renderItem(part: ItemPart, customCalls: Set<string>, context: RenderContext): readonly JsonObject[] {
  switch (part.kind) {
    case 'tool-call':
      if (part.custom) customCalls.add(part.id);
      return [...renderCarrier(part, 'c', context), renderCall(part, context)];
    case 'tool-result':
      return [renderResult(part, part.custom === true || customCalls.has(part.id), context)];
    case 'opaque':
      if (part.format === 'responses') {
        if (isAvoided(part.value, context)) return [];
        return [...(part.image ? renderCarrier(part.image, 'i', context) : []), part.value];
      }
      context.report('turns[].content', 'dropped', `a block that only ${part.format} can read`);
      return [];
  }
}
