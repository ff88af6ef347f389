/**
 * The keys that the user has given, and the theme. Keys stay in the tab, unless the user asks for them to be remembered
 * on this device.
 */

import { effect, type Signal, signal } from '@preact/signals';
import { keptIn } from './kept.ts';

export type Theme = 'light' | 'dark';

export interface Person {
  readonly name: string;
  /** A viewer may not change anything. */
  readonly role: string;
}

export interface Session {
  /** The key for models; empty if none is given. */
  readonly key: Signal<string>;
  /** The admin key; empty if none is given. */
  readonly adminKey: Signal<string>;
  /** Who has signed in at the identity provider; undefined if nobody has. */
  readonly person: Signal<Person | undefined>;
  /** Why the last admin key was refused; empty if none was. */
  readonly refused: Signal<string>;
  /** Whether the browser keeps the keys beyond this tab. */
  readonly remembered: Signal<boolean>;
  /** Whether the dialog that asks for the keys is open. */
  readonly asksKeys: Signal<boolean>;
  readonly theme: Signal<Theme>;
}

const KEYS = ['key', 'admin-key'] as const;

const REPLACES =
  'This link has another key than the one you use here. Requests would then be made with the key of whoever sent it. Use it?';

/**
 * Opens the session. The address of the page may carry `#key=` or `#admin-key=`, as the gateway prints it at the start.
 * Browsers send that part of an address to no server, and it is removed from the address bar. Anybody can send such a link,
 * and whoever follows it must not go on under the sender's key unawares, nor lose the own one: if there is one, the user is
 * asked.
 */
export function openSession(): Session {
  const tab = keptIn(() => sessionStorage);
  const device = keptIn(() => localStorage);
  const given = new URLSearchParams(location.hash.slice(1));
  if (KEYS.some((name) => given.has(name))) history.replaceState(null, '', location.pathname);
  const held = (name: (typeof KEYS)[number]): string => tab.get(name) || device.get(name);
  const isReplaced = KEYS.some((name) => held(name) && given.get(name) && given.get(name) !== held(name));
  const takesGiven = !isReplaced || confirm(REPLACES);
  const read = (name: (typeof KEYS)[number]): string => (takesGiven && given.get(name)) || held(name);

  const key = signal(read('key'));
  const adminKey = signal(read('admin-key'));
  const remembered = signal(KEYS.some((name) => device.get(name) !== ''));
  effect(() => {
    for (const [name, value] of [
      ['key', key.value],
      ['admin-key', adminKey.value],
    ] as const) {
      tab.set(name, value);
      device.set(name, remembered.value ? value : '');
    }
  });
  const person = signal<Person | undefined>(undefined);
  return {
    key,
    adminKey,
    person,
    refused: signal(''),
    remembered,
    asksKeys: signal(false),
    theme: openTheme(),
  };
}

/** Follows the browser's preference for light or dark until the user chooses. */
function openTheme(): Signal<Theme> {
  const device = keptIn(() => localStorage);
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const preferred = (): Theme => (dark.matches ? 'dark' : 'light');
  const kept = device.get('theme');
  const theme = signal<Theme>(kept === 'dark' || kept === 'light' ? kept : preferred());
  dark.addEventListener('change', () => {
    if (!device.get('theme')) theme.value = preferred();
  });
  effect(() => {
    document.documentElement.dataset['theme'] = theme.value;
  });
  return theme;
}

/** Opens the dialog that asks for the keys. */
export function askKeys({ asksKeys }: Session): void {
  asksKeys.value = true;
}

/** Switches between light and dark, for this and later visits. */
export function switchTheme({ theme }: Session): void {
  theme.value = theme.value === 'dark' ? 'light' : 'dark';
  keptIn(() => localStorage).set('theme', theme.value);
}
