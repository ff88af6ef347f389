/**
 * `metadata.user_id`: 256 characters at most, and no name, address or number of a person. The API refuses what looks
 * like one ("user_id appears to contain an email address. Please send a uuid or hash value instead"), which OpenAI's
 * `user` may well be.
 */

import type { Prompt } from '../../../conversation/prompt.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { asText } from '../../../lib/json.ts';
import { sha256 } from '../../../lib/sha256.ts';
import type { Report } from '../../format.ts';
import { speaksMessages } from '../wire/wire.ts';

const LONGEST = 256;
const ADDRESS = /[^\s@]@[^\s@]+\.[^\s@]/;
const NUMBER = /^\s*\+?[\d\s().-]{7,}$/;

/** `{ metadata }` for the user of a prompt, else nothing: to be spread. A caller of this format goes by the own name. */
export function userId(prompt: Prompt, report: Report): JsonObject {
  const { user, metadata } = prompt;
  const given = user ?? asText(metadata?.['user_id']);
  if (given === undefined) return {};
  const isFit = given.length <= LONGEST && !ADDRESS.test(given) && !NUMBER.test(given);
  if (isFit || speaksMessages(prompt)) return { metadata: { user_id: given } };
  report('user', 'approximated', 'sent as its SHA-256 hash: Anthropic accepts no e-mail addresses');
  return { metadata: { user_id: sha256(given) } };
}
