/** What usage can be reported by. */

export const dimensions = ['day', 'group', 'key', 'model', 'vendor', 'tag'] as const;

/** What a report can be grouped by. */
export type Dimension = (typeof dimensions)[number];

export interface UsageQuery {
  /** Days of UTC, YYYY-MM-DD, both inclusive. */
  readonly from: string;
  readonly to: string;
  /** At least one. Group and tag cannot be combined, because there are no sums by both. */
  readonly by: readonly Dimension[];
  /** Only this group, key, model or tag. */
  readonly group?: string;
  readonly key?: string;
  readonly model?: string;
  readonly tag?: string;
  /** Whether to report what the sandbox answered instead of what vendors did; never both in one report. */
  readonly simulated?: boolean;
  /** The most lines. */
  readonly limit: number;
}
