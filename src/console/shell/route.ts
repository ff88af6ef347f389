/** The view that the address names after '#', which browsers send to no server. */

import { type ReadonlySignal, signal } from '@preact/signals';

export interface Route {
  /** The name of the view; `chat` if the address names none. */
  readonly view: string;
  /** What the view shows, such as the id of a conversation; empty if the address does not say. */
  readonly what: string;
}

export function followRoute(): ReadonlySignal<Route> {
  const route = signal(readRoute());
  addEventListener('hashchange', () => {
    route.value = readRoute();
  });
  return route;
}

function readRoute(): Route {
  const [, view = 'chat', what = ''] = /^#\/([\w-]+)(?:\/(.*))?$/s.exec(location.hash) ?? [];
  return { view, what };
}

/** The address of a view. */
export function linkTo(view: string, what = ''): string {
  return what ? `#/${view}/${what}` : `#/${view}`;
}
