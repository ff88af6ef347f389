/** What the bundle has in place of whole packages whose entry loads far more than the program uses. */

/** The modules, by the names that are imported. A name that the program imports and that is missing here fails the build. */
const MODULES = {
  // Undici's own entry loads its mocks, caches, interceptors and WebSockets as well.
  undici: `
    import api from 'undici/lib/api/index.js';
    import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
    Object.assign(Dispatcher.prototype, api);
    export { Dispatcher };
    export { default as buildConnector } from 'undici/lib/core/connect.js';
    export { default as Agent } from 'undici/lib/dispatcher/agent.js';
    export { default as Client } from 'undici/lib/dispatcher/client.js';
    export { default as EnvHttpProxyAgent } from 'undici/lib/dispatcher/env-http-proxy-agent.js';
    export { default as Pool } from 'undici/lib/dispatcher/pool.js';
    export { default as errors } from 'undici/lib/core/errors.js';
    export { fetch } from 'undici/lib/web/fetch/index.js';`,
  // Listhen makes and reads certificates with it. The gateway listens without TLS.
  'node-forge': `
    const forge = () => { throw new Error('The gateway listens without TLS, so the bundle has no node-forge.'); };
    export default new Proxy({}, { get: forge });`,
  // Only a configuration in JavaScript or TypeScript needs it. Jiti's own entry looks for its compiler beside itself.
  jiti: `
    export const createJiti = (...options) => ({
      import: async (...file) => (await import('jiti/static')).createJiti(...options).import(...file),
    });`,
};

/** A plugin of rolldown that bundles these modules. */
export const smallerPackages = {
  name: 'smaller-packages',
  /** @param {string} id */
  resolveId: (id) => (Object.hasOwn(MODULES, id) ? `\0smaller:${id}` : undefined),
  /** @param {string} id */
  load: (id) => new Map(Object.entries(MODULES)).get(id.replace('\0smaller:', '')),
};
