/** What single tags of keys have spent according to the store. Tags are many, so only those in use are read. */

import { sql } from 'kysely';
import type { Store } from '../../store/store.ts';
import { firstDays } from './periods.ts';
import type { StoredSpending } from './spending.ts';
import { inParts, SETTLED } from './stored-spending.ts';
import { splitTagName, tagName } from './tags-in-use.ts';

/** Names in one query: databases bound the number of values. */
const PIECE = 500;

/** What was spent before a day, in its week and its month. */
interface Before {
  readonly week: number;
  readonly month: number;
}

/** Reads what the named tags have spent. Each name's days before today are read once in a while. */
export function storedTagSpending({ db }: Store): StoredSpending {
  let known:
    | { readonly day: string; readonly read: number; readonly before: Map<string, Before> }
    | undefined;
  const cost = sql`cost + estimated_cost`;

  function select(names: readonly string[]) {
    const pairs = names.map(splitTagName);
    return db
      .selectFrom('gateway_usage_tags')
      .where('key', 'in', [...new Set(pairs.map(({ key }) => key))])
      .where('tag', 'in', [...new Set(pairs.map(({ tag }) => tag))])
      .select(['key', 'tag'])
      .groupBy(['key', 'tag']);
  }

  async function readBefore(
    day: string,
    names: readonly string[],
    before: Map<string, Before>,
  ): Promise<void> {
    const { week, month } = firstDays(day);
    const since = (start: string) =>
      sql<number>`coalesce(sum(case when day >= ${start} then ${cost} else 0 end), 0)`;
    for (const piece of inParts(names, PIECE)) {
      const rows = await select(piece)
        .where('day', '>=', week < month ? week : month)
        .where('day', '<', day)
        .select([since(week).as('week'), since(month).as('month')])
        .execute();
      for (const name of piece) before.set(name, { week: 0, month: 0 });
      for (const { key, tag, ...amounts } of rows) before.set(tagName(key, tag), amounts);
    }
  }

  return async (day, asked) => {
    const names = [...(asked ?? [])];
    const now = performance.now();
    if (known?.day !== day || now - known.read >= SETTLED) known = { day, read: now, before: new Map() };
    const { before } = known;
    await readBefore(
      day,
      names.filter((name) => !before.has(name)),
      before,
    );
    const today = new Map<string, number>();
    for (const piece of inParts(names, PIECE)) {
      const rows = await select(piece)
        .where('day', '=', day)
        .select(sql<number>`coalesce(sum(${cost}), 0)`.as('sum'))
        .execute();
      for (const { key, tag, sum } of rows) today.set(tagName(key, tag), sum);
    }
    return new Map(
      names.map((name) => {
        const { week, month } = before.get(name) ?? { week: 0, month: 0 };
        const spent = today.get(name) ?? 0;
        return [name, { day: spent, week: week + spent, month: month + spent, total: 0 }];
      }),
    );
  };
}
