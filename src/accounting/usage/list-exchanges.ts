/** The latest exchanges in the store, without anything of what was said. */

import { z } from 'zod';
import { isoTime, listLimit, wantedText } from '../../lib/zod-fields.ts';
import type { Store } from '../../store/store.ts';
import type { ExchangeRow } from '../../store/tables.ts';
import { findKeySpans, type Span } from './key-spans.ts';

/** The most exchanges in one answer. */
const MAX_EXCHANGES = 1_000;

/** The last exchange of a page: its time, its place in a batch, and the batch. Callers can give two the same id. */
const CURSOR = /^(?<time>\d{1,15})-(?<place>\d{1,9})-(?<batch>[^\0]{1,100})$/;

/** The parameters of the list. */
export const exchangeQuery = z.strictObject({
  key: wantedText.exactOptional().meta({ description: 'Only those of the key of this name.' }),
  model: wantedText.exactOptional().meta({ description: 'Only those of this model, by its full id.' }),
  tag: wantedText.exactOptional().meta({ description: 'Only those with this tag (header `x-gateway-tag`).' }),
  errors: z
    .enum(['true', 'false'])
    .default('false')
    .meta({ description: 'Whether to list only those that did not end well.' }),
  before: isoTime.exactOptional().meta({ description: 'Only those that began before this time.' }),
  page: z
    .string()
    .regex(CURSOR, 'must be the `next_page` of another page')
    .exactOptional()
    .meta({ description: 'The `next_page` of the page before, asked with the same parameters.' }),
  limit: listLimit(MAX_EXCHANGES).default(100).meta({ description: 'Most exchanges to return.' }),
});

const count = z.int().nonnegative().nullable();
const text = z.string().nullable();

/** An exchange as the admin API shows it. */
export const exchangeView = z.strictObject({
  object: z.literal('exchange'),
  id: z.string().meta({ description: 'The request id that the caller received.' }),
  time: z.iso.datetime().meta({ description: 'When it began.' }),
  key: text,
  group: text,
  tag: text,
  model: text,
  vendor: text,
  format: z.string().meta({ description: "The caller's format." }),
  spoken: text.meta({ description: "The vendor's format; null if none was asked." }),
  path: z
    .enum(['native', 'translated'])
    .nullable()
    .meta({ description: 'Whether the body was passed on or translated; null if no vendor was asked.' }),
  operation: z.string(),
  streamed: z.boolean(),
  status: z.int(),
  outcome: z.string(),
  fault: text,
  duration: z.number().nonnegative().meta({ description: 'Milliseconds.' }),
  first_byte: z
    .number()
    .nonnegative()
    .nullable()
    .meta({ description: "Milliseconds to the first byte of the vendor's answer." }),
  input_tokens: count,
  output_tokens: count,
  cost: z
    .number()
    .nonnegative()
    .nullable()
    .meta({ description: 'US dollars; null if the vendor reported no usage.' }),
  attempts: z.int().nonnegative(),
  upstream_id: text.meta({
    description: "The vendor's own id of its last answer, which its support asks for.",
  }),
  repairs: z.array(z.string()).meta({
    description: 'What was done to the request because the vendor refused it, by name and in order.',
  }),
});

export type ExchangeView = z.output<typeof exchangeView>;

/** A page of exchanges, and the cursor for the next one; null after the last page. */
export interface ExchangePage {
  readonly exchanges: readonly ExchangeView[];
  readonly next: string | null;
}

/**
 * Lists exchanges, the latest first. Their index is by time: a rare model or tag takes a walk over what is kept, a rare key
 * one over the days that have it.
 */
export async function listExchanges(
  store: Store,
  query: z.output<typeof exchangeQuery>,
): Promise<ExchangePage> {
  const { key, limit } = query;
  const spans = key === undefined ? [undefined] : await findKeySpans(store, key);
  const rows: ExchangeRow[] = [];
  for (const span of spans) {
    rows.push(...(await readExchanges(store, query, span, limit + 1 - rows.length)));
    if (rows.length > limit) break;
  }
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return {
    exchanges: shown.map(renderExchange),
    next: last === undefined ? null : `${last.time}-${last.place}-${last.batch}`,
  };
}

/** Reads the latest exchanges, of a span of time if there is one. */
function readExchanges(
  { db }: Store,
  { key, model, tag, errors, before, page }: z.output<typeof exchangeQuery>,
  span: Span | undefined,
  most: number,
): Promise<ExchangeRow[]> {
  let asked = db.selectFrom('gateway_exchanges').selectAll();
  if (span !== undefined) asked = asked.where('time', '>=', span.start).where('time', '<', span.end);
  if (key !== undefined) asked = asked.where('key', '=', key);
  if (model !== undefined) asked = asked.where('model', '=', model);
  if (tag !== undefined) asked = asked.where('tag', '=', tag);
  if (errors === 'true')
    asked = asked.where((where) =>
      where.or([where('status', '>=', 400), where('outcome', '!=', 'complete')]),
    );
  if (before !== undefined) asked = asked.where('time', '<', Date.parse(before));
  if (page !== undefined) {
    const { time, place, batch = '' } = CURSOR.exec(page)?.groups ?? {};
    // The first condition is what the index is for.
    asked = asked
      .where('time', '<=', Number(time))
      .where((where) =>
        where.or([
          where('time', '<', Number(time)),
          where('batch', '>', batch),
          where.and([where('batch', '=', batch), where('place', '>', Number(place))]),
        ]),
      );
  }
  return asked.orderBy('time', 'desc').orderBy('batch').orderBy('place').limit(most).execute();
}

function renderExchange(row: ExchangeRow): ExchangeView {
  const { format, spoken } = row;
  return {
    object: 'exchange',
    id: row.id,
    time: new Date(row.time).toISOString(),
    key: row.key || null,
    group: row.group_name,
    tag: row.tag,
    model: row.model || null,
    vendor: row.vendor || null,
    format,
    spoken,
    path: spoken === null ? null : spoken === format ? 'native' : 'translated',
    operation: row.operation,
    streamed: row.streamed === 1,
    status: row.status,
    outcome: row.outcome,
    fault: row.fault,
    duration: row.duration,
    first_byte: row.first_byte,
    input_tokens: row.input,
    output_tokens: row.output,
    cost: row.cost,
    attempts: row.attempts,
    upstream_id: row.upstream_id,
    repairs: row.repairs?.split(',') ?? [],
  };
}
