/** The keys of the store: created (and shown once), restricted, rotated and revoked, with what they have spent. */

import { useState } from 'preact/hooks';
import type { Session } from '../session/session.ts';
import { CopyButton } from '../shell/copy-button.tsx';
import { Dialog } from '../shell/dialog.tsx';
import { Check, Problem, Select } from '../shell/fields.tsx';
import { AdminView } from './admin-view.tsx';
import { askAdmin, mayChange, useAdmin } from './ask-admin.ts';
import { LIMIT_COLUMNS } from './limit-columns.tsx';
import type { Key, MadeKey } from './limits.ts';
import { LimitsForm } from './limits-form.tsx';
import { listGroups } from './list-groups.ts';
import { hasText, SearchField } from './search-field.tsx';
import { MissingBudgets, Spent, useSpending } from './spending.tsx';
import { actionsColumn, type Column, Table } from './table.tsx';
import { useChange } from './use-change.ts';

type Asked =
  | { readonly what: 'create' }
  | { readonly what: 'change' | 'rotate' | 'revoke'; readonly key: Key }
  | { readonly what: 'made'; readonly made: MadeKey };

/** As many keys as the admin API lists at once. */
interface KeyPage {
  readonly data: readonly Key[];
  readonly has_more: boolean;
}

export function KeysView({ session }: { session: Session }) {
  const [withRevoked, setWithRevoked] = useState(false);
  const [sought, setSought] = useState('');
  /** What the names of all listed keys begin with. */
  const [beginning, setBeginning] = useState('');
  const [asked, setAsked] = useState<Asked | undefined>();
  const listed = new URLSearchParams({ revoked: String(withRevoked), name_prefix: beginning }).toString();
  const { data, problem, reload } = useAdmin(session, listed, async () => {
    const [keys, groups] = await Promise.all([
      askAdmin<KeyPage>(session, 'GET', `/admin/keys?${listed}`),
      listGroups((path) => askAdmin(session, 'GET', path)),
    ]);
    return { keys: keys.data, isPart: keys.has_more || beginning !== '', groups };
  });
  const spent = useSpending(session, 'key');
  const done = (next?: Asked): void => {
    setAsked(next);
    reload();
    spent.reload();
  };
  const columns: readonly Column<Key>[] = [
    {
      name: 'name',
      value: ({ name }) => name,
      show: (key) => (
        <span class="named">
          <strong>{key.name}</strong> <code>{key.hint}</code>
          {keyState(key) && <span class="state">{keyState(key)}</span>}
        </span>
      ),
    },
    {
      name: 'group',
      value: ({ group }) => group,
      show: ({ group }) => group && <span class="wrapped">{group}</span>,
      isDetail: 'on phones',
    },
    ...LIMIT_COLUMNS,
    {
      name: 'spent',
      value: ({ name }) => spent.data?.month.get(name) ?? 0,
      show: ({ name, revoked_at: revoked }) =>
        spent.data && <Spent name={name} spending={spent.data} hasBudgets={revoked === null} />,
    },
    { name: 'created', value: ({ created_at }) => created_at.slice(0, 10), isDetail: 'on phones' },
    actionsColumn(
      ({ name }) => name,
      (key) =>
        mayChange(session) &&
        key.revoked_at === null && {
          Change: () => setAsked({ what: 'change', key }),
          Rotate: () => setAsked({ what: 'rotate', key }),
          Revoke: () => setAsked({ what: 'revoke', key }),
        },
    ),
  ];
  return (
    <AdminView
      title="Keys"
      session={session}
      isLoaded={data !== undefined}
      problem={problem || spent.problem}
      actions={
        <>
          <SearchField
            label="Search keys"
            sought={sought}
            onSeek={setSought}
            onEnter={() => data?.isPart && setBeginning(sought.trim())}
          />
          <Check label="Revoked too" checked={withRevoked} onCheck={setWithRevoked} />
          {mayChange(session) && (
            <button type="button" class="primary" onClick={() => setAsked({ what: 'create' })}>
              New key
            </button>
          )}
        </>
      }
    >
      {data && (
        <section class="card">
          {spent.data && <MissingBudgets spending={spent.data} />}
          {data.isPart && <ListedKeys count={data.keys.length} beginning={beginning} />}
          <Table
            label="Keys"
            file="keys"
            columns={columns}
            rows={data.keys.filter(({ name, group, hint }) => hasText(sought, name, group, hint))}
            rowKey={({ id }) => id}
            none={data.keys.length === 0 ? 'No keys yet.' : 'No key that matches.'}
          />
        </section>
      )}
      {(asked?.what === 'create' || asked?.what === 'change') && (
        <Dialog
          title={asked.what === 'create' ? 'New key' : `Change ${asked.key.name}`}
          onClose={() => setAsked(undefined)}
          wide
        >
          <LimitsForm
            {...(asked.what === 'change' && { before: asked.key })}
            groups={data?.groups ?? []}
            button={asked.what === 'create' ? 'Create the key' : 'Save'}
            onSubmit={async (settings) => {
              if (asked.what === 'create') {
                const made = await askAdmin<MadeKey>(session, 'POST', '/admin/keys', settings);
                done({ what: 'made', made });
              } else {
                await askAdmin<Key>(session, 'PATCH', `/admin/keys/${asked.key.id}`, settings);
                done();
              }
            }}
          />
        </Dialog>
      )}
      {asked?.what === 'rotate' && (
        <Rotate
          session={session}
          row={asked.key}
          onClose={() => setAsked(undefined)}
          onMade={(made) => done({ what: 'made', made })}
        />
      )}
      {asked?.what === 'revoke' && (
        <Revoke session={session} row={asked.key} onClose={() => setAsked(undefined)} onDone={() => done()} />
      )}
      {asked?.what === 'made' && <Made made={asked.made} onClose={() => setAsked(undefined)} />}
    </AdminView>
  );
}

