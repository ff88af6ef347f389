/**
 * What the browser keeps for a page. Where it may keep nothing (a browser told to let no site save data throws at the
 * mere word `localStorage`), or has no room, nothing is kept, and the page works all the same.
 * @param {() => Storage} storage
 */
export function keptIn(storage) {
  return {
    /** @param {string} name */
    get(name) {
      try {
        return storage().getItem(name);
      } catch {
        return null;
      }
    },
    /**
     * @param {string} name
     * @param {string} value nothing, to be forgotten
     */
    set(name, value) {
      try {
        if (value) storage().setItem(name, value);
        else storage().removeItem(name);
      } catch {
        // It is kept for as long as the page is open.
      }
    },
  };
}
