/** The migrations from 008 on. `migrations.ts` says what holds for all of them. */

import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { USAGE_SUMS } from '../tables.ts';
import { ROLLUPS, sumUpAll } from '../usage-sums.ts';
import { optional, required } from './columns.ts';

/** A process of an earlier version goes on: its requests hold nothing of budgets. */
export const budgetReserve: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('gateway_keys').addColumn('budget_reserve', 'text').execute();
    await db.schema.alterTable('gateway_groups').addColumn('budget_reserve', 'text').execute();
  },
};

/**
 * Budgets for a week and in total, what was ever spent, and limits for each tag. A process of an earlier version goes on: it
 * applies no such limit, and what it records is in the totals when `mendSums` has added it.
 */
export const spent: Migration = {
  async up(db: Kysely<unknown>) {
    for (const table of ['gateway_keys', 'gateway_groups']) {
      await db.schema.alterTable(table).addColumn('budget_week', 'double precision').execute();
      await db.schema.alterTable(table).addColumn('budget_total', 'double precision').execute();
    }
    await db.schema
      .createTable('gateway_spent')
      .$call(required('text', 'holder name model'))
      .addColumn('cost', 'double precision', (column) => column.notNull())
      .addPrimaryKeyConstraint('gateway_spent_of', ['holder', 'name', 'model'])
      .execute();
    await sumUpSpent(db);
    await db.schema.alterTable('gateway_keys').addColumn('tag_limits', 'text').execute();
  },
};

/** Fills the totals from the sums of the days. */
export async function sumUpSpent<T>(db: Kysely<T>): Promise<void> {
  await sql`insert into gateway_spent (holder, name, model, cost)
    select 'key', key, model, sum(cost + estimated_cost) from gateway_usage_days group by key, model
    union all
    select 'group', group_name, model, sum(cost + estimated_cost) from gateway_usage_groups
    group by group_name, model`.execute(db);
}

/** A process of an earlier version goes on: its changes are not in the trail. */
export const audit: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('gateway_audit')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('time', 'bigint', (column) => column.notNull())
      .addColumn('via', 'text', (column) => column.notNull())
      .$call(optional('text', 'actor address'))
      .$call(required('text', 'action target'))
      .$call(optional('text', 'target_id before after'))
      .execute();
    await db.schema
      .createIndex('gateway_audit_target')
      .on('gateway_audit')
      .columns(['target', 'id'])
      .execute();
  },
};

/** A process of an earlier version goes on. What it does not sum up here, `mendSums` does. */
export const sumsOfSums: Migration = {
  async up(db: Kysely<unknown>) {
    for (const rollup of ROLLUPS) {
      const { table, of } = rollup;
      let columns = db.schema.createTable(table).$call(required('text', of.join(' ')));
      for (const column of USAGE_SUMS)
        columns = required(DOLLARS_OR_TIMES.has(column) ? 'double precision' : 'bigint', column)(columns);
      await columns.addPrimaryKeyConstraint(`${table}_of`, [...of]).execute();
      await sumUpAll(db, rollup);
    }
  },
};

/** A process of an earlier version goes on: its exchanges have neither. */
export const repairs: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('gateway_exchanges').addColumn('upstream_id', 'text').execute();
    await db.schema.alterTable('gateway_exchanges').addColumn('repairs', 'text').execute();
  },
};

/** A process of an earlier version goes on: what it seals, this one cannot open, and the other way round. */
export const secrets: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('gateway_secrets')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('value', 'text', (column) => column.notNull())
      .execute();
  },
};

/**
 * The keys and groups with limits for some models, by name: what they have spent on each model is read at every start, in
 * many queries that each ask who they are. A process of an earlier version goes on.
 */
export const modelLimited: Migration = {
  async up(db: Kysely<unknown>) {
    for (const table of ['gateway_keys', 'gateway_groups'])
      await db.schema
        .createIndex(`${table}_model_limited`)
        .on(table)
        .column('name')
        .where(sql.ref('model_limits'), 'is not', null)
        .execute();
  },
};

/** The sums that are not whole numbers. */
const DOLLARS_OR_TIMES: ReadonlySet<string> = new Set(['cost', 'estimated_cost', 'duration', 'first_byte']);
