/** The navigation: the views, and below them the conversations. */

import { useRef, useState } from 'preact/hooks';
import type { Chat } from '../chat/chat.ts';
import { reach } from '../session/reach.ts';
import { askKeys, type Session, switchTheme } from '../session/session.ts';
import type { Head } from '../store/conversations.ts';
import { Icon, type IconName } from './icons.tsx';
import { linkTo } from './route.ts';
import { useOpener } from './use-opener.ts';

export interface ViewLink {
  /** Its name in the address, which is that of its icon too. */
  readonly view: IconName;
  readonly name: string;
}

export function Sidebar({
  views,
  adminViews,
  current,
  chat,
  session,
  onNavigate,
}: {
  views: readonly ViewLink[];
  adminViews: readonly ViewLink[];
  current: string;
  chat: Chat;
  session: Session;
  onNavigate: () => void;
}) {
  const { id, nodes } = chat.conversation.value;
  const begun = Object.keys(nodes).length > 0 ? id : '';
  const link = ({ view, name }: ViewLink) => (
    <li key={view}>
      <a
        // The chat is found again as it was left.
        href={linkTo(view, view === 'chat' ? begun : '')}
        aria-current={view === current ? 'page' : undefined}
        onClick={onNavigate}
      >
        <Icon name={view} /> {name}
      </a>
    </li>
  );
  return (
    <div class="sidebar">
      <nav aria-label="Views">
        <ul>{views.map(link)}</ul>
        <h2>Administration</h2>
        <ul>{adminViews.map(link)}</ul>
      </nav>
      <Conversations chat={chat} current={current} onNavigate={onNavigate} />
      <SignedIn session={session} />
      <div class="sidebar-foot">
        <button type="button" class="quiet" onClick={() => askKeys(session)}>
          <Icon name="keys" /> Access
        </button>
        <button
          type="button"
          class="quiet"
          aria-label="Switch between light and dark"
          onClick={() => switchTheme(session)}
        >
          <Icon name={session.theme.value === 'dark' ? 'sun' : 'moon'} />
        </button>
      </div>
    </div>
  );
}

function SignedIn({ session }: { session: Session }) {
  const person = session.person.value;
  if (person === undefined) return null;
  const signOut = async (): Promise<void> => {
    await reach('/admin/sign-out', { method: 'POST', headers: { 'x-gateway-console': '1' } });
    session.person.value = undefined;
  };
  return (
    <section class="signed-in" aria-label="Signed in">
      <span>
        {person.name} <small>{person.role}</small>
      </span>
      <button type="button" class="quiet" onClick={() => void signOut()}>
        Sign out
      </button>
    </section>
  );
}

function Conversations({
  chat,
  current,
  onNavigate,
}: {
  chat: Chat;
  current: string;
  onNavigate: () => void;
}) {
  const [sought, setSought] = useState('');
  const words = sought.toLowerCase().split(/\s+/).filter(Boolean);
  const found = chat.heads.value.filter(({ title, words: said }) => {
    const all = `${title}\n${said}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
  return (
    <section class="conversations" aria-label="Conversations">
      <div class="row">
        <input
          type="search"
          placeholder="Search"
          aria-label="Search conversations"
          value={sought}
          onInput={(event) => setSought(event.currentTarget.value)}
        />
        <a
          class="button"
          href={linkTo('chat')}
          onClick={() => newChat(chat, onNavigate)}
          aria-label="New chat"
        >
          <Icon name="plus" />
        </a>
      </div>
      <ul>
        {found.map((head) => (
          <ConversationRow
            key={head.id}
            head={head}
            chat={chat}
            isOpen={current === 'chat' && head.id === chat.conversation.value.id}
            onNavigate={onNavigate}
          />
        ))}
      </ul>
      {words.length > 0 && found.length === 0 && <p class="none">Nothing found.</p>}
    </section>
  );
}

function newChat(chat: Chat, onNavigate: () => void): void {
  void chat.open(undefined);
  onNavigate();
}

function ConversationRow({
  head,
  chat,
  isOpen,
  onNavigate,
}: {
  head: Head;
  chat: Chat;
  isOpen: boolean;
  onNavigate: () => void;
}) {
  const [isRenaming, setRenaming] = useState(false);
  const { opener, focusOpener } = useOpener<HTMLButtonElement>();
  if (isRenaming) {
    const end = (title: string): void => {
      setRenaming(false);
      if (title && title !== head.title) void chat.rename(head.id, title);
    };
    return (
      <li>
        <TitleForm title={head.title} onEnd={end} onKey={focusOpener} />
      </li>
    );
  }
  return (
    <li class="conversation">
      <a href={linkTo('chat', head.id)} aria-current={isOpen ? 'page' : undefined} onClick={onNavigate}>
        {head.title}
      </a>
      <button
        type="button"
        class="quiet"
        aria-label={`Rename ${head.title}`}
        ref={opener}
        onClick={() => setRenaming(true)}
      >
        <Icon name="edit" />
      </button>
      <button
        type="button"
        class="quiet"
        aria-label={`Delete ${head.title}`}
        onClick={() => {
          if (confirm(`Delete “${head.title}”?`)) void chat.remove(head.id);
        }}
      >
        <Icon name="trash" />
      </button>
    </li>
  );
}

/** A title that can be changed. To leave the field keeps it, as Enter does; Escape does not. */
function TitleForm({
  title,
  onEnd,
  onKey,
}: {
  title: string;
  /** Called once, with the title that is to be kept. */
  onEnd: (title: string) => void;
  /** Called before it ends by a key. */
  onKey: () => void;
}) {
  const [draft, setDraft] = useState(title);
  const hasEnded = useRef(false);
  // A field that is removed while it has the focus is left, too.
  const end = (kept: string): void => {
    if (hasEnded.current) return;
    hasEnded.current = true;
    onEnd(kept.trim());
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onKey();
        end(draft);
      }}
    >
      <input
        aria-label="Title"
        value={draft}
        ref={(element) => element?.focus()}
        onInput={(event) => setDraft(event.currentTarget.value)}
        onBlur={() => end(draft)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          // Otherwise it would stop an answer.
          event.preventDefault();
          onKey();
          end(title);
        }}
      />
    </form>
  );
}
