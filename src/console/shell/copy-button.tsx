/** A button that copies a text, and confirms it. */

import { useRef, useState } from 'preact/hooks';

/** Milliseconds for which a button confirms the copy. */
const CONFIRMED = 1_500;

/** @param props `label`: what a screen reader says; `text` is called on each click */
export function CopyButton({
  label,
  text,
  children = 'Copy',
}: {
  label: string;
  text: () => string | Promise<string>;
  children?: string;
}) {
  const [isCopied, setCopied] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const copy = async (): Promise<void> => {
    await toClipboard(text());
    button.current?.focus();
    setCopied(true);
    setTimeout(() => setCopied(false), CONFIRMED);
  };
  return (
    <button type="button" class="quiet" ref={button} aria-label={label} onClick={() => void copy()}>
      {isCopied ? 'Copied' : children}
    </button>
  );
}

async function toClipboard(given: string | Promise<string>): Promise<void> {
  // Safari lets a page write only while it answers a click, unless what it writes is promised then.
  if (typeof given !== 'string' && navigator.clipboard !== undefined) {
    const promised = given.then((text) => new Blob([text], { type: 'text/plain' }));
    return navigator.clipboard.write([new ClipboardItem({ 'text/plain': promised })]);
  }
  const text = await given;
  // A page over plain HTTP from another machine has no `navigator.clipboard` (W3C Clipboard API, "Secure Contexts"). It
  // can still copy a selection.
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  // A modal dialog makes all that is outside it inert, and what is inert cannot be selected.
  (document.querySelector('dialog[open]') ?? document.body).append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}
