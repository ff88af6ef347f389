/** Which session a request belongs to: a conversation, or the run of an agent, as the client names it. */

import { hash } from 'node:crypto';
import { findSessionHeader } from '../../formats/session-header.ts';
import { asObject, asText } from '../../lib/json.ts';
import { itemsOf } from '../../lib/scanned-values.ts';
import { DIALOGUES } from '../../translate/write-request.ts';
import { shortValue } from '../body/scanned.ts';
import type { Routed } from '../exchange.ts';

/**
 * Headers that name the session: those of OpenRouter, LiteLLM, Fireworks and opencode, opencode alone, Claude Code,
 * Codex in two spellings, and xAI.
 */
const HEADERS = [
  'x-session-id',
  'x-litellm-session-id',
  'x-session-affinity',
  'x-opencode-session',
  'x-claude-code-session-id',
  'session-id',
  'session_id',
  'x-grok-conv-id',
] as const;

/** Fields that name the session: OpenAI's and OpenRouter's. Agents put it in Anthropic's `user_id`. */
const FIELDS = ['prompt_cache_key', 'session_id'] as const;

/** The parts of a request that name its session. */
type Naming = Pick<Routed, 'message' | 'body' | 'scan' | 'principal'>;

/**
 * Derives an id of the session that reveals nothing about the caller.
 * @returns 64 hexadecimal digits, or undefined if the client names no session. The same name with two keys gives two
 *   ids.
 */
function findSession(routed: Naming): string | undefined {
  return hidden(routed, namedByHeader(routed) ?? namedByField(routed, FIELDS));
}

/** Like `findSession`, but only from headers: the prompt already has what the body says. */
export function sessionInHeaders(routed: Pick<Naming, 'message' | 'principal'>): string | undefined {
  return hidden(routed, namedByHeader(routed));
}

/**
 * Like `findSession`, for the choice among upstreams. If the client names no session, a conversation is recognized by
 * the user's first message once the model has answered it (as in OpenRouter's "Provider Sticky Routing"). A first
 * request has no session yet, so that a program which sends the same one again and again uses all upstreams.
 */
export function identifyDialogue(routed: Naming): string | undefined {
  return findSession(routed) ?? hidden(routed, findBeginning(routed));
}

/** The role of an item. An item without one, such as a call, is the model's. */
const ROLE = /"role"\s*:\s*"([a-z]+)"/;

/** The user's first message, as its bytes in latin1; undefined unless something follows it that is not the user's. */
function findBeginning({ body, scan }: Naming): string | undefined {
  const span = DIALOGUES.map((name) => scan.fields.get(name)).find((found) => found !== undefined);
  if (span === undefined) return undefined;
  let first: string | undefined;
  for (const { start, end } of itemsOf(scan, span)) {
    const item = body.toString('latin1', start, end);
    const role = ROLE.exec(item)?.[1];
    if (role === 'user') first ??= item;
    else if (role !== 'system' && role !== 'developer') return first;
  }
  return undefined;
}

function hidden({ principal }: Pick<Naming, 'principal'>, named: string | undefined): string | undefined {
  return named === undefined ? undefined : hash('sha256', `${principal.name}\n${named}`);
}

/**
 * Makes the header in which a service expects the session; undefined if it expects none.
 * @param dialect of the service.
 */
export function sessionHeader(routed: Naming, dialect: string): Readonly<Record<string, string>> | undefined {
  const name = findSessionHeader(dialect);
  const session = name && findSession(routed);
  return session ? { [name]: session } : undefined;
}

function namedByHeader({ message: { headers } }: Pick<Naming, 'message'>): string | undefined {
  for (const name of HEADERS) {
    const value = headers[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}

/** What one of a body's fields names, or else `user_id` in Anthropic's `metadata`. */
export function namedByField(
  routed: Pick<Routed, 'body' | 'scan'>,
  fields: readonly string[],
): string | undefined {
  for (const field of fields) {
    const value = asText(shortValue(routed, field));
    if (value) return value;
  }
  return asText(asObject(shortValue(routed, 'metadata'))?.['user_id']) || undefined;
}
