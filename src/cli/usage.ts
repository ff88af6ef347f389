/** `gateway usage`: what was used, and what it cost. */

import { type ArgsDef, defineCommand } from 'citty';
import {
  type Dimension,
  reportUsage,
  type UsageQuery,
  type UsageReport,
} from '../accounting/usage/report.ts';
import { queryOf, usageQuery } from '../accounting/usage/usage-query.ts';
import {
  figuresOf,
  lineView,
  type UsageFigures,
  type UsageLineView,
} from '../accounting/usage/usage-view.ts';
import type { UsageSums } from '../store/tables.ts';
import { csv } from './csv.ts';
import { refuseUnknown } from './known-options.ts';
import { type Column, textTable } from './text-table.ts';
import { checkedOptions, withStore } from './with-store.ts';

const options = {
  from: { type: 'string', description: 'First day, YYYY-MM-DD (default: 30 days up to the last)' },
  to: { type: 'string', description: 'Last day (default: today)' },
  by: {
    type: 'string',
    description: 'day, group, key, model, vendor, tag, or several, comma-separated (default: key,model)',
  },
  group: { type: 'string', description: 'Only what keys of this group used while they were of it' },
  key: { type: 'string', description: 'Only the key of this name' },
  model: { type: 'string', description: 'Only this model, by its full id' },
  tag: { type: 'string', description: 'Only requests with this tag (header x-gateway-tag)' },
  simulated: {
    type: 'boolean',
    description: 'Report what the sandbox answered, instead of what vendors did',
  },
  limit: { type: 'string', description: 'Most lines to print (default: 1000)' },
  csv: { type: 'boolean', description: 'Print CSV (RFC 4180)' },
  json: { type: 'boolean', description: 'Print JSON' },
} as const satisfies ArgsDef;

export const usage = defineCommand({
  meta: {
    name: 'usage',
    description: 'Report requests, tokens and cost by group, key, model, vendor, tag and day (UTC).',
  },
  args: options,
  run: ({ args }) =>
    withStore(async (store) => {
      refuseUnknown(args, options);
      const { from, to, by, group, key, model, tag, limit } = args;
      const simulated = args.simulated ? 'true' : undefined;
      const said = Object.entries({ from, to, by, group, key, model, tag, simulated, limit }).filter(
        ([, value]) => value !== undefined,
      );
      const query = queryOf(checkedOptions(Object.fromEntries(said), usageQuery), Date.now());
      const report = await reportUsage(store, query);
      const render = args.json ? asJson : args.csv ? asCsv : asText;
      console.log(render(report, query));
      if (report.more)
        console.error(`There are more than ${query.limit} lines; raise --limit to see the rest.`);
    }),
});

function asJson({ lines, total, more }: UsageReport, { from, to }: UsageQuery): string {
  const data = lines.map(lineView);
  return JSON.stringify({ from, to, data, has_more: more, total: figuresOf(total) }, undefined, 2);
}

function asCsv({ lines }: UsageReport, { by }: UsageQuery): string {
  const fields = [...by, ...FIGURES];
  return csv([fields, ...lines.map(lineView).map((line) => fields.map((field) => line[field] ?? ''))]);
}

function asText({ lines, total }: UsageReport, { from, to, by, simulated }: UsageQuery): string {
  if (lines.length === 0) {
    const nothing = `No usage from ${from} to ${to}.`;
    return simulated ? nothing : `${nothing} --simulated reports what the sandbox answered.`;
  }
  const sum: UsageLineView = {
    ...figuresOf(total),
    ...Object.fromEntries(by.map((dimension) => [dimension, ''])),
  };
  const [first] = by;
  return textTable(columnsOf(by, total), [
    ...lines.map(lineView),
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

/** @param total tells whether there are answers of which the vendor told no usage, or not all: what they cost nobody knows. */
function columnsOf(by: readonly Dimension[], total: UsageSums): readonly Column<UsageLineView>[] {
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
