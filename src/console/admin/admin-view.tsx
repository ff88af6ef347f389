/** The frame of the views for administrators: they need the admin key, and the listener that knows it. */

import type { ComponentChildren } from 'preact';
import type { Session } from '../session/session.ts';

export function AdminView({
  title,
  session,
  problem,
  actions,
  children,
  onAskKey,
}: {
  title: string;
  session: Session;
  /** Why there is nothing new to show; empty if there is. */
  problem: string;
  actions?: ComponentChildren;
  children: ComponentChildren;
  onAskKey: () => void;
}) {
  const isLocked = session.adminKey.value === '';
  return (
    <div class="admin">
      <header class="view-head">
        <h1>{title}</h1>
        {!isLocked && <div class="row">{actions}</div>}
      </header>
      {isLocked ? (
        <Locked problem={session.refused.value} onAskKey={onAskKey} />
      ) : (
        <>
          {problem.startsWith('404') ? (
            <NotHere />
          ) : (
            problem && (
              <p class="error" role="alert">
                {problem}
              </p>
            )
          )}
          {children}
        </>
      )}
    </div>
  );
}

function Locked({ problem, onAskKey }: { problem: string; onAskKey: () => void }) {
  return (
    <section class="card locked">
      {problem && (
        <p class="error" role="alert">
          {problem}
        </p>
      )}
      <p>
        This part needs the admin key: the value of <code>GATEWAY_ADMIN_KEY</code>, or <code>admin.key</code>{' '}
        in the configuration.
      </p>
      <button type="button" class="primary" onClick={onAskKey}>
        Enter the admin key
      </button>
    </section>
  );
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
