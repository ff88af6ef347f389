/** Who makes a change by the admin API, as the audit trail names them. */

import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Actor } from '../../../store/actor.ts';

/** The header by which a caller says who acts, and how many characters of a name are kept. */
export const ACTOR_HEADER = 'x-gateway-actor';
const MAX_ACTOR_LENGTH = 128;

/**
 * Who makes a change: the person who signed in. There is one admin key, so whoever has it is known only by what a proxy
 * or a program says.
 */
export function readActor(
  { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
  signedIn: string | undefined,
  onEntry: Actor['onEntry'],
): Actor {
  const said = signedIn ?? decodeHeader(String(headers[ACTOR_HEADER] ?? ''));
  // A control character could steer a terminal, and a half of a surrogate pair is no text that PostgreSQL takes. A
  // character that changes the direction could show another name than was given.
  const name = said
    .slice(0, MAX_ACTOR_LENGTH)
    .replaceAll(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu, '?');
  return { via: 'api', name: name || undefined, address: socket.remoteAddress, onEntry };
}

/** The text of a header, which Node reads as Latin-1. What is valid UTF-8 is never meant as anything else. */
function decodeHeader(value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : value;
}
