/**
 * The alerts of `deploy/prometheus`, each run by Prometheus's own tool: what makes one fire, and what does
 * not.
 */

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { asObjects, asText } from '../../../src/lib/json.ts';
import { hasPrometheus, promtool } from '../../support/prometheus.ts';
import { DEPLOY, yaml } from './deploy-files.ts';

/** The values of one series, minute by minute, in the notation of `promtool test rules`. */
type Series = Readonly<Record<string, string>>;

interface Case {
  readonly what: string;
  readonly series: Series;
  /** Minutes after the beginning. */
  readonly at: number;
  /** All alerts that fire at that time, and the labels of each. */
  readonly on: Readonly<Record<string, { readonly labels?: Series; readonly says: string }>>;
}

const LOOP = 'gateway_event_loop_active_seconds_total{job="gateway",instance="a"}';
/** A gateway that can be scraped and is idle. */
const THERE: Series = { [LOOP]: '0+1x60', 'up{job="gateway",instance="a"}': '1x60' };
const requests = (vendor: string, outcome: string): string =>
  `gateway_requests_total{vendor="${vendor}",outcome="${outcome}",model="m",instance="a"}`;
const errors = (fault: string): string =>
  `gateway_errors_total{fault="${fault}",vendor="openai",format="messages",instance="a"}`;
const OTHER = '{instance="a"}';

