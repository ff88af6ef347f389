/**
 * Reads the key that the page's address carries after '#', as the gateway prints it at the start. Browsers send that
 * part of an address to no server. The key is removed from the address bar.
 * @returns {string | null}
 */
export function givenKey() {
  const given = new URLSearchParams(location.hash.slice(1)).get('key');
  if (given) history.replaceState(null, '', location.pathname);
  return given;
}
