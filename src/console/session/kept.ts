/**
 * Opens what the browser keeps for a page. A browser that may save no site data throws as soon as `localStorage` is
 * read, and another may have no room left. Then nothing is kept, and the page still works.
 */

export interface Kept {
  /** The text under a name; empty if nothing is kept. */
  get(name: string): string;
  /** Keeps a text; an empty one removes what is kept. */
  set(name: string, value: string): void;
}

export function keptIn(storage: () => Storage): Kept {
  return {
    get(name) {
      try {
        return storage().getItem(name) ?? '';
      } catch {
        return '';
      }
    },
    set(name, value) {
      try {
        if (value) storage().setItem(name, value);
        else storage().removeItem(name);
      } catch {
        // The value then lasts only as long as the page is open.
      }
    },
  };
}
