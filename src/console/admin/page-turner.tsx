/** The buttons below a list of which the newest entries are the first page. */

interface PageTurnerProps {
  /** What asks for each page from the second one to the present one. */
  readonly pages: readonly string[];
  /** What asks for the next page; null if there is none. */
  readonly next: string | null;
  onTurn(pages: readonly string[]): void;
}

/** Nothing if there is one page only. */
export function PageTurner({ pages, next, onTurn }: PageTurnerProps) {
  if (pages.length === 0 && next === null) return null;
  return (
    <div class="row">
      <button type="button" disabled={pages.length === 0} onClick={() => onTurn(pages.slice(0, -1))}>
        Newer
      </button>
      <button
        type="button"
        disabled={next === null}
        onClick={() => next !== null && onTurn([...pages, next])}
      >
        Older
      </button>
    </div>
  );
}
