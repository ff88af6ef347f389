/** Refusals of what a prompt or an answer says. Clients then ask another model, or count the answer as refused. */

import type { GatewayError } from '../lib/errors.ts';
import { refusesInWords } from './refuses-in-words.ts';

/** The codes of OpenAI, Azure and Alibaba. */
const CODES: ReadonlySet<string | undefined> = new Set([
  'content_policy_violation',
  'invalid_prompt',
  'cyber_policy',
  'bio_policy',
  'misalignment_policy_violation',
  'content_filter',
  'data_inspection_failed',
]);

/** The words of Anthropic, OpenAI (two), Azure, xAI, DeepSeek, Alibaba and OpenRouter. */
const WORDS = [
  'content filtering policy',
  'violating our usage policy',
  'as a result of our safety system',
  'content management policy',
  'content violates usage guidelines',
  'content exists risk',
  'may contain inappropriate content',
  'your input was flagged',
];

/** Whether a vendor refuses what is said. The pipeline is less strict: it looks for another model on the subject alone. */
export function saysContentIsRefused(error: GatewayError): boolean {
  return (error.fault === 'invalid-request' && CODES.has(error.code)) || refusesInWords(error, WORDS);
}
