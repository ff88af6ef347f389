/** The focus goes back to the button that has opened something in its own place, as it does when a dialog is closed. */

import type { RefCallback } from 'preact';
import { useRef } from 'preact/hooks';

/** @returns the `ref` of the button, and what asks for the focus when the button is there again */
export function useOpener<Opener extends HTMLElement>(): {
  readonly opener: RefCallback<Opener>;
  focusOpener(): void;
} {
  const isAwaited = useRef(false);
  return {
    opener(element) {
      if (!isAwaited.current || element === null) return;
      isAwaited.current = false;
      element.focus();
    },
    focusOpener() {
      isAwaited.current = true;
    },
  };
}
