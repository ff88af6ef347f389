/**
 * The migrations of the store's tables. A released migration is never changed; the next one is added.
 * Migrations only add: tables, columns that may be null or have a default, and indexes that are not unique. Existing
 * data keeps its meaning, and every reader can do without what is new. So an older version can use the tables of a
 * newer one: a replica that restarts in the middle of an update, or a version that is rolled back to. A migration that
 * cannot keep to this has a name that ends in `-breaking`; versions that do not know it refuse to start on its tables.
 */

import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { wordList } from '../../lib/words.ts';
import { optional, required } from './columns.ts';
import {
  audit,
  budgetReserve,
  modelLimited,
  repairs,
  secrets,
  spent,
  sumsOfSums,
} from './later-migrations.ts';

/** The ending of a migration's name after which earlier versions cannot use the tables. */
const BREAKING = '-breaking';

/** The migrations, ordered by name. */
export function migrations(): Readonly<Record<string, Migration>> {
  return {
    '001-keys-and-usage': keysAndUsage,
    '002-estimated-cost': estimatedCost,
    '003-changes-by-row': changesByRow,
    '004-tags': tags,
    '005-groups': groups,
    '006-model-limits': modelLimits,
    '007-stored': stored,
    '008-budget-reserve': budgetReserve,
    '009-spent': spent,
    '010-audit': audit,
    '011-sums-of-sums': sumsOfSums,
    '012-repairs': repairs,
    '013-secrets': secrets,
    '014-model-limited': modelLimited,
  };
}

/** Whether the tables are still usable after an unknown migration of this name. */
export function onlyAdds(name: string): boolean {
  return !name.endsWith(BREAKING);
}

const keysAndUsage: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('gateway_keys')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .$call(required('text', 'name hint'))
      .addColumn('hash', 'text', (column) => column.notNull().unique())
      .addColumn('old_hash', 'text')
      .addColumn('old_until', 'bigint')
      .addColumn('models', 'text')
      .$call(optional('bigint', 'expires_at requests_per_minute tokens_per_minute concurrent_requests'))
      .$call(optional('double precision', 'budget_day budget_month'))
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('revoked_at', 'bigint')
      .execute();
    await db.schema
      .createIndex('gateway_keys_name')
      .unique()
      .on('gateway_keys')
      .column('name')
      .where(sql.ref('revoked_at'), 'is', null)
      .execute();

    await db.schema
      .createTable('gateway_changes')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('version', 'bigint', (column) => column.notNull())
      .execute();
    await sql`insert into gateway_changes (name, version) values ('keys', 0)`.execute(db);

    await db.schema
      .createTable('gateway_exchanges')
      .addColumn('batch', 'text', (column) => column.notNull())
      .addColumn('place', 'integer', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('time', 'bigint', (column) => column.notNull())
      .$call(required('text', 'day key model vendor format'))
      .addColumn('spoken', 'text')
      .addColumn('operation', 'text', (column) => column.notNull())
      .$call(required('integer', 'streamed status'))
      .addColumn('outcome', 'text', (column) => column.notNull())
      .addColumn('fault', 'text')
      .addColumn('duration', 'double precision', (column) => column.notNull())
      .addColumn('first_byte', 'double precision')
      .$call(optional('bigint', 'input output reasoning cache_read cache_write cache_write_hour'))
      .addColumn('cost', 'double precision')
      .addColumn('attempts', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('gateway_exchanges_place', ['batch', 'place'])
      .execute();
    await db.schema.createIndex('gateway_exchanges_time').on('gateway_exchanges').column('time').execute();

    await createSums(db, 'gateway_usage_days', 'day key model vendor', 'cost');
  },
};

/** A row that a process of an earlier version writes has no value in either column. */
const estimatedCost: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('gateway_exchanges').addColumn('estimated_cost', 'double precision').execute();
    await db.schema
      .alterTable('gateway_usage_days')
      .addColumn('estimated_cost', 'double precision', (column) => column.notNull().defaultTo(0))
      .execute();
  },
};

/** A process of an earlier version counts its changes to keys only in `version`, which shows how many those are. */
const changesByRow: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .alterTable('gateway_changes')
      .addColumn('by_row', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute();
    await db.schema
      .alterTable('gateway_keys')
      .addColumn('change', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute();
    await db.schema.createIndex('gateway_keys_change').on('gateway_keys').column('change').execute();
  },
};

/**
 * Usage with a tag is summed up a second time, in addition to the days, because processes of an earlier version know
 * only those.
 */
const tags: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('gateway_exchanges').addColumn('tag', 'text').execute();
    await createSums(db, 'gateway_usage_tags', 'day key model vendor tag', 'cost estimated_cost');
  },
};

/**
 * Usage by keys of a group is summed up in addition to the days too. A process of an earlier version goes on: it
 * creates keys without a group, applies only a key's own limits, and records usage without a group.
 */
const groups: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('gateway_groups')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('models', 'text')
      .$call(optional('bigint', 'requests_per_minute tokens_per_minute concurrent_requests'))
      .$call(optional('double precision', 'budget_day budget_month'))
      .$call(required('bigint', 'created_at change'))
      .execute();
    await db.schema.alterTable('gateway_keys').addColumn('group_name', 'text').execute();
    await db.schema.alterTable('gateway_exchanges').addColumn('group_name', 'text').execute();
    await createSums(db, 'gateway_usage_groups', 'day key model vendor group_name', 'cost estimated_cost');
  },
};

/** A process of an earlier version goes on: it applies only the limits for all models, and leaves these unchanged. */
const modelLimits: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('gateway_keys').addColumn('model_limits', 'text').execute();
    await db.schema.alterTable('gateway_groups').addColumn('model_limits', 'text').execute();
  },
};

/**
 * Ids of objects stored at vendors, and the key of each. A process of an earlier version goes on: it does not restrict
 * keys to their own objects, and records no owner.
 */
const stored: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('gateway_keys').addColumn('stored', 'text').execute();
    await db.schema.alterTable('gateway_groups').addColumn('stored', 'text').execute();
    await db.schema
      .createTable('gateway_stored')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('key', 'text', (column) => column.notNull())
      .addColumn('made_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('gateway_stored_made_at').on('gateway_stored').column('made_at').execute();
  },
};

/**
 * Creates a table of sums of usage.
 * @param of the columns by which it is summed up
 * @param dollars the columns of its costs
 */
async function createSums(db: Kysely<unknown>, table: string, of: string, dollars: string): Promise<void> {
  await db.schema
    .createTable(table)
    .$call(required('text', of))
    .$call(required('bigint', 'requests errors uncounted input output reasoning cache_read cache_write'))
    .$call(required('double precision', `${dollars} duration first_byte`))
    .addColumn('first_bytes', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint(`${table}_of`, [...wordList(of)])
    .execute();
}
