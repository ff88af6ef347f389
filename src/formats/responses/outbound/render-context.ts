/** What every part of a request's renderer must know. */

import type { ModelTraits, Report } from '../../format.ts';

/** Models of OpenAI's that take no union at the root of a function's parameters: those before GPT-5. */
const WITHOUT_UNIONS = /(?:^|\/)(?:gpt-[34]|o\d)/;

/** Models of OpenAI's at any service, and the services that have nothing else. */
const GPT = /(?:^|[/.])gpt-\d/;
const OPENAIS: readonly string[] = ['openai', 'azure'];

/** OpenAI's models that are told which of their messages were answers: from GPT-5.3 on. */
const WITH_PHASES = /(?:^|[/.])gpt-(?:5\.[3-9]|[6-9])/;

/**
 * xAI, whose functions take no unions ("tool parameter root must be an object type") and no closed object by the name of
 * a keyword, and whose search knows of domains alone, those to leave out by another name ("Web Search", docs.x.ai).
 */
const XAI: readonly string[] = ['x-ai', 'xai'];

export interface Scope {
  /** The plain format, which nobody in particular reads: what OpenAI itself would refuse is kept too. */
  readonly keepsAll: boolean;
  /**
   * Whether what the system says is cached as a message alone: of `instructions` GPT-6.2 caches nothing, and of earlier
   * models several services report the same (anomalyco/opencode, release 2.3.2; askalf/dario#1259).
   */
  readonly cachesMessages: boolean;
  /**
   * Whether each message of the assistant's goes back with its `phase`: without, the model takes what it has said before a
   * call for its answer, and stops early (API reference, "phase": "dropping it can degrade performance").
   */
  readonly tellsPhases: boolean;
  /** Whether the parameters of a function may be one of several objects. */
  readonly takesUnions: boolean;
  readonly isXai: boolean;
  /** Whether the model may think: of OpenAI's own those do not of which the catalog does not say so. */
  readonly takesThoughts: boolean;
  /** OpenAI's reasoning models refuse sampling parameters. */
  readonly takesSampling: boolean;
  readonly target: ModelTraits;
  readonly report: Report;
}

export function scopeOf(target: ModelTraits, report: Report): Scope {
  const keepsAll = target.dialect === '';
  const isXai = XAI.includes(target.dialect);
  return {
    keepsAll,
    cachesMessages: OPENAIS.includes(target.dialect) || GPT.test(target.model),
    tellsPhases: WITH_PHASES.test(target.model) && !keepsAll,
    takesUnions: !WITHOUT_UNIONS.test(target.model) && !isXai,
    isXai,
    takesThoughts: target.thinking !== undefined || !OPENAIS.includes(target.dialect),
    takesSampling: target.sampling || keepsAll,
    target,
    report,
  };
}
