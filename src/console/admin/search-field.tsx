/** A field for a text that rows of a table are to have. */

export function SearchField({
  label,
  sought,
  onSeek,
  onEnter,
}: {
  label: string;
  sought: string;
  onSeek: (sought: string) => void;
  /** Called when the text is complete. */
  onEnter?: () => void;
}) {
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={label}
      spellcheck={false}
      value={sought}
      onInput={(event) => onSeek(event.currentTarget.value)}
      onKeyDown={(event) => event.key === 'Enter' && !event.isComposing && onEnter?.()}
    />
  );
}

/** Whether one of some texts has the one that is sought, in whatever case. */
export function hasText(sought: string, ...texts: readonly (string | null)[]): boolean {
  const wanted = sought.trim().toLowerCase();
  return texts.some((text) => text?.toLowerCase().includes(wanted));
}
