/** Reads the form of limits. */

import { NUMBERS, type NumberName, TAG_NUMBERS } from './limits.ts';

/** The settings of a form, by their names in the admin API. */
export type Settings = Readonly<Record<string, unknown>>;

/** The settings that are not as they were at first. */
export function changedLimits(first: Settings, last: Settings): Settings {
  const changed = Object.entries(last).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(first[name]),
  );
  return Object.fromEntries(changed);
}

/** The settings in a form. A new key or group leaves out what is empty; a change says that there is no limit. */
export function readLimits(form: FormData, isChange: boolean, isKey: boolean): Settings {
  const text = (name: string): string => String(form.get(name) ?? '').trim();
  const models = (name: string): readonly string[] =>
    text(name)
      .split(/[\s,]+/)
      .filter(Boolean);
  const numbers = (prefix: string, names: readonly (readonly [NumberName, string])[]) =>
    Object.fromEntries(
      names
        .filter(([name]) => text(prefix + name) !== '')
        .map(([name]) => [name, Number(text(prefix + name))]),
    );
  const settings: Record<string, unknown> = {};
  const set = (name: string, value: unknown, isSet = true): void => {
    if (isSet) settings[name] = value;
    else if (isChange) settings[name] = null;
  };
  if (!isChange) settings['name'] = text('name');
  set('models', models('models'), models('models').length > 0);
  for (const [name] of NUMBERS) set(name, Number(text(name)), text(name) !== '');
  for (const name of ['budget_reserve', 'stored']) set(name, text(name), text(name) !== '');
  const modelLimits = form.getAll('model_limits').map((prefix) => ({
    models: models(`${prefix}models`),
    ...numbers(String(prefix), NUMBERS),
  }));
  set('model_limits', modelLimits, modelLimits.length > 0);
  if (isKey) {
    const tagLimits = numbers('tag_limits.', TAG_NUMBERS);
    set('tag_limits', tagLimits, Object.keys(tagLimits).length > 0);
    set('group', text('group'), text('group') !== '');
    const expires = text('expires_at');
    set('expires_at', expires && new Date(`${expires}Z`).toISOString(), expires !== '');
  }
  return settings;
}