/** Which keys are listed, where there are more than the admin API lists at once. */
function ListedKeys({ count, beginning }: { count: number; beginning: string }) {
  return (
    <p class="hint" role="status">
      {beginning === ''
        ? `Only the newest ${count} keys are listed and searched. `
        : `Of all keys, ${count} whose names begin with “${beginning}” are listed. `}
      Enter in the search field lists those whose names begin with its text.
    </p>
  );
}

function keyState({ revoked_at, expires_at, previous_until }: Key): string {
  if (revoked_at !== null) return `revoked ${revoked_at.slice(0, 10)}`;
  if (expires_at !== null)
    return `${Date.parse(expires_at) < Date.now() ? 'expired' : 'expires'} ${expires_at.slice(0, 10)}`;
  if (previous_until !== null && Date.parse(previous_until) > Date.now())
    return `old key works until ${previous_until.slice(0, 16).replace('T', ' ')} UTC`;
  return '';
}

interface KeyDialog {
  readonly session: Session;
  readonly row: Key;
  readonly onClose: () => void;
}

function Rotate({ session, row, onClose, onMade }: KeyDialog & { onMade: (made: MadeKey) => void }) {
  const [hours, setHours] = useState(0);
  const { problem, isSending, send } = useChange();
  return (
    <Dialog title={`Rotate ${row.name}`} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          const settings = { grace_seconds: hours * 3_600 };
          void send(async () =>
            onMade(await askAdmin<MadeKey>(session, 'POST', `/admin/keys/${row.id}/rotate`, settings)),
          );
        }}
      >
        <p>A new key replaces it. Its settings and its reports stay.</p>
        <Select
          label="The old key keeps working"
          value={String(hours)}
          options={[
            ['0', 'not at all'],
            ['1', 'for an hour'],
            ['24', 'for a day'],
            ['168', 'for a week'],
          ]}
          onChoose={(chosen) => setHours(Number(chosen))}
        />
        <Problem text={problem} />
        <div class="row">
          <button type="submit" class="primary" disabled={isSending}>
            Rotate the key
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function Revoke({ session, row, onClose, onDone }: KeyDialog & { onDone: () => void }) {
  const { problem, isSending, send } = useChange();
  return (
    <Dialog title={`Revoke ${row.name}`} onClose={onClose}>
      <div class="stack">
        <p>
          Requests with this key are refused from now on. That cannot be undone. Its usage stays in reports.
        </p>
        <Problem text={problem} />
        <div class="row">
          <button
            type="button"
            class="danger"
            disabled={isSending}
            onClick={() =>
              void send(async () => {
                await askAdmin<Key>(session, 'DELETE', `/admin/keys/${row.id}`);
                onDone();
              })
            }
          >
            Revoke the key
          </button>
          <button type="button" onClick={onClose}>
            Keep it
          </button>
        </div>
      </div>
    </Dialog>
  );
}

/** A new key, which nobody sees again: it is closed by the button that says so, and not by Escape. */
function Made({ made, onClose }: { made: MadeKey; onClose: () => void }) {
  return (
    <Dialog title={`The key ${made.name}`}>
      <div class="stack">
        <p>Save it now: only its hash is stored, so it cannot be shown again.</p>
        <p class="secret">
          <code>{made.key}</code>
        </p>
        <div class="row">
          <CopyButton label="Copy the key" text={() => made.key}>
            Copy the key
          </CopyButton>
          <button type="button" class="primary" onClick={onClose}>
            It is saved
          </button>
        </div>
      </div>
    </Dialog>
  );
}
