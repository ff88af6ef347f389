/** A part that is closed at first, and built when it is opened: a table of days and models has thousands of rows. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

export function Fold({ summary, children }: { summary: string; children: () => ComponentChildren }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && children()}
    </details>
  );
}
