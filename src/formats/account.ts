/** What vendors say of the gateway's own account by words, where the status and the type say something else. */

import { MAX_FOREIGN } from '../lib/foreign-text.ts';

/**
 * Anthropic's two and its word for a closed account, Z.ai's and Zhipu's, xAI's, Fireworks' and Moonshot's, and Alibaba's.
 * Only how a message begins counts: further on stands what callers wrote, who could make the vendor look broke.
 */
const CLOSED = new RegExp(
  [
    'your credit balance is too low',
    'you have reached your specified api usage limits',
    'this organization has been disabled',
    'insufficient balance',
    '余额不足',
    'your team \\S{1,64} has either used all available credits',
    '(your )?account \\S{1,64} is suspended',
    'access denied, please make sure your account is in good standing',
  ]
    .map((words) => `^${words}`)
    .join('|'),
  'i',
);

/** Whether it has no money left, or is closed. */
export function saysAccountIsClosed(message: string): boolean {
  // Of a text that is cut nobody knows the end.
  if (message.length >= MAX_FOREIGN) return false;
  // Before these words stands the name of a field, as the caller wrote it.
  return CLOSED.test(message) && !message.endsWith(': Extra inputs are not permitted');
}
