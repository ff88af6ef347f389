/** Which session a request is one of: a dialogue, or the run of an agent, as its caller names it. */

import { hash } from 'node:crypto';
import { findSessionHeader } from '../formats/session-header.ts';
import { asObject, asText, tryParseJson } from '../lib/json.ts';
import { itemsOf } from '../lib/json-scan.ts';
import type { Routed } from './exchange.ts';

/**
 * Headers that name it: OpenRouter's, LiteLLM's, Fireworks' and opencode's, opencode's own, Claude Code's, Codex's
 * in two spellings, xAI's.
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

/** Fields that do: OpenAI's, OpenRouter's; and of Anthropic's `metadata` the `user_id`, where agents have the session. */
const FIELDS = ['prompt_cache_key', 'session_id'] as const;

/** Longer values are read by nobody here, in bytes. */
const LONGEST = 4_096;

/** A request, as far as it says so. */
type Naming = Pick<Routed, 'message' | 'body' | 'fields' | 'principal'>;

/**
 * A name for the session that tells nothing of the caller, 64 hexadecimal digits; undefined where the caller names none.
 * The same words of two keys are two sessions.
 */
export function sessionOf(routed: Naming): string | undefined {
  return hidden(routed, namedByHeader(routed) ?? namedByField(routed));
}

/** The same, where a header names it: what the body says of it the prompt has. */
export function sessionInHeaders(routed: Naming): string | undefined {
  return hidden(routed, namedByHeader(routed));
}

/**
 * The same for whoever chooses among upstreams: where nobody names a session, a dialogue that goes on is one, and is known
 * by what the user has said first (so OpenRouter knows conversations, "Provider Sticky Routing"). A first request is none
 * yet: those of a program that asks the same again and again take turns.
 */
export function dialogueOf(routed: Naming): string | undefined {
  return sessionOf(routed) ?? hidden(routed, beginningOf(routed));
}

/** Where a dialogue stands in the body, by format. */
const DIALOGUES = ['messages', 'input', 'contents'] as const;

/** Who says an item of it; of what has no such word, as a call has none, it is the model. */
const ROLE = /"role"\s*:\s*"([a-z]+)"/;

/** What the user has said first, in bytes as they are, where the model has answered since. */
function beginningOf({ body, fields }: Naming): string | undefined {
  const span = DIALOGUES.map((name) => fields.get(name)).find((found) => found !== undefined);
  if (span === undefined) return undefined;
  let first: string | undefined;
  for (const { start, end } of itemsOf(body, span)) {
    const item = body.toString('latin1', start, end);
    const role = ROLE.exec(item)?.[1];
    if (role === 'user') first ??= item;
    else if (role !== 'system' && role !== 'developer') return first;
  }
  return undefined;
}

function hidden({ principal }: Naming, named: string | undefined): string | undefined {
  return named === undefined ? undefined : hash('sha256', `${principal.name}\n${named}`);
}

/** The session as a service wants to be told of it; undefined where it does not. @param dialect of the service. */
export function sessionHeader(routed: Naming, dialect: string): Readonly<Record<string, string>> | undefined {
  const name = findSessionHeader(dialect);
  const session = name && sessionOf(routed);
  return session ? { [name]: session } : undefined;
}

function namedByHeader({ message: { headers } }: Naming): string | undefined {
  for (const name of HEADERS) {
    const value = headers[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}

function namedByField({ body, fields }: Naming): string | undefined {
  const read = (field: string) => {
    const span = fields.get(field);
    if (span === undefined || span.end - span.start > LONGEST) return undefined;
    // What is no JSON is the vendor's to refuse.
    return tryParseJson(body.toString('utf8', span.start, span.end));
  };
  for (const field of FIELDS) {
    const value = asText(read(field));
    if (value) return value;
  }
  return asText(asObject(read('metadata'))?.['user_id']) || undefined;
}
