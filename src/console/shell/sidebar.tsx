/** The navigation: the views, and below them the conversations. */

import { useState } from 'preact/hooks';
import type { Chat } from '../chat/chat.ts';
import { reach } from '../session/reach.ts';
import { type Session, switchTheme } from '../session/session.ts';
import type { Head } from '../store/conversations.ts';
import { Icon, type IconName } from './icons.tsx';
import { linkTo } from './route.ts';

export interface ViewLink {
  readonly view: string;
  readonly name: string;
  readonly icon: IconName;
}

export function Sidebar({
  views,
  adminViews,
  current,
  chat,
  session,
  onAskKey,
  onNavigate,
}: {
  views: readonly ViewLink[];
  adminViews: readonly ViewLink[];
  current: string;
  chat: Chat;
  session: Session;
  onAskKey: () => void;
  onNavigate: () => void;
}) {
  const { id, nodes } = chat.conversation.value;
  const begun = Object.keys(nodes).length > 0 ? id : '';
  const link = ({ view, name, icon }: ViewLink) => (
    <li key={view}>
      <a
        // The chat is found again as it was left.
        href={linkTo(view, view === 'chat' ? begun : '')}
        aria-current={view === current ? 'page' : undefined}
        onClick={onNavigate}
      >
        <Icon name={icon} /> {name}
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
        <button type="button" class="quiet" onClick={onAskKey}>
          <Icon name="key" /> Access
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
    await reach('/admin/sign-out', { method: 'POST' });
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
  const [title, setTitle] = useState<string | undefined>();
  if (title !== undefined) {
    const rename = (): void => {
      setTitle(undefined);
      if (title.trim() && title !== head.title) void chat.rename(head.id, title.trim());
    };
    return (
      <li>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            rename();
          }}
        >
          <input
            aria-label="Title"
            value={title}
            ref={(element) => element?.focus()}
            onInput={(event) => setTitle(event.currentTarget.value)}
            onBlur={rename}
          />
        </form>
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
        onClick={() => setTitle(head.title)}
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
