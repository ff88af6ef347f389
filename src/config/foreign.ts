/** Recognizes configurations of other gateways, which newcomers may try to use as they are. */

import { isRecord } from '../lib/is-record.ts';

/**
 * Top-level fields that no configuration of this gateway has (docs.litellm.ai, "All settings"; Portkey's "Config
 * Object"; docs.getbifrost.ai, "Schema Reference").
 */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  LiteLLM: ['model_list', 'litellm_settings', 'router_settings', 'general_settings'],
  Portkey: ['strategy', 'targets', 'virtual_key', 'override_params'],
  Bifrost: ['providers', 'governance', 'config_store', 'mcp'],
};

/** The name of the other gateway that a configuration is written for; undefined if there is none. */
export function foreignGateway(values: unknown): string | undefined {
  if (!isRecord(values)) return undefined;
  return Object.keys(OTHERS).find((gateway) =>
    OTHERS[gateway]?.some((field) => Object.hasOwn(values, field)),
  );
}
