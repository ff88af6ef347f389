/** A chart of Chart.js, in the colours of the theme. What it shows is in a table beside it, for those who cannot see it. */

import {
  BarController,
  BarElement,
  CategoryScale,
  Chart,
  type ChartConfiguration,
  Filler,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
} from 'chart.js';
import { useEffect, useRef } from 'preact/hooks';
import type { Theme } from '../session/session.ts';

Chart.register(
  BarController,
  BarElement,
  CategoryScale,
  Filler,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
);

export interface Series {
  readonly name: string;
  /** The name of its colour: `c0` to `c7`, or `rest`. */
  readonly colour: string;
  /** null for a place without a value. */
  readonly values: readonly (number | null)[];
}

export interface ChartProps {
  readonly kind: 'bar' | 'line' | 'rows';
  readonly label: string;
  readonly places: readonly string[];
  readonly series: readonly Series[];
  readonly isStacked?: boolean;
  readonly theme: Theme;
  readonly height: number;
  write(value: number): string;
}

export function ChartView(props: ChartProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const chart = useRef<Chart | undefined>(undefined);
  useEffect(() => {
    if (canvas.current === null) return;
    const { data, options = {} } = configure(props);
    if (chart.current === undefined) {
      chart.current = new Chart(canvas.current, configure(props));
      return;
    }
    chart.current.data = data;
    chart.current.options = options;
    chart.current.update('none');
  });
  useEffect(() => () => chart.current?.destroy(), []);
  return (
    <div class="chart" style={{ height: `${props.height}px` }}>
      <canvas ref={canvas} role="img" aria-label={props.label} />
    </div>
  );
}

function configure({
  kind,
  places,
  series,
  isStacked = false,
  write,
}: ChartProps): ChartConfiguration<'bar' | 'line'> {
  const styles = getComputedStyle(document.documentElement);
  const colour = (name: string): string => styles.getPropertyValue(`--${name}`).trim();
  const isRows = kind === 'rows';
  const ticks = {
    color: colour('soft'),
    precision: 0,
    maxRotation: 0,
    autoSkipPadding: 16,
  };
  const values = {
    stacked: isStacked,
    beginAtZero: true,
    border: { display: false },
    grid: { color: colour('line') },
    ticks: { ...ticks, maxTicksLimit: 6, callback: (value: string | number) => write(Number(value)) },
  };
  const names = {
    stacked: isStacked,
    grid: { display: false },
    border: { color: colour('line') },
    // Chart.js writes the value where a place has no name.
    ticks: { ...ticks, display: places.some((place) => place !== '') },
  };
  return {
    type: kind === 'line' ? 'line' : 'bar',
    data: {
      labels: [...places],
      datasets: series.map(({ name, colour: of, values: data }) => ({
        label: name,
        data: [...data],
        backgroundColor: colour(of),
        borderColor: colour(of),
        borderWidth: kind === 'line' ? 2 : 0,
        borderRadius: isStacked ? 0 : 3,
        pointRadius: places.length > 40 ? 0 : 2,
        maxBarThickness: isRows ? 18 : 44,
        spanGaps: true,
        tension: 0.25,
      })),
    },
    options: {
      animation: false,
      maintainAspectRatio: false,
      indexAxis: isRows ? 'y' : 'x',
      interaction: { mode: isRows ? 'nearest' : 'index', intersect: false },
      scales: isRows ? { x: values, y: names } : { x: names, y: values },
      plugins: {
        tooltip: {
          callbacks: {
            label: ({ dataset, parsed }) => `${dataset.label}: ${write((isRows ? parsed.x : parsed.y) ?? 0)}`,
          },
        },
      },
    },
  };
}
