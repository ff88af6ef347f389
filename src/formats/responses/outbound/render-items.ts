/** Renders turns as input items. */

import { findRoundTrip } from '../../../conversation/format-specific.ts';
import type { ContentPart, ThinkingPart, Turn } from '../../../conversation/prompt.ts';
import { asObject, type JsonObject } from '../../../lib/json.ts';
import { reportForeign } from '../../own-fields.ts';
import { groupParts, type ItemPart, type PartGroup } from './group-parts.ts';
import { renderCall, renderResult } from './render-calls.ts';
import type { RenderContext } from './render-context.ts';
import { type Phase, renderMessage } from './render-message.ts';
import { renderCarrier, renderThoughts } from './render-reasoning.ts';

/** Renders the turns of a prompt. @throws GatewayError `invalid-request` for media that cannot be sent */
export function renderItems(turns: readonly Turn[], context: RenderContext): readonly JsonObject[] {
  const renderer = new ItemRenderer(context);
  for (let at = 0; at < turns.length; at++) {
    const turn = turns[at];
    if (turn !== undefined) renderer.addTurn(turn, turns[at + 1]);
  }
  return renderer.items;
}

class ItemRenderer {
  readonly items: JsonObject[] = [];
  readonly #context: RenderContext;
  /** The ids of the calls of custom tools so far. */
  readonly #customCalls = new Set<string>();

  constructor(context: RenderContext) {
    this.#context = context;
  }

  addTurn(turn: Turn, next: Turn | undefined): void {
    const { report } = this.#context;
    if (turn.name !== undefined)
      report('turns[].name', 'dropped', 'input messages do not name their speakers');
    reportForeign(turn.formatSpecific, 'responses', 'turns[]', report);
    const whole = asObject(findRoundTrip(turn.formatSpecific, 'responses')['whole']);
    if (whole) {
      this.items.push(whole);
      return;
    }
    const groups = groupParts(turn.parts);
    for (let place = 0; place < groups.length; place++) {
      const group = groups[place];
      if (group === undefined) continue;
      if (group.kind === 'thinking')
        this.#addThoughts(group.parts, place + 1 < groups.length || next?.role === 'assistant');
      else if (group.kind === 'item') this.#add(this.#renderItem(group.part));
      else this.#addMessage(group.parts, turn, this.#findPhase(turn, groups, place, next));
    }
  }

  #add(rendered: readonly JsonObject[]): void {
    for (const item of rendered) this.items.push(item);
  }

  /** OpenAI refuses a reasoning item "without its required following item", as a cut answer leaves it. */
  #addThoughts(parts: readonly ThinkingPart[], isFollowed: boolean): void {
    const { keepsAll, report } = this.#context;
    const thoughts = renderThoughts(parts, this.#context);
    if (keepsAll || isFollowed) this.#add(thoughts);
    else if (thoughts.length > 0) report('turns[].thinking', 'dropped', 'no answer follows it');
  }

  #addMessage(parts: readonly ContentPart[], turn: Turn, phase: Phase | undefined): void {
    this.#add(renderMessage(parts, turn, phase, this.#context));
    const signed = parts.at(-1);
    if (signed) this.#add(renderCarrier(signed, 'p', this.#context));
  }

  /**
   * The phase of the message at `place` in a turn; undefined for the last turn, and for one that is not the assistant's.
   * Gemini and Claude also speak after a call whose result they have yet to get.
   */
  #findPhase(
    turn: Turn,
    groups: readonly PartGroup[],
    place: number,
    next: Turn | undefined,
  ): Phase | undefined {
    if (!this.#context.sendsPhases || turn.role !== 'assistant' || next === undefined) return undefined;
    const goesOn =
      next.role === 'assistant' ||
      groups.some(isCall) ||
      groups.slice(place + 1).some(({ kind }) => kind === 'content');
    return goesOn ? 'commentary' : 'final_answer';
  }

  #renderItem(part: ItemPart): readonly JsonObject[] {
    const context = this.#context;
    switch (part.kind) {
      case 'tool-call':
        if (part.custom) this.#customCalls.add(part.id);
        return [...renderCarrier(part, 'c', context), renderCall(part, context)];
      case 'tool-result':
        return [renderResult(part, part.custom === true || this.#customCalls.has(part.id), context)];
      case 'opaque':
        if (part.format === 'responses') {
          if (isAvoided(part.value, context)) return [];
          return [...(part.image ? renderCarrier(part.image, 'i', context) : []), part.value];
        }
        context.report('turns[].content', 'dropped', `a block that only ${part.format} can read`);
        return [];
    }
  }
}

function isCall(group: PartGroup): boolean {
  return group.kind === 'item' && group.part.kind === 'tool-call';
}

/** Whether an item is a thought of which there is only the id, and the service has refused thoughts. */
function isAvoided({ type }: JsonObject, { target }: RenderContext): boolean {
  return type === 'reasoning' && target.avoids?.has('thoughts') === true;
}
