/** Configurations of other gateways: whoever comes from one may try the file that is there already. */

import { isRecord } from './environment.ts';

/** Fields at the top that no configuration of this gateway has (docs.litellm.ai, "All settings"; Portkey's "Config Object"). */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  LiteLLM: ['model_list', 'litellm_settings', 'router_settings', 'general_settings'],
  Portkey: ['strategy', 'targets', 'virtual_key', 'override_params'],
};

/** Whose configuration it is, if it is that of another gateway. */
export function foreignGateway(values: unknown): string | undefined {
  if (!isRecord(values)) return undefined;
  return Object.keys(OTHERS).find((gateway) =>
    OTHERS[gateway]?.some((field) => Object.hasOwn(values, field)),
  );
}
