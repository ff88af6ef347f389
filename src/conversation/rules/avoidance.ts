/**
 * What a request leaves out, or says otherwise, because a service has refused it. A vendor's own refusal is the source of
 * each; `pipeline/retry/repairs.ts` reads it.
 */

import { compact } from '../../lib/json.ts';
import type { Part, Prompt, Tool, Turn } from '../prompt.ts';
import { completeCalls } from './complete-calls.ts';
import { renameRepeatedIds } from './distinct-call-ids.ts';
import { leadingSystem, systemAsUser } from './later-system.ts';
import { strictTurns } from './strict-turns.ts';

/** One thing that a request can avoid. */
export type Avoidance =
  /** The thoughts of earlier turns. */
  | 'thoughts'
  /** Every setting of how much to think. */
  | 'thinking-setting'
  /** To switch thinking off. */
  | 'thinking-off'
  /** To have the thoughts shown. */
  | 'shown-thoughts'
  /** A call of an earlier turn without a thought before it. */
  | 'calls-without-thoughts'
  /** A user message after the result of a tool. */
  | 'user-after-tool'
  /** A system message behind the first turns. */
  | 'late-system'
  /** Ids of calls that repeat, are long, or consist of more than letters and digits. Gemini gets none at all. */
  | 'unusual-call-ids'
  /** Calls without results, results without calls, turns in another order than alternation, and blank texts. */
  | 'loose-turns'
  /** A schema of the answer in a field of its own. It is described in words. */
  | 'output-schema'
  /** Any field for the form of the answer. */
  | 'output-format'
  /** `strict`, of tools and of the answer. */
  | 'strict'
  /** A word on calls at the same time. */
  | 'parallel-calls'
  /** The options of a stream, with the question for its usage. */
  | 'stream-options'
  /** What only helps a cache, an account or an operator. */
  | 'service-fields'
  /** The usual name of the limit of tokens: the other one is used. */
  | 'limit-name'
  /** Whatever only callers of the same format can write. */
  | 'format-details';

/** The strictest form of a request: everything that some service refuses, and that an answer does not depend on. */
export const STRICTEST: ReadonlySet<Avoidance> = new Set<Avoidance>([
  'thoughts',
  'thinking-setting',
  'user-after-tool',
  'late-system',
  'unusual-call-ids',
  'loose-turns',
  'output-schema',
  'output-format',
  'strict',
  'parallel-calls',
  'stream-options',
  'service-fields',
  'format-details',
]);

/** A prompt without what is to be avoided. What a prompt does not decide is left to the renderers (`ModelTraits.avoids`). */
export function avoiding(prompt: Prompt, avoids: ReadonlySet<Avoidance>): Prompt {
  let {
    cacheKey,
    thinking,
    parallelToolCalls,
    output,
    tools,
    turns,
    formatSpecific,
    unknownFields,
    ...rest
  } = prompt;
  if (avoids.has('service-fields')) cacheKey = undefined;
  if (avoids.has('parallel-calls')) parallelToolCalls = undefined;
  if (avoids.has('thinking-setting')) thinking = undefined;
  if (avoids.has('shown-thoughts') && thinking) thinking = { ...thinking, visible: false };
  if (avoids.has('strict')) {
    tools = tools?.map(unstrict);
    if (output?.kind === 'json-schema') output = { ...output, strict: false };
  }
  if (avoids.has('thoughts')) turns = turns.map(withoutThoughts);
  if (avoids.has('late-system')) turns = systemAsUser(turns, leadingSystem(turns));
  if (avoids.has('format-details')) {
    formatSpecific = undefined;
    unknownFields = undefined;
    turns = turns.map(plainTurn);
  }
  if (avoids.has('unusual-call-ids')) turns = renameRepeatedIds(turns);
  if (avoids.has('loose-turns')) turns = completeCalls(strictTurns(turns.map(withoutBlankTexts)));
  return {
    ...rest,
    turns,
    ...compact({ tools, output, thinking, cacheKey, parallelToolCalls, formatSpecific, unknownFields }),
  };
}

function unstrict(tool: Tool): Tool {
  if (tool.kind !== 'function') return tool;
  const { strict: _, ...plain } = tool;
  return plain;
}

function withoutThoughts(turn: Turn): Turn {
  return { ...turn, parts: turn.parts.filter(({ kind }) => kind !== 'thinking') };
}

function withoutBlankTexts(turn: Turn): Turn {
  return { ...turn, parts: turn.parts.filter((part) => part.kind !== 'text' || part.text.trim() !== '') };
}

/** A turn of which every format says the same. Blocks that only one format can read stay: the answer may need them. */
function plainTurn({ formatSpecific: _, unknownFields: __, ...turn }: Turn): Turn {
  return { ...turn, parts: turn.parts.map(plainPart) };
}

function plainPart(part: Part): Part {
  if (part.kind === 'opaque') return part;
  const { formatSpecific: _, unknownFields: __, ...plain } = part;
  return plain;
}
