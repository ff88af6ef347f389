/** Turns a configuration of another gateway into one of this gateway. */

import { foreignGateway } from '../../config/foreign.ts';
import { importBifrost } from './bifrost.ts';
import { Draft, type Imported } from './draft.ts';
import { importLitellm } from './litellm.ts';
import { importPortkey } from './portkey.ts';
import { openSource, type Source } from './source.ts';

const READERS: Readonly<Record<string, (file: Source, draft: Draft) => unknown>> = {
  LiteLLM: importLitellm,
  Portkey: importPortkey,
  Bifrost: importBifrost,
};

/** Fields that this gateway has no counterpart for, and why, by how they end. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/(?:cache|cache_params(?:\.\w+)?|semantic_cache|vector_store)$/, 'see docs/caching.md: exact matches'],
  [
    /callbacks?$|logs_store$/,
    'see docs/operating.md: the log, /metrics and OpenTelemetry, none of which has prompts',
  ],
  [/litellm_params\.(?:rpm|tpm)$/, 'vendors.*.connections bounds what one address is sent at a time'],
  [/litellm_params\.order$/, 'the addresses of a vendor share the load by weight'],
  [/guardrails?(?:_config)?$|hooks$/, 'see docs/hooks.md: a few lines of your own'],
  [/mcp$/, 'tools are called by the client'],
  [/config_store$/, 'the store is set by DATABASE_URL'],
];

export interface ImportedFrom extends Imported {
  /** The name of the other gateway. */
  readonly gateway: string;
}

/** @returns undefined if the values are not those of a gateway that is known. */
export function importConfig(values: unknown): ImportedFrom | undefined {
  const gateway = foreignGateway(values);
  const file = openSource(values);
  const read = gateway === undefined ? undefined : READERS[gateway];
  if (gateway === undefined || file === undefined || read === undefined) return undefined;
  const draft = new Draft();
  read(file, draft);
  for (const field of file.unread()) {
    const reason = REASONS.find(([end]) => end.test(field))?.[1];
    draft.note(`${field} was left out${reason === undefined ? '' : `: ${reason}`}.`);
  }
  return { gateway, ...draft.result() };
}
