/** The console: the navigation, and the view that the address names. */

import type { ReadonlySignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Chat } from '../chat/chat.ts';
import { ChatView } from '../chat/chat-view.tsx';
import icon from '../icon.svg';
import type { Model } from '../models/model.ts';
import type { Catalog } from '../models/models.ts';
import type { Session } from '../session/session.ts';
import { Icon } from './icons.tsx';
import { KeysDialog } from './keys-dialog.tsx';
import type { Route } from './route.ts';
import { Sidebar, type ViewLink } from './sidebar.tsx';

const VIEWS: readonly ViewLink[] = [
  { view: 'chat', name: 'Chat' },
  { view: 'translate', name: 'Translate' },
];

const ADMIN_VIEWS: readonly ViewLink[] = [
  { view: 'usage', name: 'Usage' },
  { view: 'exchanges', name: 'Exchanges' },
  { view: 'keys', name: 'Keys' },
  { view: 'groups', name: 'Groups' },
  { view: 'audit', name: 'Audit' },
  { view: 'health', name: 'Health' },
  { view: 'config', name: 'Configuration' },
];

export interface AppParts {
  readonly session: Session;
  readonly catalog: Catalog;
  readonly chat: Chat;
  readonly route: ReadonlySignal<Route>;
}

export function App({ session, catalog, chat, route }: AppParts) {
  const { view, what } = route.value;
  const [isMenuOpen, setMenuOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    if (view === 'chat') void chat.open(what || undefined);
  }, [view, what, chat]);
  // The address names the conversation as soon as it has a message, so that a reload shows it again. It does not follow
  // an address that has changed: that names a conversation which is about to be opened.
  const { id, nodes } = chat.conversation.value;
  const isBegun = Object.keys(nodes).length > 0;
  useEffect(() => {
    if (view === 'chat' && isBegun && what !== id) history.replaceState(null, '', `#/chat/${id}`);
  }, [id, isBegun]);

  return (
    <div class={isMenuOpen ? 'console menu-open' : 'console'}>
      {/* A link to '#main' would leave the view, which the address names after '#'. */}
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to the main part
      </button>
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
        onNavigate={() => setMenuOpen(false)}
      />
      <main id="main" tabIndex={-1} ref={main}>
        {view === 'chat' ? (
          <ChatView chat={chat} catalog={catalog} session={session} />
        ) : (
          <LaterView session={session} catalog={catalog} route={route.value} />
        )}
      </main>
      {session.asksKeys.value && (
        <KeysDialog
          session={session}
          needs={ADMIN_VIEWS.some((each) => each.view === view) ? 'admin key' : 'key'}
          onClose={() => {
            session.asksKeys.value = false;
          }}
        />
      )}
    </div>
  );
}

/** A view of a part that is loaded when it is first opened. */
function LaterView({
  session,
  catalog,
  route: { view, what },
}: Pick<AppParts, 'session' | 'catalog'> & { route: Route }) {
  const [loaded, setLoaded] = useState<
    { readonly of: string; readonly View: ComponentType<ViewProps> } | undefined
  >();
  const [problem, setProblem] = useState<'unknown' | 'not loaded' | undefined>();
  useEffect(() => {
    let isCurrent = true;
    loadView(view).then(
      (View) => {
        if (!isCurrent) return;
        setLoaded(View && { of: view, View });
        setProblem(View ? undefined : 'unknown');
      },
      () => {
        if (isCurrent) setProblem('not loaded');
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [view]);
  if (problem === 'unknown')
    return (
      <div class="admin">
        <h1>There is no such view.</h1>
      </div>
    );
  if (problem === 'not loaded')
    return (
      <div class="admin">
        <h1>This view could not be loaded.</h1>
        <p>The gateway cannot be reached, or has been updated since this page was opened.</p>
        {/* A browser may remember that a module did not load, and not ask for it again in the same page. */}
        <button type="button" class="primary" onClick={() => location.reload()}>
          Reload the page
        </button>
      </div>
    );
  if (loaded?.of !== view) return null;
  const { View } = loaded;
  return <View session={session} models={catalog.models.value} link={what} />;
}

interface ViewProps {
  readonly session: Session;
  readonly models: readonly Model[];
  /** What the address says after the name of the view. */
  readonly link: string;
}

async function loadView(view: string): Promise<ComponentType<ViewProps> | undefined> {
  if (view === 'translate') return (await import('../translation/translation-view.tsx')).TranslationView;
  return (await import('../admin/views.tsx')).ADMIN_VIEWS[view];
}
