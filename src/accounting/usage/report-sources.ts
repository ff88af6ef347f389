/**
 * Where a report reads its sums from: as few rows as possible. Without keys, tags and groups, the days of models are
 * read. Without days in the report, months are read, and of those that are not wanted whole, single days are added or
 * taken away, whichever are fewer.
 */

import { type RawBuilder, sql } from 'kysely';
import { addDays } from '../../lib/calendar.ts';
import { USAGE_SUMS } from '../../store/tables.ts';
import { SANDBOX } from '../../upstream/vendor.ts';
import type { Dimension, UsageQuery } from './usage-dimensions.ts';

/** Rows that are added up, or taken away. Both ends of a span are included. */
interface Piece {
  readonly unit: 'day' | 'month';
  readonly from: string;
  readonly to: string;
  readonly sign: 1 | -1;
}

/** Tables of sums, and how they call a tag and a group. */
interface Source {
  readonly day: string;
  readonly month: string;
  readonly tag: RawBuilder<unknown>;
  readonly group: RawBuilder<unknown>;
}

const NONE = sql`''`;
const ALL: Source = { day: 'gateway_usage_days', month: 'gateway_usage_months', tag: NONE, group: NONE };
const TAGS: Source = {
  day: 'gateway_usage_tags',
  month: 'gateway_usage_tag_months',
  tag: sql.ref('tag'),
  group: NONE,
};
const GROUPS: Source = {
  day: 'gateway_usage_groups',
  month: 'gateway_usage_group_months',
  tag: NONE,
  group: sql.ref('group_name'),
};

/** The rows of a report, with the columns `day`, `key`, `model`, `vendor`, `tag`, `group` and the sums. */
export function reportRows(query: UsageQuery): RawBuilder<unknown> {
  const isAsked = (dimension: 'key' | 'tag' | 'group'): boolean =>
    query.by.includes(dimension) || query[dimension] !== undefined;
  const [key, tag, group] = [isAsked('key'), isAsked('tag'), isAsked('group')];
  const whole = { unit: 'day', from: query.from, to: query.to, sign: 1 } as const;
  if (!key && !tag && !group) return modelDays(query, whole);
  const pieces = query.by.includes('day') ? [whole] : planPieces(query.from, query.to);
  const further = tag ? TAGS : group ? GROUPS : undefined;
  return sql.join(
    pieces.flatMap((piece) => [
      selectPiece(query, piece, ALL),
      // What has a tag or a group is taken out of the sums of all, and added as lines of their own.
      ...(further === undefined
        ? []
        : [
            selectPiece(
              query,
              { ...piece, sign: piece.sign === 1 ? -1 : 1 },
              { ...further, tag: NONE, group: NONE },
            ),
            selectPiece(query, piece, further),
          ]),
    ]),
    sql` union all `,
  );
}

/** The pieces of a span of days. */
export function planPieces(from: string, to: string): readonly Piece[] {
  const [first, last] = [from.slice(0, 7), to.slice(0, 7)];
  const days = (start: string, end: string, sign: 1 | -1): readonly Piece[] =>
    start > end ? [] : [{ unit: 'day', from: start, to: end, sign }];
  if (first === last) {
    const around = [
      ...days(`${first}-01`, addDays(from, -1), -1),
      ...days(addDays(to, 1), lastDay(first), -1),
    ];
    return count(around) < count(days(from, to, 1))
      ? [{ unit: 'month', from: first, to: last, sign: 1 }, ...around]
      : days(from, to, 1);
  }
  const before = days(`${first}-01`, addDays(from, -1), -1);
  const after = days(addDays(to, 1), lastDay(last), -1);
  const begin = days(from, lastDay(first), 1);
  const end = days(`${last}-01`, to, 1);
  const [keepsFirst, keepsLast] = [count(before) < count(begin), count(after) < count(end)];
  const months = {
    from: keepsFirst ? first : nextMonth(first),
    to: keepsLast ? last : addDays(`${last}-01`, -1).slice(0, 7),
  };
  return [
    ...(months.from <= months.to ? [{ unit: 'month', ...months, sign: 1 } as const] : []),
    ...(keepsFirst ? before : begin),
    ...(keepsLast ? after : end),
  ];
}

/** The number of days in pieces, of those that are not in the future: there are none. */
function count(pieces: readonly Piece[]): number {
  const today = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  return pieces.reduce((sum, { from, to }) => {
    const end = to < today ? to : today;
    return sum + Math.max(0, (Date.parse(end) - Date.parse(from)) / 86_400_000 + 1);
  }, 0);
}

function nextMonth(month: string): string {
  return addDays(`${month}-01`, 31).slice(0, 7);
}

/** The last day of a month. */
function lastDay(month: string): string {
  return addDays(`${nextMonth(month)}-01`, -1);
}

function selectPiece(
  query: UsageQuery,
  piece: Piece,
  { day, month, tag, group }: Source,
): RawBuilder<unknown> {
  const { unit, sign } = piece;
  return sql`select ${unit === 'day' ? sql.ref('day') : NONE} as day, key, model, vendor, ${tag} as tag,
      ${group} as ${sql.ref('group')}, ${sums(sign)}
    from ${sql.table(unit === 'day' ? day : month)}
    where ${conditions(query, piece, ['key', 'model'])}`;
}

/** The days of models, which are for no key in particular. */
function modelDays(query: UsageQuery, piece: Piece): RawBuilder<unknown> {
  return sql`select day, '' as key, model, vendor, '' as tag, '' as ${sql.ref('group')}, ${sums(1)}
    from gateway_usage_models
    where ${conditions(query, piece, ['model'])}`;
}

function sums(sign: 1 | -1): RawBuilder<unknown> {
  return sql.join(
    USAGE_SUMS.map((column) =>
      sign === 1 ? sql.ref(column) : sql`- ${sql.ref(column)} as ${sql.ref(column)}`,
    ),
  );
}

/** The longest span of which the days are named for one key: so the index finds its rows, and no others are read. */
const MAX_NAMED_DAYS = 400;

function conditions(
  query: UsageQuery,
  { unit, from, to }: Piece,
  filters: readonly Extract<Dimension, 'key' | 'model'>[],
): RawBuilder<unknown> {
  const { simulated = false } = query;
  const column = sql.ref(unit);
  const span = (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1;
  const isNamed =
    unit === 'day' && query.key !== undefined && filters.includes('key') && span <= MAX_NAMED_DAYS;
  const when = isNamed
    ? sql`${column} in (${sql.join(Array.from({ length: span }, (_, at) => addDays(from, at)))})`
    : sql`${column} >= ${from} and ${column} <= ${to}`;
  const only = filters.flatMap((filter) =>
    query[filter] === undefined ? [] : [sql`${sql.ref(filter)} = ${query[filter]}`],
  );
  const vendor = simulated ? sql`vendor = ${SANDBOX}` : sql`vendor <> ${SANDBOX}`;
  return sql.join([when, vendor, ...only], sql` and `);
}
