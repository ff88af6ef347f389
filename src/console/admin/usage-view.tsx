/** Usage: requests, tokens, cost and latency by day, model, key, group and tag, and what happens now. */

import { useRef, useState } from 'preact/hooks';
import type { Session } from '../session/session.ts';
import { Check, Select } from '../shell/fields.tsx';
import { AdminView } from './admin-view.tsx';
import { askAdmin, useAdmin } from './ask-admin.ts';
import { BudgetsCard } from './budgets-card.tsx';
import { askConfig, findTimeZone, isSandboxAlone } from './config-entries.ts';
import { askLatest, listDays, RANGES } from './days.ts';
import { type Dimension, MEASURES, type Measure, type Report } from './figures.ts';
import { addRate, NO_RATES } from './live-rates.ts';
import { Charts, type Reports } from './usage-charts.tsx';

/** Milliseconds between two looks at what happens now. */
const INTERVAL = 3_000;

/** The reports of a range rest for so many times as long as they took: the largest have megabytes, and take seconds. */
const REST = 10;

/** The reports of a range, as they were last asked for. */
interface RangeReports {
  readonly reports: Omit<Reports, 'live'>;
  /** The range. */
  readonly of: string;
  /** What the gateway had recorded. */
  readonly recorded: string;
  /** The time before which they are not asked for again, as `performance.now()` has it. */
  readonly restsUntil: number;
}

export function UsageView({ session }: { session: Session }) {
  const [range, setRange] = useState('30 days');
  const [chosen, setSimulated] = useState<boolean | undefined>();
  const config = useAdmin(session, '', () => askConfig(session));
  const isSimulated = chosen ?? (config.data !== undefined && isSandboxAlone(config.data));
  const [measure = MEASURES[0], setMeasure] = useState<Measure | undefined>(MEASURES[0]);
  const live = useRef(NO_RATES);
  const latest = useRef<RangeReports | undefined>(undefined);
  const { data, problem } = useAdmin(
    session,
    `${range} ${isSimulated}`,
    async (): Promise<Reports> => {
      const { today: now, total } = await askLatest(session, isSimulated);
      live.current = addRate(live.current, `${now} ${isSimulated}`, total);
      const of = `${range} ${isSimulated} ${now}`;
      const recorded = JSON.stringify(total);
      const known = latest.current?.of === of ? latest.current : undefined;
      const begun = performance.now();
      if (known && (known.recorded === recorded || begun < known.restsUntil))
        return { ...known.reports, live: live.current };
      const period = RANGES.find(({ name }) => name === range)?.period(now) ?? { from: now, to: now };
      const read = (...by: readonly Dimension[]) =>
        askAdmin<Report>(
          session,
          'GET',
          `/admin/usage?${new URLSearchParams({ ...period, by: by.join(','), limit: '10000', simulated: String(isSimulated) })}`,
        );
      const [byModel, byKey, byTag] = await Promise.all([
        read('day', 'model'),
        read('group', 'key'),
        read('tag'),
      ]);
      const reports = { days: listDays(period), byModel, byKey, byTag };
      const done = performance.now();
      latest.current = { reports, of, recorded, restsUntil: done + REST * (done - begun) };
      return { ...reports, live: live.current };
    },
    INTERVAL,
  );
  return (
    <AdminView
      title="Usage"
      session={session}
      isLoaded={data !== undefined}
      problem={problem}
      actions={
        <>
          <Check label="Simulated" checked={isSimulated} onCheck={setSimulated} />
          <Select
            label="Range"
            value={range}
            options={RANGES.map(({ name }) => [name, name])}
            isInline
            onChoose={setRange}
          />
          <Select
            label="Show"
            value={measure?.name ?? ''}
            options={MEASURES.map(({ name, label }) => [name, label])}
            isInline
            onChoose={(chosen) => setMeasure(MEASURES.find(({ name }) => name === chosen))}
          />
        </>
      }
    >
      {data && !isSimulated && data.byModel.total.requests === 0 && (
        <p class="hint" role="status">
          No usage in this range. Tick “Simulated” to see answers of the sandbox.
        </p>
      )}
      {data && measure && (
        <Charts
          reports={data}
          measure={measure}
          session={session}
          timeZone={config.data && findTimeZone(config.data)}
        />
      )}
      {data && <BudgetsCard session={session} shownProblem={problem} />}
    </AdminView>
  );
}
