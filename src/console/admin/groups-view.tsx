/** The groups of the store, whose keys share their limits and budgets. */

import { useState } from 'preact/hooks';
import type { Session } from '../session/session.ts';
import { Dialog } from '../shell/dialog.tsx';
import { AdminView } from './admin-view.tsx';
import { askAdmin, mayChange, useAdmin } from './ask-admin.ts';
import { LIMIT_COLUMNS } from './limit-columns.tsx';
import type { Group } from './limits.ts';
import { LimitsForm } from './limits-form.tsx';
import { listGroups } from './list-groups.ts';
import { hasText, SearchField } from './search-field.tsx';
import { MissingBudgets, Spent, useSpending } from './spending.tsx';
import { actionsColumn, type Column, Table } from './table.tsx';
import { useChange } from './use-change.ts';

export function GroupsView({ session }: { session: Session }) {
  const [changed, setChanged] = useState<Group | 'new' | undefined>();
  const [sought, setSought] = useState('');
  const { problem: refusal, send } = useChange();
  const { data, problem, reload } = useAdmin(session, '', async () => {
    return { groups: await listGroups((path) => askAdmin(session, 'GET', path)) };
  });
  const spent = useSpending(session, 'group');
  const done = (): void => {
    reload();
    spent.reload();
  };
  const remove = async (group: Group): Promise<void> => {
    if (!confirm(`Delete the group “${group.name}”? Its usage stays in reports.`)) return;
    await send(async () => {
      await askAdmin<Group>(session, 'DELETE', groupPath(group));
    });
    done();
  };
  const columns: readonly Column<Group>[] = [
    { name: 'name', value: ({ name }) => name, show: ({ name }) => <strong class="named">{name}</strong> },
    ...LIMIT_COLUMNS,
    {
      name: 'spent',
      value: ({ name }) => spent.data?.month.get(name) ?? 0,
      show: ({ name }) => spent.data && <Spent name={name} spending={spent.data} />,
    },
    { name: 'created', value: ({ created_at }) => created_at.slice(0, 10), isDetail: 'on phones' },
    actionsColumn(
      ({ name }) => name,
      (group) => mayChange(session) && { Change: () => setChanged(group), Delete: () => void remove(group) },
    ),
  ];
  return (
    <AdminView
      title="Groups"
      session={session}
      isLoaded={data !== undefined}
      problem={refusal || problem || spent.problem}
      actions={
        <>
          <SearchField label="Search groups" sought={sought} onSeek={setSought} />
          {mayChange(session) && (
            <button type="button" class="primary" onClick={() => setChanged('new')}>
              New group
            </button>
          )}
        </>
      }
    >
      {data && (
        <section class="card">
          {spent.data && <MissingBudgets spending={spent.data} />}
          <Table
            label="Groups"
            file="groups"
            columns={columns}
            rows={data.groups.filter(({ name }) => hasText(sought, name))}
            rowKey={({ name }) => name}
            none={
              data.groups.length === 0
                ? 'No groups yet. The keys of a group share its limits and budgets.'
                : 'No group that matches.'
            }
          />
        </section>
      )}
      {changed && (
        <Dialog
          title={changed === 'new' ? 'New group' : `Change ${changed.name}`}
          onClose={() => setChanged(undefined)}
          wide
        >
          <LimitsForm
            {...(changed !== 'new' && { before: changed })}
            button={changed === 'new' ? 'Create the group' : 'Save'}
            onSubmit={async (settings) => {
              await (changed === 'new'
                ? askAdmin<Group>(session, 'POST', '/admin/groups', settings)
                : askAdmin<Group>(session, 'PATCH', groupPath(changed), settings));
              setChanged(undefined);
              done();
            }}
          />
        </Dialog>
      )}
    </AdminView>
  );
}

function groupPath({ name }: Group): string {
  return `/admin/groups/${encodeURIComponent(name)}`;
}
