/** The effective configuration: each value, and where it comes from. Secrets are only said to be set. */

import { useState } from 'preact/hooks';
import type { Session } from '../session/session.ts';
import { Check } from '../shell/fields.tsx';
import { AdminView } from './admin-view.tsx';
import { useAdmin } from './ask-admin.ts';
import { askConfig, type ConfigEntry } from './config-entries.ts';
import { hasText, SearchField } from './search-field.tsx';
import { type Column, Table } from './table.tsx';

const COLUMNS: readonly Column<ConfigEntry>[] = [
  { name: 'field', value: ({ path }) => path, show: ({ path }) => <code class="named">{path}</code> },
  {
    name: 'value',
    value: writeValue,
    show: (entry) => (entry.secret ? <em>{writeValue(entry)}</em> : <code>{writeValue(entry)}</code>),
  },
  {
    name: 'comes from',
    value: ({ source }) => source,
    show: ({ source }) => <span class={source === 'default' ? 'hint' : 'state'}>{source}</span>,
  },
];

export function ConfigView({ session }: { session: Session }) {
  const [sought, setSought] = useState('');
  const [isChanged, setChanged] = useState(false);
  const { data, problem } = useAdmin(session, '', () => askConfig(session));
  const rows = data?.filter(
    ({ path, source }) => hasText(sought, path) && (!isChanged || source !== 'default'),
  );
  return (
    <AdminView
      title="Configuration"
      session={session}
      isLoaded={data !== undefined}
      problem={problem}
      actions={
        <>
          <SearchField label="Search fields" sought={sought} onSeek={setSought} />
          <Check label="Without defaults" checked={isChanged} onCheck={setChanged} />
        </>
      }
    >
      {rows && (
        <section class="card">
          <Table
            label="Configuration"
            file="configuration"
            columns={COLUMNS}
            rows={rows}
            rowKey={({ path }) => path}
            none="No field that matches."
          />
        </section>
      )}
    </AdminView>
  );
}

function writeValue({ value, secret }: ConfigEntry): string {
  return secret ? 'set, not shown' : JSON.stringify(value);
}
