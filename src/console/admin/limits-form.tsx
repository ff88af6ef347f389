/** Asks for the settings of a key or a group: an empty field is no limit. */

import { useLayoutEffect, useRef } from 'preact/hooks';
import { Problem, Select } from '../shell/fields.tsx';
import { ModelLimits, TagLimitFields } from './further-limits.tsx';
import { type Group, type Key, type Limits, NUMBERS } from './limits.ts';
import { NumberFields } from './number-fields.tsx';
import { changedLimits, readLimits, type Settings } from './read-limits.ts';
import { useChange } from './use-change.ts';

export interface LimitsFormProps {
  /** What it begins with; absent for something new, whose name is asked too. */
  readonly before?: Limits & Partial<Pick<Key, 'expires_at' | 'group' | 'tag_limits'>>;
  /** The groups that a key can belong to; absent for a group itself. */
  readonly groups?: readonly Group[];
  readonly button: string;
  /** Sends the settings: of a change only those that differ, so that what others have changed meanwhile stays. */
  readonly onSubmit: (settings: Settings) => Promise<void>;
}

export function LimitsForm({ before, groups, button, onSubmit }: LimitsFormProps) {
  const { problem, isSending, send } = useChange();
  const form = useRef<HTMLFormElement>(null);
  const isChange = before !== undefined;
  const read = (element: HTMLFormElement) =>
    readLimits(new FormData(element), isChange, groups !== undefined);
  /** The settings as the form began with them. */
  const first = useRef<Settings>({});
  useLayoutEffect(() => {
    if (isChange && form.current !== null) first.current = read(form.current);
  }, []);
  return (
    <form
      class="stack"
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        const settings = read(event.currentTarget);
        void send(() => onSubmit(changedLimits(first.current, settings)));
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
        <NumberFields numbers={NUMBERS} before={before} />
        {groups && (
          <>
            <Select
              name="group"
              label="Group"
              value={before?.group ?? ''}
              options={[['', 'none'], ...groups.map(({ name }) => [name, name] as const)]}
            />
            <label class="field">
              <span>Expires (UTC)</span>
              <input
                name="expires_at"
                type="datetime-local"
                // A key may expire within a minute, too.
                step="any"
                defaultValue={before?.expires_at?.slice(0, -1) ?? ''}
              />
            </label>
          </>
        )}
        <Select
          name="budget_reserve"
          label="Each request holds of its budgets"
          value={before?.budget_reserve ?? ''}
          options={[
            ['', 'not set (a typical answer)'],
            ['typical', 'the cost of a typical answer'],
            ['longest', 'the cost of its longest answer'],
          ]}
        />
        <Select
          name="stored"
          label="What vendors have stored"
          value={before?.stored ?? ''}
          options={[
            ['', 'by its models'],
            ['all', 'all'],
            ['own', 'only its own'],
            ['none', 'none'],
          ]}
        />
      </div>
      <ModelLimits before={before?.model_limits} />
      {groups && <TagLimitFields before={before?.tag_limits} />}
      <Problem text={problem} />
      <div class="row">
        <button type="submit" class="primary" disabled={isSending}>
          {button}
        </button>
      </div>
    </form>
  );
}
