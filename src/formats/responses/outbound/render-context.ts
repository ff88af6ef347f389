/** What every part of the request renderer needs to know. */

import type { Thinking } from '../../../conversation/prompt.ts';
import type { ModelTraits, Report } from '../../format.ts';
import { takesBreakpoints } from '../../openai/cache-breakpoints.ts';
import { takesSampling } from '../../openai/default-effort.ts';
import { type Dialect, findDialect } from '../dialects.ts';

/** OpenAI's models before GPT-5, which take no union at the root of a function's parameters. */
const WITHOUT_UNIONS = /(?:^|\/)(?:gpt-[34]|o\d)/;

/** OpenAI's models at any service. */
const GPT = /(?:^|[/.])gpt-\d/;

/** OpenAI's models to which the caller says which of their messages were answers: GPT-5.3 and later. */
const WITH_PHASES = /(?:^|[/.])gpt-(?:5\.[3-9]|[6-9])/;

export interface RenderContext {
  readonly dialect: Dialect;
  readonly target: ModelTraits;
  readonly report: Report;
  /** Whether this is the plain format, for no service in particular: what OpenAI itself would refuse is kept too. */
  readonly keepsAll: boolean;
  /**
   * Whether system text is cached only as a message. GPT-6.2 caches nothing of `instructions`, and several services
   * report the same of earlier models (anomalyco/opencode, release 2.3.2; askalf/dario#1259).
   */
  readonly cachesMessages: boolean;
  /**
   * Whether each message of the assistant goes back with its `phase`. Without it the model takes what it said before a
   * call for its answer, and stops early (API reference, "phase": "dropping it can degrade performance").
   */
  readonly sendsPhases: boolean;
  /** Whether the service has refused cache breakpoints. */
  readonly refusesBreakpoints: boolean;
  /** Whether the parts of what the model reads may have cache breakpoints, whoever wrote them. */
  readonly takesBreakpoints: boolean;
  /** Whether the parameters of a function may be a union of several objects. */
  readonly takesUnions: boolean;
  /** Whether the model may think. OpenAI's own do so only if the catalog says it. */
  readonly takesThoughts: boolean;
  /** Whether the request may have sampling parameters. OpenAI's models refuse them while they think. */
  readonly takesSampling: boolean;
}

/**
 * Collects what is known about a model and its service.
 * @param thinking what the caller asks of it
 * @param report receives what does not reach the vendor as it was
 */
export function createContext(
  target: ModelTraits,
  thinking: Thinking | undefined,
  report: Report,
): RenderContext {
  const dialect = findDialect(target.dialect);
  const keepsAll = dialect.complete;
  const refusesBreakpoints = target.avoids?.has('service-fields') === true;
  return {
    dialect,
    target,
    report,
    keepsAll,
    cachesMessages: dialect.openAIOnly || GPT.test(target.model),
    sendsPhases: WITH_PHASES.test(target.model) && !keepsAll,
    refusesBreakpoints,
    takesBreakpoints:
      dialect.openAIOnly && !keepsAll && !refusesBreakpoints && takesBreakpoints(target.model),
    takesUnions: !WITHOUT_UNIONS.test(target.model) && dialect.rootUnions,
    takesThoughts: target.thinking !== undefined || !dialect.openAIOnly,
    takesSampling: keepsAll || takesSampling(target, thinking),
  };
}
