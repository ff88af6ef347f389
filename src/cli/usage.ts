/** `gateway usage`: what was used, and what it cost. */

import type { UsageReport } from '../accounting/usage/report.ts';
import type { Dimension, UsageQuery } from '../accounting/usage/usage-dimensions.ts';
import type { UsageFigures, UsageLineView } from '../accounting/usage/usage-view.ts';
import { count } from '../lib/count.ts';
import type { UsageSums } from '../store/tables.ts';
import { command } from './command.ts';
import { CommandError } from './command-error.ts';
import { parseOptions } from './options.ts';
import { type Column, csv, textTable } from './tables.ts';
import { withStore } from './with-store.ts';

export const usage = command({
  name: 'usage',
  description: 'Report requests, tokens and cost by group, key, model, vendor, tag and day.',
  options: {
    from: { type: 'string', description: 'First day, YYYY-MM-DD (default: 30 days before --to)' },
    to: { type: 'string', description: 'Last day (default: today)' },
    by: {
      type: 'string',
      description: 'day, group, key, model, vendor, tag, or several, comma-separated (default: key,model)',
    },
    group: { type: 'string', description: 'Only usage of keys while they belonged to this group' },
    key: { type: 'string', description: 'Only the key with this name' },
    model: { type: 'string', description: 'Only this model, by its full id' },
    tag: { type: 'string', description: 'Only requests with this tag (header x-gateway-tag)' },
    simulated: {
      type: 'boolean',
      description: 'Report answers of the sandbox instead of answers of vendors',
    },
    limit: { type: 'string', description: 'Maximum number of lines to print (default: 1000)' },
    csv: { type: 'boolean', description: 'Print CSV (RFC 4180)' },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  async run(args) {
    if (args.csv && args.json)
      throw new CommandError('--csv and --json exclude each other. Give one of them.');
    return withStore(async (store, config) => {
      const [{ reportUsage }, { completeQuery, usageQuery }, view] = await Promise.all([
        import('../accounting/usage/report.ts'),
        import('../accounting/usage/usage-query.ts'),
        import('../accounting/usage/usage-view.ts'),
      ]);
      const { from, to, by, group, key, model, tag, limit } = args;
      const simulated = args.simulated ? 'true' : undefined;
      const given = Object.entries({ from, to, by, group, key, model, tag, simulated, limit }).filter(
        ([, value]) => value !== undefined,
      );
      const query = completeQuery(
        parseOptions(Object.fromEntries(given), usageQuery),
        Date.now(),
        config.usage.timeZone,
      );
      const { lines, total, more } = await reportUsage(store, query);
      const report = {
        query,
        lines: lines.map(view.lineView),
        total: view.renderFigures(total),
        sums: total,
        more,
      };
      const render = args.json ? asJson : args.csv ? asCsv : asText;
      console.log(render(report));
      if (more)
        console.error(`There are more than ${count(query.limit, 'line')}. Raise --limit to see the rest.`);
    });
  },
});

/** A report, its figures as the admin API shows them. */
interface Report extends Pick<UsageReport, 'more'> {
  readonly query: UsageQuery;
  readonly lines: readonly UsageLineView[];
  readonly total: UsageFigures;
  readonly sums: UsageSums;
}

function asJson({ query: { from, to }, lines, total, more }: Report): string {
  return JSON.stringify({ from, to, data: lines, has_more: more, total }, undefined, 2);
}

function asCsv({ query: { by }, lines }: Report): string {
  const fields = [...by, ...FIGURES];
  return csv([fields, ...lines.map((line) => fields.map((field) => line[field] ?? ''))]);
}

function asText({ query: { from, to, by, simulated }, lines, total, sums }: Report): string {
  if (lines.length === 0) {
    const nothing = `No usage from ${from} to ${to}.`;
    return simulated ? nothing : `${nothing} Use --simulated to report answers of the sandbox.`;
  }
  const sum: UsageLineView = {
    ...total,
    ...Object.fromEntries(by.map((dimension) => [dimension, ''])),
  };
  const [first] = by;
  return textTable(listColumns(by, sums), [
    ...lines,
    first === undefined ? sum : { ...sum, [first]: 'total' },
  ]);
}

const FIGURES = [
  'requests',
  'errors',
  'uncounted',
  'input_tokens',
  'output_tokens',
  'reasoning_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'cost',
  'mean_duration',
  'mean_first_byte',
  'estimated_cost',
] as const satisfies readonly (keyof UsageFigures)[];

const estimate: Column<UsageLineView> = {
  title: 'estimated $',
  right: true,
  text: ({ estimated_cost }) => estimated_cost.toFixed(4),
};

/**
 * @param total decides which columns are shown: answers whose usage the vendor did not report, and estimated cost, only
 *   if there are any.
 */
function listColumns(by: readonly Dimension[], total: UsageSums): readonly Column<UsageLineView>[] {
  const figure = (field: keyof UsageFigures, title: string): Column<UsageLineView> => ({
    title,
    right: true,
    text: (line) => String(line[field] ?? '-'),
  });
  return [
    ...by.map((dimension) => ({ title: dimension, text: (line: UsageLineView) => line[dimension] ?? '-' })),
    figure('requests', 'requests'),
    figure('errors', 'errors'),
    ...(total.uncounted > 0 ? [figure('uncounted', 'uncounted')] : []),
    figure('input_tokens', 'input'),
    figure('cache_read_tokens', 'cached'),
    figure('output_tokens', 'output'),
    { title: 'cost $', right: true, text: ({ cost }) => cost.toFixed(4) },
    ...(total.estimated_cost > 0 ? [estimate] : []),
    figure('mean_first_byte', 'first byte ms'),
    figure('mean_duration', 'ms'),
  ];
}
