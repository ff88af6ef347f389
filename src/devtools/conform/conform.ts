/** Examines whether a service keeps to a format: which of its rules hold in the answers, streamed and whole. */

import type { FormatName, Prompt } from '../../conversation/prompt.ts';
import type { ModelTraits } from '../../formats/format.ts';
import { formats } from '../../formats/formats.ts';
import type { JsonObject } from '../../lib/json.ts';
import { RULEBOOKS } from '../../protocol/validate.ts';
import type { Violation } from '../../protocol/validator.ts';
import { CONFORM_CASES, type ConformCase } from './cases.ts';
import { type Finding, findMissing, judge, judgeError, messageIn } from './judge.ts';
import { askService, type Service, type ServiceAnswer, Unreachable } from './service.ts';

/**
 * How an answer, or a rule, is found to be. `deviates`: as no answer of the format's own vendor is, but in a way that
 * clients are known to tolerate. `refused`: the service answers the request with an error of the format.
 */
export type Verdict = 'ok' | 'deviates' | 'broken' | 'refused';

/** One request and its answer. */
export interface Trial {
  readonly case: string;
  readonly stream: boolean;
  readonly verdict: Verdict;
  /** The HTTP status; absent if no answer came. */
  readonly status?: number;
  /** What is wrong with the answer, beside the rules that it breaks. */
  readonly detail?: string;
  readonly violations: readonly Violation[];
}

/** One rule of the format. */
export interface RuleReport {
  readonly rule: string;
  /** What the rule demands. */
  readonly demand: string;
  readonly verdict: Exclude<Verdict, 'refused'>;
  /** The cases that break it; those of streams end in `, streamed`. */
  readonly brokenBy: readonly string[];
}

/** What was found of one format. */
export interface FormatReport {
  readonly format: FormatName;
  /** False if there is nothing at the format's address, or not this model; then nothing else was asked. */
  readonly isOffered: boolean;
  /** Set if the service refuses the key or its account; then nothing else was asked. */
  readonly isKeyRefused?: true;
  readonly trials: readonly Trial[];
  /** Empty if no answer but errors could be judged by them. */
  readonly rules: readonly RuleReport[];
}

/** Nothing is known of the model: each thing is asked for in the format's own way. */
const TRAITS = { maxOutputTokens: 32_000, sampling: true, structuredOutput: true } as const;

/** The dialect in which each format is written by its own vendor. */
const DIALECTS: Readonly<Record<FormatName, string>> = {
  'chat-completions': 'openai',
  responses: 'openai',
  messages: 'anthropic',
  'generate-content': 'google',
};

/** What every service answers that a key and a model belong to. */
const SIMPLEST = CONFORM_CASES[0]?.name;

/** Statuses of what is not there. */
const ABSENT: ReadonlySet<number | undefined> = new Set([404, 405]);

/** Sends all cases of a format, one after the other. */
export async function conform(service: Service, format: FormatName): Promise<FormatReport> {
  const trials: Trial[] = [];
  for (const stream of [true, false]) {
    for (const one of CONFORM_CASES) {
      const { trial, isKeyRefused } = await answerTo(service, format, one, stream);
      if (trials.length === 0 && ABSENT.has(trial.status))
        return { format, isOffered: false, trials, rules: [] };
      trials.push(trial);
      if (trials.length === 1 && isKeyRefused)
        return { format, isOffered: true, isKeyRefused, trials, rules: [] };
    }
    trials.push((await errorTo(service, format, stream)).trial);
  }
  return { format, isOffered: true, trials, rules: trials.some(isJudged) ? listRules(format, trials) : [] };
}

/** Whether nothing in a report is broken. A service that refuses even a short text has not been examined. */
export function isConforming({ trials }: FormatReport): boolean {
  return trials.every(
    (trial) => trial.verdict !== 'broken' && !(trial.verdict === 'refused' && trial.case === SIMPLEST),
  );
}

