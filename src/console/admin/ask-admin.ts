/** The admin API as the console asks it. */

import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { errorMessage, Refused, reach, readRefusal } from '../session/reach.ts';
import type { Session } from '../session/session.ts';

/**
 * Sends a request to the admin API.
 * @param body of a change; absent for none
 * @returns the answer's JSON
 * @throws Refused if the gateway answers with an error, and Error if it cannot be reached
 */
export async function askAdmin<T>(
  session: Session,
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: object,
): Promise<T> {
  const response = await reach(path, {
    method,
    headers: {
      ...adminHeaders(session),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw await readAdminRefusal(session, response);
  return response.json();
}

/** The error in an answer of the admin listener. Whoever has signed in has no key that could be wrong. */
export async function readAdminRefusal({ adminKey, person }: Session, response: Response): Promise<Refused> {
  return response.status === 401 && adminKey.value === '' && person.value !== undefined
    ? new Refused(401, 'Your session is over. Sign in again, here or in another tab.')
    : readRefusal(response);
}

/** What admits an administrator: the key, or the cookie of the session, with the sign that this page sends it. */
export function adminHeaders({ adminKey }: Session): Readonly<Record<string, string>> {
  return adminKey.value ? { authorization: `Bearer ${adminKey.value}` } : { 'x-gateway-console': '1' };
}

/** Whether an administrator is known. */
export function isAdmitted({ adminKey, person }: Session): boolean {
  return adminKey.value !== '' || person.value !== undefined;
}

/** Whether the administrator may change anything. */
export function mayChange({ adminKey, person }: Session): boolean {
  return adminKey.value !== '' || person.value?.role === 'admin';
}

export interface AdminData<T> {
  /** The latest answer; undefined before the first one, and after a key was refused. */
  readonly data: T | undefined;
  /** Why there is no newer answer; empty if there is none. */
  readonly problem: string;
  /** Asks again now. */
  reload(): void;
}

/** Milliseconds until a view that asks only once asks again because it had no answer. */
const AGAIN = 3_000;

/** Milliseconds after which an answer that has not come yet is asked for again. */
const PATIENCE = 30_000;

/**
 * Asks by `load` now, and again whenever `what` changes, and every `interval` milliseconds while the page can be seen.
 * Without an interval it asks again only while the gateway gives no answer, as during a restart. It waits for an answer
 * before it asks again: where answers take longer than the interval, none would ever be the latest. An answer that is out
 * of date is dropped, and so is all data when the key is refused.
 */
export function useAdmin<T>(
  session: Session,
  what: string,
  load: () => Promise<T>,
  interval?: number,
): AdminData<T> {
  const data = useSignal<T | undefined>(undefined);
  const problem = useSignal('');
  const turn = useRef(0);
  const isAnswered = useRef(true);
  /** When the answer that has not come yet was asked for; undefined if none is waited for. */
  const askedAt = useRef<number | undefined>(undefined);
  const key = session.adminKey.value + (session.person.value?.name ?? '');

  const reload = (): void => {
    if (!isAdmitted(session)) return;
    turn.current += 1;
    const asked = turn.current;
    askedAt.current = performance.now();
    load().then(
      (answer) => {
        if (asked !== turn.current) return;
        askedAt.current = undefined;
        data.value = answer;
        problem.value = '';
        isAnswered.current = true;
      },
      (error: unknown) => {
        if (asked !== turn.current) return;
        askedAt.current = undefined;
        problem.value = errorMessage(error);
        isAnswered.current = error instanceof Refused && error.status < 500;
        if (error instanceof Refused && error.status === 401) {
          data.value = undefined;
          session.adminKey.value = '';
          session.person.value = undefined;
          session.refused.value = problem.value;
        }
      },
    );
  };
  const latest = useRef(reload);
  latest.current = reload;
  useEffect(() => {
    latest.current();
    const timer = setInterval(() => {
      const isDue = interval !== undefined || !isAnswered.current;
      const isAsked = askedAt.current !== undefined && performance.now() - askedAt.current < PATIENCE;
      if (isDue && !isAsked && !document.hidden) latest.current();
    }, interval ?? AGAIN);
    return () => {
      turn.current += 1;
      clearInterval(timer);
    };
  }, [what, key, interval]);
  return { data: data.value, problem: problem.value, reload };
}
