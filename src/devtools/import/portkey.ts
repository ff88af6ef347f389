/** A config object of Portkey (portkey.ai/docs, "Gateway config object"). */

import type { Draft } from './draft.ts';
import { guessProvider } from './providers.ts';
import type { Source } from './source.ts';

/** Takes over a target, or a group of targets. @returns the ids of the models that it names, in its order. */
export function importPortkey(part: Source, draft: Draft): readonly string[] {
  importSettings(part, draft);
  const strategy = part.part('strategy');
  const mode = strategy?.text('mode');
  strategy?.skip('on_status_codes');
  const targets = part.parts('targets');
  if (targets.length === 0) return importTarget(part, draft);
  const found = targets.map((target) => importPortkey(target, draft));
  const ids = [...new Set(found.flat())];
  const [first, ...others] = ids;
  if (mode === 'conditional') {
    strategy?.skip('conditions', 'default');
    draft.note(`${at(part)}strategy: conditions were left out. The caller names the model.`);
  } else if (first !== undefined && others.length > 0) {
    draft.fallback('fallbacks', first, others);
    if (mode === 'loadbalance')
      draft.note(
        `${at(part)}strategy: load is shared between addresses of one vendor alone. ${first} answers, and ${others.join(', ')} if it cannot.`,
      );
  } else if (mode === 'fallback' && targets.length > 1) {
    draft.note(
      `${at(part)}strategy: fallbacks are between models here, and these targets name none. Add them under fallbacks by model.`,
    );
  }
  return ids;
}

function importTarget(target: Source, draft: Draft): readonly string[] {
  const name = target.text('provider') ?? target.text('virtual_key');
  target.skip('virtual_key');
  const model = target.part('override_params')?.text('model');
  if (name === undefined) return [];
  const [slug = '', inName] = name.split('/');
  const provider = guessProvider(slug);
  if (provider === undefined) {
    target.skip(...target.names());
    draft.note(
      `${at(target)}provider: the vendor behind ${name} is not known. Add it under vendors by hand.`,
    );
    return [];
  }
  if (provider !== slug.toLowerCase())
    draft.note(`${at(target)}provider: ${name} was taken for ${provider}. Its key is not in the file.`);
  const vendor = draft.place({
    field: target.field === '' ? 'the config' : target.field,
    provider,
    apiKey: target.text('api_key'),
    baseUrl: target.text('custom_host'),
    weight: target.number('weight'),
  });
  const wanted = model ?? inName;
  return vendor === undefined || wanted === undefined ? [] : [draft.model(vendor, wanted)];
}

function importSettings(part: Source, draft: Draft): void {
  const retry = part.part('retry');
  retry?.skip('on_status_codes', 'use_retry_after_header');
  draft.retries(`${at(part)}retry.attempts`, retry?.number('attempts'));
  const milliseconds = part.number('request_timeout');
  draft.set('timeouts', 'total', milliseconds && Math.trunc(milliseconds));
}

function at({ field }: Source): string {
  return field === '' ? '' : `${field}.`;
}
