/**
 * Opens what the browser keeps for a page. A browser that may save no site data throws as soon as `localStorage` is
 * read, and another may have no room left. Then nothing is kept, and the page still works.
 * @param {() => Storage} storage
 */
export function keptIn(storage) {
  return {
    /**
     * @param {string} name
     * @returns {string | null} null if nothing is kept
     */
    get(name) {
      try {
        return storage().getItem(name);
      } catch {
        return null;
      }
    },
    /**
     * @param {string} name
     * @param {string} value an empty text removes what is kept
     */
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
