/** The focus goes back to the button that has opened something in its own place, as it does when a dialog is closed. */

import { useRef } from 'preact/hooks';

/** @returns the `ref` of the button, and what asks for the focus when the button is there again */
export function useOpener<Opener extends HTMLElement>() {
  const isAwaited = useRef(false);
  return {
    opener(element: Opener | null): void {
      if (!isAwaited.current || element === null) return;
      isAwaited.current = false;
      element.focus();
    },
    focusOpener(): void {
      isAwaited.current = true;
    },
  };
}
