/**
 * The gateway's address, without a slash at its end. It is found from the address of this script, since a proxy may
 * serve the gateway below a path of its own.
 */
export const ROOT = new URL(/* @vite-ignore */ '..', import.meta.url).href.slice(0, -1);