async function answerTo(
  service: Service,
  format: FormatName,
  asked: ConformCase,
  stream: boolean,
): Promise<Tried> {
  const target: ModelTraits = { ...TRAITS, model: service.model, dialect: DIALECTS[format] };
  const prompt: Prompt = { ...asked.prompt, model: service.model, stream };
  const body = formats[format].outbound.renderRequest(prompt, target, () => {});
  return runTrial(service, format, { case: asked.name, stream }, body, (answer) => {
    if (answer.status !== 200) return { ...judgeError(format, answer), refusal: messageIn(answer) };
    const judged = judge(format, answer, stream);
    if (judged.violations.length > 0 || judged.detail !== undefined) return judged;
    const detail = findMissing(format, prompt, target, asked, answer);
    return { violations: [], ...(detail !== undefined && { detail }) };
  });
}

/** Sends a request without a prompt: an error of the format is the right answer. */
function errorTo(service: Service, format: FormatName, stream: boolean): Promise<Tried> {
  const body = {
    ...(format !== 'generate-content' && { model: service.model, stream }),
    ...(format === 'messages' && { max_tokens: 100 }),
  };
  return runTrial(service, format, { case: 'error', stream }, body, (answer) => {
    if (answer.status >= 400 && answer.status < 500) return judgeError(format, answer);
    return { violations: [], detail: `A request without a prompt is answered with status ${answer.status}.` };
  });
}

interface Tried {
  readonly trial: Trial;
  /** Whether the answer is an error that is about the key or its account, and not about the request. */
  readonly isKeyRefused: boolean;
}

async function runTrial(
  service: Service,
  format: FormatName,
  asked: Pick<Trial, 'case' | 'stream'>,
  body: JsonObject,
  find: (answer: ServiceAnswer) => Finding,
): Promise<Tried> {
  try {
    const answer = await askService(service, format, asked.stream, body);
    const { violations, detail: wrong, refusal } = find(answer);
    const verdict = findVerdict(format, violations, wrong !== undefined);
    const detail = wrong ?? refusal;
    const trial: Trial = {
      ...asked,
      verdict: verdict !== 'broken' && refusal !== undefined ? 'refused' : verdict,
      status: answer.status,
      ...(detail !== undefined && { detail }),
      violations,
    };
    return { trial, isKeyRefused: isAboutKey(format, answer) };
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    const trial: Trial = { ...asked, verdict: 'broken', detail: error.message, violations: [] };
    return { trial, isKeyRefused: false };
  }
}

function isAboutKey(format: FormatName, { status, text }: ServiceAnswer): boolean {
  return status >= 400 && formats[format].outbound.parseError(status, text).fault === 'upstream-auth';
}

function findVerdict(
  format: FormatName,
  violations: readonly Violation[],
  isWrong: boolean,
): Exclude<Verdict, 'refused'> {
  const { excused } = RULEBOOKS[format];
  if (isWrong || violations.some(({ rule }) => excused[rule] === undefined)) return 'broken';
  return violations.length > 0 ? 'deviates' : 'ok';
}

/**
 * Whether the rules were tried on an answer. One that never came, or is of another kind, breaks none. Neither does an
 * error: few of the rules are about errors.
 */
function isJudged({ status, verdict, violations }: Trial): boolean {
  return status === 200 && (verdict !== 'broken' || violations.length > 0);
}

function listRules(format: FormatName, trials: readonly Trial[]): readonly RuleReport[] {
  const { rules, excused } = RULEBOOKS[format];
  return Object.entries(rules).map(([rule, demand]) => {
    const brokenBy = trials
      .filter(({ violations }) => violations.some((violation) => violation.rule === rule))
      .map(describeTrial);
    const verdict = brokenBy.length === 0 ? 'ok' : excused[rule] === undefined ? 'broken' : 'deviates';
    return { rule, demand, verdict, brokenBy };
  });
}

/** The name of a trial for a reader. */
function describeTrial({ case: name, stream }: Pick<Trial, 'case' | 'stream'>): string {
  return stream ? `${name}, streamed` : name;
}
