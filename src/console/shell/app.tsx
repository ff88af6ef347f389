/** The console: the navigation, and the view that the address names. */

import type { ReadonlySignal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import type { AdminViewOf } from '../admin/views.tsx';
import type { Chat } from '../chat/chat.ts';
import { ChatView } from '../chat/chat-view.tsx';
import icon from '../icon.svg';
import type { Catalog } from '../models/models.ts';
import type { Session } from '../session/session.ts';
import { Icon } from './icons.tsx';
import { KeysDialog } from './keys-dialog.tsx';
import type { Route } from './route.ts';
import { Sidebar, type ViewLink } from './sidebar.tsx';

const VIEWS: readonly ViewLink[] = [{ view: 'chat', name: 'Chat', icon: 'chat' }];

const ADMIN_VIEWS: readonly ViewLink[] = [
  { view: 'usage', name: 'Usage', icon: 'usage' },
  { view: 'exchanges', name: 'Exchanges', icon: 'exchanges' },
  { view: 'keys', name: 'Keys', icon: 'keys' },
  { view: 'groups', name: 'Groups', icon: 'groups' },
  { view: 'health', name: 'Health', icon: 'health' },
];

export interface AppParts {
  readonly session: Session;
  readonly catalog: Catalog;
  readonly chat: Chat;
  readonly route: ReadonlySignal<Route>;
}

export function App({ session, catalog, chat, route }: AppParts) {
  const { view, what } = route.value;
  const [asksKey, setAsksKey] = useState(false);
  const [isMenuOpen, setMenuOpen] = useState(false);
  useEffect(() => {
    if (view === 'chat') void chat.open(what || undefined);
  }, [view, what, chat]);
  // The address names the conversation as soon as it has a message, so that a reload shows it again.
  const { id, nodes } = chat.conversation.value;
  const isBegun = Object.keys(nodes).length > 0;
  useEffect(() => {
    if (view === 'chat' && isBegun && what !== id) history.replaceState(null, '', `#/chat/${id}`);
  }, [view, what, id, isBegun]);

  return (
    <div class={isMenuOpen ? 'console menu-open' : 'console'}>
      <a class="skip" href="#main">
        Skip to the main part
      </a>
      <header class="brand">
        <button
          type="button"
          class="quiet menu"
          aria-label="Menu"
          aria-expanded={isMenuOpen}
          onClick={() => setMenuOpen(!isMenuOpen)}
        >
          <Icon name="menu" />
        </button>
        <img src={icon} alt="" width="24" height="24" />
        <strong>Gateway</strong>
      </header>
      <Sidebar
        views={VIEWS}
        adminViews={ADMIN_VIEWS}
        current={view}
        chat={chat}
        session={session}
        onAskKey={() => setAsksKey(true)}
        onNavigate={() => setMenuOpen(false)}
      />
      <main id="main" tabIndex={-1}>
        {view === 'chat' ? (
          <ChatView chat={chat} catalog={catalog} session={session} onAskKey={() => setAsksKey(true)} />
        ) : (
          <LaterView view={view} session={session} onAskKey={() => setAsksKey(true)} />
        )}
      </main>
      {asksKey && <KeysDialog session={session} onClose={() => setAsksKey(false)} />}
    </div>
  );
}

/** A view of a part that is loaded when it is first opened. */
function LaterView({ view, session, onAskKey }: { view: string; session: Session; onAskKey: () => void }) {
  const [views, setViews] = useState<Readonly<Record<string, AdminViewOf>> | undefined>();
  const [problem, setProblem] = useState('');
  useEffect(() => {
    import('../admin/views.tsx').then(
      (loaded) => setViews(loaded.ADMIN_VIEWS),
      () => setProblem('The gateway cannot be reached.'),
    );
  }, []);
  if (problem) return <p class="error">{problem}</p>;
  if (views === undefined) return null;
  const View = views[view];
  if (View === undefined) return <p class="none">There is no such view.</p>;
  return <View key={view} session={session} onAskKey={onAskKey} />;
}
