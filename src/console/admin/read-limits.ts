/** Reads the form of limits. */

import { isObject, parseJson } from '../formats/json.ts';
import { NUMBERS } from './limits.ts';

/**
 * The settings in a form. A new key or group leaves out what is empty; a change says that there is no limit.
 * @throws Error for JSON that is none, or of another kind
 */
export function readLimits(
  form: FormData,
  isChange: boolean,
  isKey: boolean,
): Readonly<Record<string, unknown>> {
  const text = (name: string): string => String(form.get(name) ?? '').trim();
  const settings: Record<string, unknown> = {};
  const set = (name: string, value: unknown): void => {
    if (value !== null) settings[name] = value;
    else if (isChange) settings[name] = null;
  };
  if (!isChange) settings['name'] = text('name');
  const models = text('models')
    .split(/[\s,]+/)
    .filter(Boolean);
  set('models', models.length > 0 ? models : null);
  for (const [name] of NUMBERS) set(name, text(name) === '' ? null : Number(text(name)));
  set('budget_reserve', text('budget_reserve') || null);
  set('stored', text('stored') || null);
  if (isKey) {
    set('group', text('group') || null);
    set('expires_at', text('expires_at') === '' ? null : new Date(`${text('expires_at')}Z`).toISOString());
  }
  const byModel = text('model_limits');
  const modelLimits = byModel === '' ? null : parseJson(byModel);
  if (modelLimits !== null && !Array.isArray(modelLimits))
    throw new Error('The limits for some models are not a JSON list.');
  set('model_limits', modelLimits);
  if (isKey) {
    const byTag = text('tag_limits');
    const tagLimits = byTag === '' ? null : parseJson(byTag);
    if (tagLimits !== null && !isObject(tagLimits))
      throw new Error('The limits for each tag are not a JSON object.');
    set('tag_limits', tagLimits);
  }
  return settings;
}
