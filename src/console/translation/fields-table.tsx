/** What became of each field of a request. */

import type { Field, Outcome } from './explain.ts';

const ORDER: readonly Outcome[] = ['dropped', 'approximated', 'passed-on', 'mapped'];

const MEANINGS: Readonly<Record<Outcome, string>> = {
  dropped: 'The vendor has no such field: it is left out.',
  approximated: 'The vendor gets what comes closest.',
  'passed-on': 'The gateway does not know it, and leaves it to the vendor.',
  mapped: 'The vendor gets it with the same meaning.',
};

export function FieldsTable({ fields }: { fields: readonly Field[] }) {
  const sorted = fields.toSorted((a, b) => ORDER.indexOf(a.outcome) - ORDER.indexOf(b.outcome));
  if (fields.length === 0) return <p class="none">All fields reach the vendor as they are.</p>;
  return (
    <div class="table-scroll" role="region" aria-label="Fields" tabIndex={0}>
      <table class="figures outcomes">
        <thead>
          <tr>
            <th scope="col">field</th>
            <th scope="col">outcome</th>
            <th scope="col">what it becomes</th>
          </tr>
        </thead>
        <tbody>
          {sorted.map(({ field, outcome, detail }) => (
            <tr key={`${field} ${outcome} ${detail}`}>
              <td>
                <code>{field}</code>
              </td>
              <td>
                <span class={`outcome ${outcome}`}>{outcome.replace('-', ' ')}</span>
              </td>
              <td>{detail || MEANINGS[outcome]}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
