/** The latest exchanges, as they end: who asked whom for what, how it ended, and what it used. Never what was said. */

import { useState } from 'preact/hooks';
import type { Session } from '../session/session.ts';
import { Check } from '../shell/fields.tsx';
import { AdminView } from './admin-view.tsx';
import { askAdmin, useAdmin } from './ask-admin.ts';
import { count, dollars, time } from './figures.ts';
import { PageTurner } from './page-turner.tsx';
import { type Column, numberColumn, Table } from './table.tsx';

/** Milliseconds between two requests. */
const INTERVAL = 3_000;

interface Exchange {
  readonly id: string;
  readonly time: string;
  readonly key: string | null;
  readonly group: string | null;
  readonly tag: string | null;
  readonly model: string | null;
  /** The vendor that answered; `sandbox` if it was simulated. */
  readonly vendor: string | null;
  readonly format: string;
  readonly spoken: string | null;
  readonly path: 'native' | 'translated' | null;
  readonly operation: string;
  readonly streamed: boolean;
  readonly status: number;
  readonly outcome: string;
  readonly fault: string | null;
  readonly duration: number;
  readonly first_byte: number | null;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly cost: number | null;
  readonly attempts: number;
  readonly upstream_id: string | null;
  readonly repairs: readonly string[];
}

interface Page {
  /** The latest first. */
  readonly data: readonly Exchange[];
  readonly next_page: string | null;
}

const COLUMNS: readonly Column<Exchange>[] = [
  {
    name: 'time (UTC)',
    value: (one) => one.time,
    show: (one) => <span class="words">{one.time.slice(5, 19).replace('T', ' ')}</span>,
  },
  {
    name: 'key',
    value: (one) => one.key,
    show: ({ key }) => <span class="letters">{key}</span>,
    isDetail: 'on phones',
  },
  { name: 'model', value: (one) => one.model, show: ({ model }) => <span class="letters">{model}</span> },
  {
    name: 'status',
    value: (one) => one.status,
    show: ({ status, outcome, fault }) => (
      <span class={status >= 400 || outcome === 'failed' ? 'words bad' : 'words'}>
        {status} {outcome !== 'complete' && <small>{fault ?? outcome}</small>}
      </span>
    ),
  },
  numberColumn('in', (one) => one.input_tokens, count, 'on phones'),
  numberColumn('out', (one) => one.output_tokens, count, 'on phones'),
  {
    name: 'cost',
    value: (one) => one.cost,
    // An answer of the sandbox costs nothing, whatever its model.
    show: ({ cost, vendor }) => (vendor === 'sandbox' ? 'simulated' : cost === null ? '–' : dollars(cost)),
    isDetail: 'on phones',
  },
  numberColumn('first byte', (one) => one.first_byte, time, 'on phones'),
  numberColumn('duration', (one) => one.duration, time, 'on phones'),
  { name: 'group', value: (one) => one.group, isDetail: true },
  { name: 'vendor', value: (one) => one.vendor, isDetail: true },
  {
    name: 'path',
    value: (one) => one.path,
    show: ({ path, format, spoken }) =>
      [path, spoken && spoken !== format ? `${format} to ${spoken}` : format].filter(Boolean).join(', '),
    isDetail: true,
  },
  { name: 'tag', value: (one) => one.tag, isDetail: true },
  { name: 'attempts', value: (one) => one.attempts, isDetail: true },
  { name: 'repairs', value: (one) => one.repairs.join(', ') || null, isDetail: true },
  {
    name: 'request id',
    value: (one) => one.id,
    show: (one) => <code class="shortened">{one.id}</code>,
    isDetail: 'on phones',
  },
  {
    name: 'id at the vendor',
    value: (one) => one.upstream_id,
    show: (one) => one.upstream_id && <code>{one.upstream_id}</code>,
    isDetail: true,
  },
];

export function ExchangesView({ session }: { session: Session }) {
  const [filter, setFilter] = useState({ key: '', model: '', tag: '', errors: false });
  /** What asks for each page from the second one to the present one. */
  const [pages, setPages] = useState<readonly string[]>([]);
  const page = pages.at(-1);
  const change = (changed: Partial<typeof filter>): void => {
    setFilter((present) => ({ ...present, ...changed }));
    setPages([]);
  };
  const asked = new URLSearchParams({
    limit: '200',
    ...(page !== undefined && { page }),
    ...(filter.key && { key: filter.key }),
    ...(filter.model && { model: filter.model }),
    ...(filter.tag && { tag: filter.tag }),
    ...(filter.errors && { errors: 'true' }),
  }).toString();
  const { data, problem } = useAdmin(
    session,
    asked,
    () => askAdmin<Page>(session, 'GET', `/admin/exchanges?${asked}`),
    // New exchanges appear on the first page.
    page === undefined ? INTERVAL : undefined,
  );
  return (
    <AdminView
      title="Exchanges"
      session={session}
      isLoaded={data !== undefined}
      problem={problem}
      actions={
        <>
          {(['key', 'model', 'tag'] as const).map((name) => (
            <label class="field inline" key={name}>
              <span>{name}</span>
              <input
                value={filter[name]}
                placeholder="any"
                spellcheck={false}
                size={name === 'model' ? 24 : 10}
                onChange={(event) => change({ [name]: event.currentTarget.value.trim() })}
              />
            </label>
          ))}
          <Check label="Errors only" checked={filter.errors} onCheck={(errors) => change({ errors })} />
        </>
      }
    >
      {data && (
        <section class="card">
          <Table
            label="Exchanges"
            isDense
            file="exchanges"
            columns={COLUMNS}
            rows={data.data}
            rowKey={({ id, time: at }) => `${id} ${at}`}
            none="No exchanges that match."
          />
          <PageTurner pages={pages} next={data.next_page} onTurn={setPages} />
        </section>
      )}
    </AdminView>
  );
}
