/**
 * `GET /v1/key`: what a caller may know of its own key. The fields have the names of OpenRouter's endpoint of this path,
 * where it has them (openrouter.ai/docs, "Get current API key").
 */

import { z } from 'zod';
import type { LimitReport } from '../../access/limits/limit-report.ts';
import { nextStart } from '../../access/limits/periods.ts';
import type { Principal } from '../../access/principal.ts';
import { type CallerUsage, DAYS } from '../../accounting/usage/caller-usage.ts';
import { formatDay } from '../../lib/calendar.ts';
import { roundDollars } from '../../lib/round-dollars.ts';
import type { Gateway } from '../../pipeline/gateway.ts';
import { BUDGETS, PERIODS } from '../../store/keys/key-limits.ts';

const dollars = z.number();
const count = z.int().nonnegative();

const budget = z.strictObject({
  period: z.enum(PERIODS),
  limit: dollars,
  remaining: dollars.meta({ description: 'US dollars; below 0 if the last answers went beyond it.' }),
  renews_at: z.iso.datetime().nullable().meta({ description: 'null: it never renews.' }),
});

const limit = z.strictObject({
  of: z.enum(['key', 'group']),
  models: z.string().nullable().meta({ description: 'The models that it covers. null: all.' }),
  requests_per_minute: count.nullable(),
  tokens_per_minute: count.nullable(),
  concurrent_requests: count.nullable(),
  budgets: z.array(budget),
});

export const callerKey = z.strictObject({
  data: z.strictObject({
    label: z.string().meta({ description: 'The name of the key, or of the caller of a token.' }),
    group: z.string().nullable(),
    expires_at: z.iso.datetime().nullable().meta({ description: 'null: never.' }),
    models: z
      .array(z.string())
      .nullable()
      .meta({ description: 'The ids of the models that the key may use. null: all.' }),
    limit: dollars
      .nullable()
      .meta({ description: 'The budget of which the least is left, in US dollars. null: none.' }),
    limit_remaining: dollars.nullable(),
    limit_reset: z
      .enum(['daily', 'weekly', 'monthly'])
      .nullable()
      .meta({ description: 'When that budget renews. null: never, or there is none.' }),
    usage: dollars.meta({
      description: 'US dollars in total, and below in the present day, week and month.',
    }),
    usage_daily: dollars,
    usage_weekly: dollars,
    usage_monthly: dollars,
    limits: z.array(limit).meta({ description: 'All limits that apply, of the key and of its group.' }),
    days: z
      .array(
        z.strictObject({
          date: z.iso.date(),
          requests: count,
          input_tokens: count,
          output_tokens: count,
          usage: dollars.meta({ description: 'US dollars, estimates included.' }),
        }),
      )
      .meta({ description: `The days with usage among the last ${DAYS}, the latest first.` }),
    time_zone: z.string().meta({ description: 'That of all days, weeks and months.' }),
  }),
});

type CallerKey = z.output<typeof callerKey>;
type Limit = z.output<typeof limit>;

const NOTHING: CallerUsage = { spent: { day: 0, week: 0, month: 0, total: 0 }, days: [] };
const RESETS = { day: 'daily', week: 'weekly', month: 'monthly', total: null } as const;

/** What a caller may know of its own key. @throws GatewayError `internal` if the store cannot be read. */
export async function describeKey(gateway: Gateway, principal: Principal): Promise<CallerKey> {
  const { catalog, limits, timeZone, callerUsage } = gateway;
  const { otherNames } = catalog;
  const [reports, stored] = await Promise.all([
    limits?.report(principal, otherNames) ?? [],
    callerUsage?.(principal.name) ?? NOTHING,
  ]);
  const now = Date.now();
  const all = reports.map((report) => renderLimit(report, now, timeZone));
  const tightest = all
    .flatMap(({ budgets }) => budgets)
    .toSorted((one, other) => one.remaining - other.remaining)[0];
  const own = reports.find(({ of, models }) => of === 'key' && models === undefined)?.spent;
  const { spent, days } = withLatest(stored, own?.day ?? 0, formatDay(now, timeZone));
  return {
    data: {
      label: principal.name,
      group: principal.group?.name ?? null,
      expires_at: principal.expires === undefined ? null : new Date(principal.expires).toISOString(),
      models: principal.restricted
        ? catalog.models.map(({ id }) => id).filter((id) => principal.allows(id, otherNames))
        : null,
      limit: tightest?.limit ?? null,
      limit_remaining: tightest?.remaining ?? null,
      limit_reset: tightest === undefined ? null : RESETS[tightest.period],
      usage: roundDollars(spent.total),
      usage_daily: roundDollars(spent.day),
      usage_weekly: roundDollars(spent.week),
      usage_monthly: roundDollars(spent.month),
      limits: all,
      days: days.map(({ day, requests, input, output, cost, estimated_cost: estimated }) => ({
        date: day,
        requests,
        input_tokens: input,
        output_tokens: output,
        usage: roundDollars(cost + estimated),
      })),
      time_zone: timeZone,
    },
  };
}

/**
 * The store is a moment behind what this process knows of a key with limits. What it lacks of today is added wherever
 * today counts, so that no two figures disagree. The numbers of requests and tokens follow with the store.
 * @param spentToday dollars, as far as this process knows.
 */
function withLatest({ spent, days }: CallerUsage, spentToday: number, today: string): CallerUsage {
  const lacking = spentToday - spent.day;
  if (lacking <= 0) return { spent, days };
  const { day, week, month, total } = spent;
  const [latest] = days;
  const isOfToday = latest?.day === today;
  const present = isOfToday
    ? latest
    : { day: today, requests: 0, input: 0, output: 0, cost: 0, estimated_cost: 0 };
  return {
    spent: { day: day + lacking, week: week + lacking, month: month + lacking, total: total + lacking },
    days: [{ ...present, cost: present.cost + lacking }, ...(isOfToday ? days.slice(1) : days)],
  };
}

function renderLimit({ of, models, limits, spent }: LimitReport, now: number, zone: string): Limit {
  return {
    of: of === 'group' ? 'group' : 'key',
    models: models ?? null,
    requests_per_minute: limits.requestsPerMinute ?? null,
    tokens_per_minute: limits.tokensPerMinute ?? null,
    concurrent_requests: limits.concurrentRequests ?? null,
    budgets: PERIODS.flatMap((period) => {
      const limit = limits[BUDGETS[period]];
      if (limit === undefined) return [];
      const renews = nextStart(period, now, zone);
      return [
        {
          period,
          limit,
          remaining: roundDollars(limit - spent[period]),
          renews_at: renews === undefined ? null : new Date(renews).toISOString(),
        },
      ];
    }),
  };
}
