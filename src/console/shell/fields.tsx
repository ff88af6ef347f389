/** What forms and views ask by: fields with a label, and what went wrong. */

/** What went wrong, which screen readers say at once; nothing without a text. */
export function Problem({ text }: { text: string | undefined }) {
  return text ? (
    <p class="error" role="alert">
      {text}
    </p>
  ) : null;
}

/** A box to tick. */
export function Check({
  label,
  checked,
  onCheck,
}: {
  label: string;
  checked: boolean;
  onCheck: (checked: boolean) => void;
}) {
  return (
    <label class="check">
      <input type="checkbox" checked={checked} onChange={(event) => onCheck(event.currentTarget.checked)} />
      {label}
    </label>
  );
}

/** One choice of several. Without `onChoose` it is a field of a form by its name, and `value` is what it begins with. */
export function Select({
  label,
  name,
  value,
  options,
  isInline = false,
  disabled = false,
  onChoose,
}: {
  label: string;
  name?: string;
  value: string;
  /** Values, with the words for them. */
  options: readonly (readonly [value: string, words: string])[];
  isInline?: boolean;
  disabled?: boolean;
  onChoose?: (value: string) => void;
}) {
  return (
    <label class={isInline ? 'field inline' : 'field'}>
      <span>{label}</span>
      <select
        name={name}
        {...(onChoose && { value })}
        disabled={disabled}
        onChange={(event) => onChoose?.(event.currentTarget.value)}
      >
        {options.map(([each, words]) => (
          // Preact knows no `defaultValue` of a `select`.
          <option key={each} value={each} selected={each === value}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}
