/**
 * A modal dialog: the browser's own, which keeps the focus inside, closes by Escape, and gives the focus back. Without
 * `onClose` it closes by nothing but what is inside it.
 */

import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from './icons.tsx';

export function Dialog({
  title,
  children,
  onClose,
  wide = false,
}: {
  title: string;
  children: ComponentChildren;
  onClose?: () => void;
  wide?: boolean;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const name = useId();
  // The dialog is shown in the task that adds it to the document. Escape pressed in between would be lost.
  useLayoutEffect(() => {
    const element = dialog.current;
    if (element === null) return;
    const before = document.activeElement;
    element.showModal();
    return () => {
      element.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={wide ? 'wide' : ''}
      aria-labelledby={name}
      // `close` would also tell that this dialog was closed to show another one.
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
      // A browser heeds what is said about its own closing only the first time.
      onKeyDown={(event) => {
        if (onClose === undefined && event.key === 'Escape') event.preventDefault();
      }}
    >
      <header>
        <h2 id={name}>{title}</h2>
        {onClose && (
          <button type="button" class="quiet" aria-label="Close" onClick={onClose}>
            <Icon name="close" />
          </button>
        )}
      </header>
      <div class="dialog-body">{children}</div>
    </dialog>
  );
}
