/** The frame of the views for administrators: they need the admin key, and the listener that knows it. */

import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { at, textAt } from '../formats/json.ts';
import { reach } from '../session/reach.ts';
import { ROOT } from '../session/root.ts';
import { askKeys, type Person, type Session } from '../session/session.ts';
import { Problem } from '../shell/fields.tsx';
import { isAdmitted } from './ask-admin.ts';

export function AdminView({
  title,
  session,
  isLoaded,
  problem,
  actions,
  children,
}: {
  title: string;
  session: Session;
  /** Whether there is something to show. */
  isLoaded: boolean;
  /** Why there is nothing new to show; empty if there is. */
  problem: string;
  actions?: ComponentChildren;
  children: ComponentChildren;
}) {
  const isLocked = !isAdmitted(session);
  return (
    <div class="admin">
      <header class="view-head">
        <h1>{title}</h1>
        {!isLocked && <div class="row">{actions}</div>}
      </header>
      {isLocked ? (
        <Locked session={session} />
      ) : (
        <>
          {problem.startsWith('404') ? <NotHere /> : <Problem text={problem} />}
          {!isLoaded && !problem && (
            <p class="hint loading" role="status">
              Loading…
            </p>
          )}
          {children}
        </>
      )}
    </div>
  );
}

function Locked({ session }: { session: Session }) {
  const problem = session.refused.value;
  const [canSignIn, setCanSignIn] = useState(false);
  useEffect(() => {
    findSession().then(
      ({ person, canSignIn: offered }) => {
        session.person.value = person;
        setCanSignIn(offered);
      },
      // Without an answer there is still the key.
      () => setCanSignIn(false),
    );
  }, [session]);
  return (
    <section class="card locked">
      <Problem text={problem} />
      <p>
        This part needs the admin key: the value of <code>GATEWAY_ADMIN_KEY</code>, or <code>admin.key</code>{' '}
        in the configuration.
      </p>
      <div class="row">
        {canSignIn && (
          <a class="button primary" href={`${ROOT}/admin/sign-in`}>
            Sign in
          </a>
        )}
        <button type="button" class={canSignIn ? '' : 'primary'} onClick={() => askKeys(session)}>
          Enter the admin key
        </button>
      </div>
    </section>
  );
}

/** Who has signed in, and whether anybody can. */
async function findSession(): Promise<{ person: Person | undefined; canSignIn: boolean }> {
  const response = await reach('/admin/session');
  if (!response.ok) return { person: undefined, canSignIn: false };
  const session: unknown = await response.json();
  const name = textAt(session, 'name');
  return {
    person: name ? { name, role: textAt(session, 'role') } : undefined,
    canSignIn: at(session, 'sign_in') === true,
  };
}

function NotHere() {
  return (
    <section class="card locked">
      <p>
        This address serves callers, and has no admin API. The console of the admin listener has all views:{' '}
        <code>http://127.0.0.1:8788/</code> unless <code>GATEWAY_ADMIN_HOST</code> and{' '}
        <code>GATEWAY_ADMIN_PORT</code> say otherwise.
      </p>
    </section>
  );
}
