/** The health of vendors and of the process, from the gateway's own metrics. */

import { reach } from '../session/reach.ts';
import type { Session } from '../session/session.ts';
import { AdminView } from './admin-view.tsx';
import { adminHeaders, readAdminRefusal, useAdmin } from './ask-admin.ts';
import { count } from './figures.ts';
import { parseMetrics, type Sample, sumSamples } from './metrics.ts';
import { type Column, numberColumn, Table } from './table.tsx';
import { TileRow } from './tiles.tsx';

/** Milliseconds between two requests. */
const INTERVAL = 3_000;

interface Place {
  readonly vendor: string;
  readonly place: string;
  readonly isUp: boolean;
  readonly ejections: number;
  readonly requests: number;
  readonly failures: number;
  readonly retries: number;
}

const COLUMNS: readonly Column<Place>[] = [
  { name: 'vendor', value: ({ vendor }) => vendor, show: ({ vendor }) => <strong>{vendor}</strong> },
  { name: 'upstream', value: ({ place }) => place },
  {
    name: 'state',
    value: ({ isUp }) => (isUp ? 'in use' : 'left out'),
    show: ({ isUp }) => <span class={isUp ? 'good' : 'bad'}>{isUp ? '● in use' : '○ left out'}</span>,
  },
  { name: 'ejections', value: ({ ejections }) => ejections, isDetail: 'on phones' },
  numberColumn('requests of the vendor', ({ requests }) => requests, count, 'on phones'),
  numberColumn('with an error', ({ failures }) => failures, count, 'on phones'),
  numberColumn('further attempts', ({ retries }) => retries, count, 'on phones'),
];

export function HealthView({ session }: { session: Session }) {
  const { data, problem } = useAdmin(
    session,
    '',
    async () => {
      const response = await reach('/metrics', {
        headers: adminHeaders(session),
      });
      if (!response.ok) throw await readAdminRefusal(session, response);
      return parseMetrics(await response.text());
    },
    INTERVAL,
  );
  return (
    <AdminView title="Health" session={session} isLoaded={data !== undefined} problem={problem}>
      {data && (
        <>
          <Tiles samples={data} />
          <section class="card">
            <h2>Vendors and their upstreams</h2>
            <Table
              label="Vendors"
              columns={COLUMNS}
              rows={groupByPlace(data)}
              rowKey={({ vendor, place }) => `${vendor} ${place}`}
              none="No vendor has been asked since the gateway started."
            />
          </section>
        </>
      )}
    </AdminView>
  );
}

function Tiles({ samples }: { samples: readonly Sample[] }) {
  const sum = (name: string): number => sumSamples(samples, name);
  const tiles = [
    ['in flight', count(sum('gateway_requests_in_flight')), 'requests now'],
    ['requests', count(sum('gateway_requests_total')), 'since the start'],
    ['memory', `${count(sum('process_resident_memory_bytes') / 1_048_576)} MB`, 'of the processes'],
    ['lost records', count(sum('gateway_usage_records_lost_total')), 'of usage'],
  ] as const;
  return <TileRow label="The process" tiles={tiles} />;
}

function groupByPlace(samples: readonly Sample[]): readonly Place[] {
  const failures = samples.filter(({ labels }) => Number(labels['status']) >= 400);
  return samples
    .filter(({ name }) => name === 'gateway_upstream_up')
    .map(({ labels, value }) => {
      const vendor = labels['vendor'] ?? '';
      const place = labels['place'] ?? '';
      const requests = sumSamples(samples, 'gateway_requests_total', { vendor });
      const attempts = sumSamples(samples, 'gateway_upstream_attempts_total', { vendor });
      return {
        vendor,
        place,
        isUp: value === 1,
        ejections: sumSamples(samples, 'gateway_upstream_ejections_total', { vendor, place }),
        requests,
        failures: sumSamples(failures, 'gateway_requests_total', { vendor }),
        retries: Math.max(0, attempts - requests),
      };
    });
}
