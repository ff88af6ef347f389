/**
 * `metadata.user_id`. It has at most 256 characters, and must not identify a person. The API refuses what looks like an
 * e-mail address or a telephone number ("user_id appears to contain an email address. Please send a uuid or hash value
 * instead"). OpenAI's `user` may be either.
 */

import type { Prompt } from '../../../conversation/prompt.ts';
import { asText, type JsonObject } from '../../../lib/json.ts';
import { sha256 } from '../../../lib/sha256.ts';
import type { Report } from '../../format.ts';
import { speaksMessages } from './native-caller.ts';

const MAX_LENGTH = 256;
const EMAIL_ADDRESS = /[^\s@]@[^\s@]+\.[^\s@]/;
const PHONE_NUMBER = /^\s*\+?[\d\s().-]{7,}$/;

/**
 * Renders the user of a prompt.
 * @returns `{metadata}`, to be spread, or nothing if there is no user. What a caller of this format wrote stays unchanged.
 */
export function renderUserId(prompt: Prompt, report: Report): JsonObject {
  const { user, metadata } = prompt;
  const id = user ?? asText(metadata?.['user_id']);
  if (id === undefined) return {};
  const isAccepted = id.length <= MAX_LENGTH && !EMAIL_ADDRESS.test(id) && !PHONE_NUMBER.test(id);
  if (isAccepted || speaksMessages(prompt)) return { metadata: { user_id: id } };
  report('user', 'approximated', 'sent as its SHA-256 hash: Anthropic accepts no e-mail addresses');
  return { metadata: { user_id: sha256(id) } };
}
