/** The audit trail: who changed which key or group, when, and what it was before and after. */

import { useState } from 'preact/hooks';
import type { Session } from '../session/session.ts';
import { Select } from '../shell/fields.tsx';
import { AdminView } from './admin-view.tsx';
import { askAdmin, useAdmin } from './ask-admin.ts';
import {
  ACTIONS,
  type AuditStates,
  type FieldChange,
  listChanges,
  NOT_SET,
  writeChange,
} from './audit-entry.ts';
import { PageTurner } from './page-turner.tsx';
import { type Column, Table } from './table.tsx';

interface Entry extends AuditStates {
  readonly id: string;
  readonly time: string;
  readonly via: string;
  readonly actor: string | null;
  readonly address: string | null;
  readonly action: string;
  /** The name of the key or the group. */
  readonly target: string;
  readonly target_id: string | null;
}

interface Page {
  /** Newest first. */
  readonly data: readonly Entry[];
  readonly last_id: string | null;
  readonly has_more: boolean;
}

const COLUMNS: readonly Column<Entry>[] = [
  {
    name: 'time (UTC)',
    value: ({ time }) => time,
    show: ({ time }) => <span class="words">{time.slice(0, 19).replace('T', ' ')}</span>,
  },
  {
    name: 'action',
    value: ({ action }) => action,
    show: ({ action }) => <span class="words">{ACTIONS[action] ?? action}</span>,
  },
  {
    name: 'target',
    value: ({ target }) => target,
    show: ({ target, target_id: id }) => (
      <strong class="named" title={id ?? ''}>
        {target}
      </strong>
    ),
  },
  {
    name: 'by',
    value: ({ actor, address, via }) => actor ?? address ?? via,
    show: ({ actor, address, via }) => (
      <span class="wrapped">
        {actor ?? 'not named'} <small>{[via, address].filter(Boolean).join(', ')}</small>
      </span>
    ),
    isDetail: 'on phones',
  },
  {
    name: 'changes',
    isDetail: 'on phones',
    value: (entry) => listChanges(entry).map(writeChange).join('; '),
    show: (entry) => (
      <ul class="changes">
        {listChanges(entry).map((change) => (
          <Change key={change.field} change={change} />
        ))}
      </ul>
    ),
  },
];

export function AuditView({ session }: { session: Session }) {
  const [filter, setFilter] = useState({ target: '', action: '' });
  /** The last entry of each page before this one. */
  const [pages, setPages] = useState<readonly string[]>([]);
  const after = pages.at(-1);
  const asked = new URLSearchParams({
    ...(filter.target && { target: filter.target }),
    ...(filter.action && { action: filter.action }),
    ...(after !== undefined && { after }),
  }).toString();
  const { data, problem, reload } = useAdmin(session, asked, () =>
    askAdmin<Page>(session, 'GET', `/admin/audit?${asked}`),
  );
  const change = (changed: Partial<typeof filter>): void => {
    setFilter((present) => ({ ...present, ...changed }));
    setPages([]);
  };
  return (
    <AdminView
      title="Audit"
      session={session}
      isLoaded={data !== undefined}
      problem={problem}
      actions={
        <>
          <label class="field inline">
            <span>key or group</span>
            <input
              value={filter.target}
              placeholder="any"
              spellcheck={false}
              size={16}
              onChange={(event) => change({ target: event.currentTarget.value.trim() })}
            />
          </label>
          <Select
            label="action"
            value={filter.action}
            options={[['', 'any'], ...Object.entries(ACTIONS)]}
            isInline
            onChoose={(action) => change({ action })}
          />
          <button type="button" onClick={reload}>
            Reload
          </button>
        </>
      }
    >
      {data && (
        <section class="card">
          <Table
            label="Audit trail"
            file="audit"
            columns={COLUMNS}
            rows={data.data}
            rowKey={({ id }) => id}
            none="No changes that match."
          />
          <PageTurner pages={pages} next={data.has_more ? data.last_id : null} onTurn={setPages} />
        </section>
      )}
    </AdminView>
  );
}

function Change({ change: { field, removed, added } }: { change: FieldChange }) {
  return (
    <li>
      <code>{field}</code>{' '}
      {removed.length === 0 ? <small>{NOT_SET}</small> : removed.map((text) => <del key={text}>{text}</del>)}{' '}
      <span aria-hidden="true">→</span>{' '}
      {added.length === 0 ? <small>{NOT_SET}</small> : added.map((text) => <ins key={text}>{text}</ins>)}
    </li>
  );
}
