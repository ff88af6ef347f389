/** Fields for the numbers among limits: an empty one is no limit. */

import type { NUMBERS, NumberName } from './limits.ts';

export function NumberFields({
  prefix = '',
  numbers,
  before,
}: {
  /** What the name of each field begins with. */
  prefix?: string;
  numbers: readonly (typeof NUMBERS)[number][];
  before: Readonly<Partial<Record<NumberName, number | null>>> | null | undefined;
}) {
  return numbers.map(([name, label]) => (
    <label class="field" key={name}>
      <span>{label}</span>
      <input
        name={prefix + name}
        type="number"
        min={name.startsWith('budget') ? 0 : 1}
        step={name.startsWith('budget') ? 'any' : 1}
        placeholder="no limit"
        defaultValue={before?.[name] ?? ''}
      />
    </label>
  ));
}
