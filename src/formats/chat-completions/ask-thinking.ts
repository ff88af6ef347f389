/** How much to think: the several fields services have for it, both ways. */

import { asEffort, budgetFor, effortFor, effortOfBudget, isThinkingOff } from '../../conversation/effort.ts';
import type { Effort, Thinking } from '../../conversation/prompt.ts';
import { asFlag, asNumber, asObject, asText, isObject, type Json, type JsonObject } from '../../json.ts';
import type { Report, Target } from '../format.ts';
import { isEmpty, said } from './body.ts';
import type { Dialect } from './dialects.ts';

/** The fields of a body that ask for thinking. */
export interface ThinkingFields {
  readonly effort: Json | undefined;
  readonly reasoning: Json | undefined;
  readonly thinking: Json | undefined;
  readonly enable: Json | undefined;
  readonly budget: Json | undefined;
}

/** What is asked, and what of the fields nobody but their service understands. */
export interface AskedThinking {
  readonly thinking?: Thinking;
  readonly own: JsonObject;
  readonly extra: JsonObject;
}

export function parseThinking(fields: ThinkingFields): AskedThinking {
  const { effort: word, max_tokens, exclude, enabled, ...reasoningRest } = asObject(fields.reasoning) ?? {};
  const { type, budget_tokens, ...thinkingRest } = asObject(fields.thinking) ?? {};
  const given = asText(fields.effort) ?? asText(word);
  const off = type === 'disabled' || enabled === false || fields.enable === false;
  const effort = given === undefined ? (off ? 'none' : undefined) : asEffort(given);
  const budget = asNumber(budget_tokens) ?? asNumber(max_tokens) ?? asNumber(fields.budget);
  const on = type === 'enabled' || type === 'adaptive' || type === 'auto' || enabled === true || fields.enable === true;
  const adaptive = on && effort === undefined && budget === undefined;
  const hidden = asFlag(exclude);
  const thinking: Thinking = {
    ...(effort !== undefined && { effort }),
    ...(budget !== undefined && { budget }),
    ...(adaptive && { adaptive }),
    ...(hidden !== undefined && { visible: !hidden }),
  };
  const reasoning = said(reasoningRest);
  const rest = said(thinkingRest);
  return {
    ...(Object.keys(thinking).length > 0 && { thinking }),
    own: {
      ...(given !== undefined && effort === undefined && { reasoning_effort: given }),
      ...(!isEmpty(reasoning) && { reasoning }),
      ...(!isEmpty(rest) && { thinking: rest }),
    },
    extra: said({
      ...(!isObject(fields.reasoning) && { reasoning: fields.reasoning }),
      ...(!isObject(fields.thinking) && { thinking: fields.thinking }),
    }),
  };
}

/** The dialect's fields for what is asked, over the parts of them that only their service understands. */
export function renderThinking(
  thinking: Thinking,
  own: JsonObject,
  target: Target,
  dialect: Dialect,
  report: Report,
): JsonObject {
  if (target.thinking === undefined && dialect.knownToThink) {
    if (!isThinkingOff(thinking)) report({ field: 'thinking', outcome: 'dropped', detail: 'the model does not think' });
    return {};
  }
  const off = isThinkingOff(thinking);
  const effort = effortWord(thinking, target, dialect);
  switch (dialect.thinking) {
    case 'reasoning_effort':
      return effortField(thinking, effort, report);
    case 'thinking': {
      if (thinking.effort !== undefined && !off) {
        report({ field: 'thinking.effort', outcome: 'approximated', detail: 'thinking is on or off here' });
      }
      const takesWords = (target.thinking?.efforts.length ?? 0) > 0;
      return {
        thinking: { ...asObject(own['thinking']), type: off ? 'disabled' : 'enabled' },
        ...(takesWords && !off && effortField(thinking, effort, report)),
      };
    }
    case 'enable_thinking': {
      const budget = off ? undefined : (thinking.budget ?? (target.thinking && budgetFor(thinking, target.thinking)));
      return { enable_thinking: !off, ...(budget !== undefined && { thinking_budget: budget }) };
    }
    case 'reasoning':
      return { reasoning: { ...asObject(own['reasoning']), ...routed(thinking, effort, target) } };
  }
}

function effortField(thinking: Thinking, effort: Effort | undefined, report: Report): JsonObject {
  if (effort === undefined) {
    report({ field: 'thinking', outcome: 'dropped', detail: 'the model decides how much it thinks' });
    return {};
  }
  if (thinking.effort === undefined) {
    report({ field: 'thinking.budget', outcome: 'approximated', detail: `reasoning_effort ${effort}` });
  } else if (thinking.effort !== effort) {
    report({ field: 'thinking.effort', outcome: 'approximated', detail: `reasoning_effort ${effort}` });
  }
  return { reasoning_effort: effort };
}

/** OpenRouter's `reasoning`: a budget as it is, or a word, or just on. */
function routed(thinking: Thinking, effort: Effort | undefined, target: Target): JsonObject {
  const takesBudgets = target.thinking === undefined || target.thinking.kinds.includes('budget');
  const exact = thinking.effort === undefined && takesBudgets ? thinking.budget : undefined;
  return {
    ...(exact !== undefined && exact > 0 && { max_tokens: exact }),
    ...((exact === undefined || exact <= 0) && effort !== undefined && { effort }),
    ...(exact === undefined && effort === undefined && { enabled: true }),
    ...(thinking.visible !== undefined && { exclude: !thinking.visible }),
  };
}

/** The word to say: of the model's own where they are known, else one that every service with words knows. */
function effortWord(thinking: Thinking, target: Target, dialect: Dialect): Effort | undefined {
  const asked = thinking.effort ?? (thinking.budget === undefined ? undefined : effortOfBudget(thinking.budget));
  const traits = target.thinking;
  if (traits !== undefined && traits.efforts.length > 0) return effortFor(thinking, traits);
  if (asked === undefined || dialect.allEfforts) return asked;
  if (asked === 'none') return undefined;
  if (asked === 'minimal') return 'low';
  return asked === 'xhigh' || asked === 'max' ? 'high' : asked;
}
