/**
 * The key that an address has behind its '#', as the start prints one: that part of an address is sent to nobody. It is
 * taken out of the address bar.
 * @returns {string | null}
 */
export function givenKey() {
  const given = new URLSearchParams(location.hash.slice(1)).get('key');
  if (given) history.replaceState(null, '', location.pathname);
  return given;
}
