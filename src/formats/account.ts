/**
 * Refusals that are about the gateway's own account, which only their words tell: status and type say something else.
 */

import { MAX_FOREIGN } from '../lib/foreign-text.ts';

/**
 * The words of Anthropic (two for money, two for that of a plan and one for a closed account), Z.ai and Zhipu, xAI,
 * Fireworks and Moonshot, Alibaba, and Google. Only the beginning of a message counts: what follows may quote the caller,
 * who could make an account look empty.
 */
const CLOSED = new RegExp(
  [
    'your credit balance is too low',
    'you have reached your specified (workspace )?api usage limits',
    "you're out of extra usage",
    'third-party apps now draw from your extra usage',
    'this organization has been disabled',
    'insufficient balance',
    '余额不足',
    'your team \\S{1,64} has either used all available credits',
    '(your )?account \\S{1,64} is suspended',
    'access denied, please make sure your account is in good standing',
    'your prepayment credits are depleted',
  ]
    .map((words) => `^${words}`)
    .join('|'),
  'i',
);

/** The words for a key that is wrong. A quotation mark before them begins a quotation: "'x' does not match '^[a-z]$'". */
const WRONG_KEY = /^((incorrect|invalid|missing|no valid) api.?key|api.?key not valid)/i;

/** Whether a vendor's message says that the account has no money left, or is closed. */
export function saysAccountIsClosed(message: string): boolean {
  return CLOSED.test(message) && !mayQuote(message);
}

/** Whether a vendor's message says that the gateway's key is wrong. */
export function saysKeyIsWrong(message: string): boolean {
  return WRONG_KEY.test(message) && !mayQuote(message);
}

/** Whether the beginning of a message may be the name of a field, as the caller wrote it. */
function mayQuote(message: string): boolean {
  // A message that was cut has an unknown end.
  return message.length >= MAX_FOREIGN || message.endsWith(': Extra inputs are not permitted');
}
