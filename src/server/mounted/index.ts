/** The package's main entrance. */

export type { ConfigInput } from '../../config/config-input.ts';
export { defineConfig } from '../../config/define-config.ts';
export { ConfigError } from '../../lib/config-error.ts';
export {
  createGateway,
  type MountedGateway,
  type MountOptions,
} from './create-gateway.ts';
