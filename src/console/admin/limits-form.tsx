/** Asks for the settings of a key or a group: an empty field is no limit. */

import { useState } from 'preact/hooks';
import { parseJson } from '../formats/json.ts';
import { errorMessage } from '../session/reach.ts';
import { type Group, type Key, type Limits, NUMBERS } from './limits.ts';

export interface LimitsFormProps {
  /** What it begins with; absent for something new, whose name is asked too. */
  readonly before?: Limits & Partial<Pick<Key, 'expires_at' | 'group'>>;
  /** The groups that a key can belong to; absent for a group itself. */
  readonly groups?: readonly Group[];
  readonly button: string;
  /** Sends the settings. Whatever it throws is shown. */
  readonly onSubmit: (settings: Readonly<Record<string, unknown>>) => Promise<void>;
}

export function LimitsForm({ before, groups, button, onSubmit }: LimitsFormProps) {
  const [problem, setProblem] = useState('');
  const [isSending, setSending] = useState(false);
  const submit = async (form: HTMLFormElement): Promise<void> => {
    setSending(true);
    try {
      await onSubmit(readForm(new FormData(form), before !== undefined, groups !== undefined));
    } catch (error) {
      setProblem(errorMessage(error));
    } finally {
      setSending(false);
    }
  };
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void submit(event.currentTarget);
      }}
    >
      {before === undefined && (
        <label class="field">
          <span>Name, as reports show it</span>
          <input name="name" required maxLength={64} autocomplete="off" />
        </label>
      )}
      <label class="field">
        <span>Models: full ids or vendor/*, one a line; empty for all</span>
        <textarea name="models" rows={2} spellcheck={false} defaultValue={before?.models?.join('\n') ?? ''} />
      </label>
      <div class="fields">
        {NUMBERS.map(([name, label]) => (
          <label class="field" key={name}>
            <span>{label}</span>
            <input
              name={name}
              type="number"
              min={name.startsWith('budget') ? 0 : 1}
              step={name.startsWith('budget') ? 'any' : 1}
              placeholder="no limit"
              defaultValue={before?.[name] ?? ''}
            />
          </label>
        ))}
        {groups && (
          <>
            <label class="field">
              <span>Group</span>
              <select name="group" defaultValue={before?.group ?? ''}>
                <option value="">none</option>
                {groups.map(({ name }) => (
                  <option key={name} value={name}>
                    {name}
                  </option>
                ))}
              </select>
            </label>
            <label class="field">
              <span>Expires (UTC)</span>
              <input
                name="expires_at"
                type="datetime-local"
                defaultValue={before?.expires_at?.slice(0, 16) ?? ''}
              />
            </label>
          </>
        )}
        <label class="field">
          <span>What vendors have stored</span>
          <select name="stored" defaultValue={before?.stored ?? ''}>
            <option value="">by its models</option>
            <option value="all">all</option>
            <option value="own">only its own</option>
            <option value="none">none</option>
          </select>
        </label>
      </div>
      <details>
        <summary>Limits for some models</summary>
        <label class="field">
          <span>
            A JSON list, such as <code>{'[{"models":["openai/*"],"budget_day":5}]'}</code>
          </span>
          <textarea
            class="code"
            name="model_limits"
            rows={4}
            spellcheck={false}
            defaultValue={before?.model_limits ? JSON.stringify(before.model_limits, null, 2) : ''}
          />
        </label>
      </details>
      {problem && (
        <p class="error" role="alert">
          {problem}
        </p>
      )}
      <div class="row">
        <button type="submit" class="primary" disabled={isSending}>
          {button}
        </button>
      </div>
    </form>
  );
}

/** The settings in a form. A new key or group leaves out what is empty; a change says that there is no limit. */
function readForm(form: FormData, isChange: boolean, isKey: boolean): Readonly<Record<string, unknown>> {
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
  set('stored', text('stored') || null);
  if (isKey) {
    set('group', text('group') || null);
    set('expires_at', text('expires_at') === '' ? null : `${text('expires_at')}:00Z`);
  }
  const byModel = text('model_limits');
  if (byModel === '') set('model_limits', null);
  else {
    const value = parseJson(byModel);
    if (!Array.isArray(value)) throw new Error('The limits for some models are not a JSON list.');
    set('model_limits', value);
  }
  return settings;
}