const CASES: readonly Case[] = [
  { what: 'an idle gateway', series: THERE, at: 30, on: {} },
  { what: 'a gateway of which nobody hears, for less than two minutes', series: {}, at: 1, on: {} },
  {
    what: 'a gateway of which nobody hears',
    series: {},
    at: 3,
    on: {
      GatewayDown: { says: 'No gateway can be scraped, or one that could be ten minutes ago no longer can.' },
    },
  },
  {
    what: 'one gateway of two that cannot be read any more',
    series: {
      ...THERE,
      'gateway_event_loop_active_seconds_total{job="gateway",instance="b"}': '0+1x20 stale',
      'up{job="gateway",instance="b"}': '1x20 0x40',
    },
    at: 24,
    on: {
      GatewayDown: {
        labels: { job: 'gateway', instance: 'b' },
        says: 'No gateway can be scraped, or one that could be ten minutes ago no longer can.',
      },
    },
  },
  {
    what: 'a job of another kind that cannot be read',
    series: { ...THERE, 'up{job="node",instance="b"}': '0x60' },
    at: 30,
    on: {},
  },
  {
    what: 'one request in ten of a vendor that fails, of another one in a hundred',
    series: {
      ...THERE,
      [requests('openai', 'finished')]: '0+90x60',
      [requests('openai', 'failed')]: '0+10x60',
      [requests('google', 'finished')]: '0+99x60',
      [requests('google', 'failed')]: '0+1x60',
      [requests('', 'refused')]: '0+900x60',
    },
    at: 30,
    on: {
      GatewayVendorFails: {
        labels: { vendor: 'openai' },
        says: 'More than 5% of the requests to openai fail.',
      },
    },
  },
  {
    what: 'a place of a vendor that one gateway leaves out',
    series: {
      ...THERE,
      'gateway_upstream_up{vendor="openai",place="1",instance="a"}': '0x60',
      'gateway_upstream_up{vendor="openai",place="1",instance="b"}': '1x60',
      'gateway_upstream_up{vendor="openai",place="0",instance="a"}': '1x60',
    },
    at: 30,
    on: {
      GatewayVendorPlaceLeftOut: {
        labels: { vendor: 'openai', place: '1' },
        says: 'Upstream 1 of openai has been failing for ten minutes and is left out.',
      },
    },
  },
  {
    what: 'a first key that a vendor refuses',
    series: { ...THERE, [errors('upstream-auth')]: '_x20 1x40' },
    at: 22,
    on: {
      GatewayVendorKeyRefused: {
        labels: { vendor: 'openai' },
        says: "openai refuses the gateway's key.",
      },
    },
  },
  {
    what: 'a further key that a vendor refuses',
    series: { ...THERE, [errors('upstream-auth')]: '1x20 2x40' },
    at: 22,
    on: {
      GatewayVendorKeyRefused: {
        labels: { vendor: 'openai' },
        says: "openai refuses the gateway's key.",
      },
    },
  },
  {
    what: 'a model of which all requests go to its fallback, and one of which hardly any do',
    series: {
      ...THERE,
      'gateway_fallbacks_total{model="n",vendor="openai",fault="upstream-auth",fallback="m",instance="a"}':
        '0+10x60',
      'gateway_fallbacks_total{model="m",vendor="google",fault="rate-limited",fallback="o",instance="a"}':
        '0+1x60',
      'gateway_fallbacks_total{model="m",vendor="google",fault="context-too-long",fallback="o",instance="a"}':
        '0+50x60',
      [requests('google', 'complete')]: '0+99x60',
    },
    at: 30,
    on: {
      GatewayFallbacks: {
        labels: { model: 'n' },
        says: 'More than 5% of the requests for n go to its fallback, since its vendor cannot answer; askedFault in the log says why.',
      },
    },
  },
  {
    what: 'keys that a vendor refused long ago',
    series: { ...THERE, [errors('upstream-auth')]: '1x60' },
    at: 40,
    on: {},
  },
  {
    what: 'a first error of its own',
    series: { ...THERE, [errors('internal')]: '_x20 1x40' },
    at: 22,
    on: {
      GatewayInternalErrors: {
        says: 'Requests failed because of an error in the gateway itself; its log says where.',
      },
    },
  },
  {
    what: 'answers that begin late',
    series: {
      ...THERE,
      'gateway_time_to_first_token_seconds_bucket{model="m",vendor="openai",le="30",instance="a"}': '0+9x60',
      'gateway_time_to_first_token_seconds_bucket{model="m",vendor="openai",le="60",instance="a"}': '0+10x60',
      'gateway_time_to_first_token_seconds_bucket{model="m",vendor="openai",le="+Inf",instance="a"}':
        '0+10x60',
      'gateway_time_to_first_token_seconds_bucket{model="n",vendor="openai",le="30",instance="a"}': '0+10x60',
      'gateway_time_to_first_token_seconds_bucket{model="n",vendor="openai",le="+Inf",instance="a"}':
        '0+10x60',
    },
    at: 30,
    on: {
      GatewaySlowFirstToken: {
        labels: { model: 'm' },
        says: '5% of the answers of m take more than 30 s to begin.',
      },
    },
  },
  {
    what: 'an event loop that is busy',
    series: { ...THERE, [LOOP]: '0+57x60' },
    at: 30,
    on: {
      GatewayBusy: {
        labels: { job: 'gateway', instance: 'a' },
        says: 'a has been nearly fully busy for ten minutes: start more processes (WORKERS) or replicas.',
      },
    },
  },
  {
    what: 'an event loop that is late',
    series: {
      ...THERE,
      'gateway_event_loop_delay_seconds{quantile="0.99",instance="a"}': '0.3x60',
      'gateway_event_loop_delay_seconds{quantile="0.5",instance="b"}': '0.3x60',
    },
    at: 30,
    on: {
      GatewayEventLoopLate: {
        labels: { instance: 'a', quantile: '0.99' },
        says: 'a delays everything it does by a quarter of a second: its event loop is blocked or overloaded.',
      },
    },
  },
  {
    what: 'usage that is lost',
    series: { ...THERE, [`gateway_usage_records_lost_total${OTHER}`]: '0x20 3x40' },
    at: 22,
    on: {
      GatewayUsageLost: {
        says: 'Usage of some requests could not be stored, so reports and budgets are too low; check the database.',
      },
    },
  },
  {
    what: 'lines of the log that are dropped, without traces',
    series: { ...THERE, [`gateway_log_lines_dropped_total${OTHER}`]: '0+5x60' },
    at: 30,
    on: {
      GatewayLogLost: {
        says: 'Log lines or spans are being dropped, because they are not read or collected in time.',
      },
    },
  },
  {
    what: 'spans that are lost, without a log',
    series: { ...THERE, [`gateway_spans_lost_total${OTHER}`]: '0+5x60' },
    at: 30,
    on: {
      GatewayLogLost: {
        says: 'Log lines or spans are being dropped, because they are not read or collected in time.',
      },
    },
  },
  {
    what: 'a configuration that is refused',
    series: { ...THERE, [`gateway_config_reloads_refused_total${OTHER}`]: '0x20 1x40' },
    at: 22,
    on: {
      GatewayConfigurationRefused: {
        labels: { instance: 'a' },
        says: 'a refused its new configuration, and the old one stays in force; its log says why.',
      },
    },
  },
  {
    what: 'a certificate that is not renewed, and one that is',
    // The time of these tests begins in 1970.
    series: {
      ...THERE,
      'gateway_certificate_expiry_timestamp_seconds{field="tls",instance="a"}': '173700x60',
      'gateway_certificate_expiry_timestamp_seconds{field="admin.tls",instance="a"}': '173700x9 999999x50',
    },
    at: 30,
    on: {
      GatewayCertificateExpires: {
        labels: { field: 'tls' },
        says: 'The certificate at tls expires within two days, or has expired, and no renewed one is in force.',
      },
    },
  },
  {
    what: 'requests refused for want of room',
    series: { ...THERE, [errors('overloaded')]: '0+60x60' },
    at: 30,
    on: {
      GatewayRefusesWork: {
        labels: { instance: 'a' },
        says: 'a has been refusing requests for five minutes: it is at its limit of CPU, memory, connections or requests in flight.',
      },
    },
  },
  {
    what: 'most descriptors taken, and those of something else',
    series: {
      ...THERE,
      'process_open_fds{job="gateway",instance="a"}': '75x60',
      'process_max_fds{job="gateway",instance="a"}': '100x60',
      'process_open_fds{job="node",instance="b"}': '75x60',
      'process_max_fds{job="node",instance="b"}': '100x60',
    },
    at: 30,
    on: {
      GatewayDescriptorsShort: {
        labels: { job: 'gateway', instance: 'a' },
        says: 'a uses more than 70% of its file descriptors; at 80% it refuses requests.',
      },
    },
  },
  {
    what: 'a heap that is nearly full',
    series: {
      ...THERE,
      'nodejs_heap_size_used_bytes{job="gateway",instance="a"}': '80x60',
      'nodejs_heap_size_limit_bytes{job="gateway",instance="a"}': '100x60',
    },
    at: 30,
    on: {
      GatewayMemoryShort: {
        labels: { job: 'gateway', instance: 'a' },
        says: 'a uses more than 75% of its heap; at 85% it refuses requests.',
      },
    },
  },
  {
    what: 'a worker that was gone',
    series: { ...THERE, [`gateway_workers_lost_total${OTHER}`]: '0x20 1x40' },
    at: 22,
    on: {
      GatewayWorkersLost: {
        labels: { instance: 'a' },
        says: 'A worker of a ended unexpectedly and was replaced; its log says how.',
      },
    },
  },
  {
    what: 'an address that is refused',
    series: { ...THERE, [`gateway_addresses_refused_total${OTHER}`]: '0x20 1x40' },
    at: 22,
    on: {
      GatewayVendorAddressRefused: {
        labels: { instance: 'a' },
        says: 'The host name of a vendor resolves to a private or reserved address, so the gateway does not connect to it. Its DNS may have been tampered with.',
      },
    },
  },
  {
    what: 'wrong keys, many of them',
    series: { ...THERE, [errors('unauthenticated')]: '0+900x60' },
    at: 30,
    on: { GatewayWrongKeys: { says: 'More than ten requests per second come with a wrong key.' } },
  },
  {
    what: 'answers whose usage nobody tells, of one model more than of the other',
    series: {
      ...THERE,
      'gateway_uncounted_requests_total{model="m",vendor="openai",instance="a"}': '0+10x90',
      'gateway_upstream_attempts_total{model="m",vendor="openai",instance="a"}': '0+100x90',
      'gateway_uncounted_requests_total{model="n",vendor="openai",instance="a"}': '0+1x90',
      'gateway_upstream_attempts_total{model="n",vendor="openai",instance="a"}': '0+100x90',
      [LOOP]: '0+1x90',
    },
    at: 80,
    on: {
      GatewayUsageUntold: {
        labels: { model: 'm' },
        says: 'For more than 5% of the answers of m the vendor reported no usage, so reports and budgets are too low.',
      },
    },
  },
];

describe.skipIf(!hasPrometheus())('alerts, run', async () => {
  const rules = asObjects((await yaml('prometheus', 'alerts.yaml'))['groups']).flatMap((group) =>
    asObjects(group['rules']),
  );
  const severities = new Map(
    rules.map(({ alert, labels }) => [asText(alert) ?? '', JSON.parse(JSON.stringify(labels ?? {}))]),
  );

  test('every alert can be made to fire', () => {
    expect(new Set(CASES.flatMap(({ on }) => Object.keys(on)))).toEqual(new Set(severities.keys()));
  });

  test.each(CASES)('$what', async ({ series, at, on }) => {
    await promtool(['test', 'rules'], {
      rule_files: [join(DEPLOY, 'prometheus', 'alerts.yaml')],
      evaluation_interval: '1m',
      tests: [
        {
          interval: '1m',
          input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
          alert_rule_test: [...severities].map(([alertname, labels]) => {
            const expected = on[alertname];
            const alert = {
              exp_labels: { ...labels, ...expected?.labels },
              exp_annotations: { summary: expected?.says },
            };
            return { alertname, eval_time: `${at}m`, exp_alerts: expected === undefined ? [] : [alert] };
          }),
        },
      ],
    });
  });
});
