/** `gateway audit`: who changed which key or group. */

import { count } from '../lib/count.ts';
import { parseOptions } from './options.ts';
import { textTable } from './tables.ts';
import { storeCommand } from './with-store.ts';

export const audit = storeCommand({
  name: 'audit',
  description: 'List who changed which key or group, the latest change first.',
  options: {
    target: { type: 'string', description: 'Only changes of the key or the group with this name' },
    action: { type: 'string', description: 'Only this action, such as key.revoked' },
    limit: { type: 'string', default: '50', description: 'Maximum number of changes to print' },
    json: { type: 'boolean', description: 'Print JSON, with the state before and after each change' },
  },
  async run(args, store) {
    const [{ auditOptions }, { listAudit }, { describeChanges, renderAudit }] = await Promise.all([
      import('./audit-options.ts'),
      import('../store/audit.ts'),
      import('../store/audit-view.ts'),
    ]);
    const { target, action, limit } = args;
    const wanted = parseOptions({ target, action, limit }, auditOptions);
    const { rows, more } = await listAudit(store, wanted);
    const entries = rows.map(renderAudit);
    console.log(
      args.json
        ? JSON.stringify(entries, undefined, 2)
        : textTable(
            [
              { title: 'time', text: ({ time }) => time },
              { title: 'who', text: ({ actor, via }) => (actor === null ? via : `${actor} (${via})`) },
              { title: 'from', text: ({ address }) => address ?? '-' },
              { title: 'action', text: (entry) => entry.action },
              { title: 'name', text: (entry) => entry.target },
              { title: 'changes', text: (entry) => describeChanges(entry) || '-' },
            ],
            entries,
          ),
    );
    if (more)
      console.error(`There are more than ${count(wanted.limit, 'change')}. Raise --limit to see the rest.`);
  },
});
