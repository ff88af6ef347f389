/** Prometheus's text format (exposition format 0.0.4), parsed. */

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** @throws Error on a line that is neither a sample nor a comment. */
export function parseExposition(text: string): readonly Sample[] {
  const samples: Sample[] = [];
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const match = /^([a-z_:]\w*)(?:\{(.*)\})? (\S+)$/.exec(line);
    if (match === null) throw new Error(`No sample: ${line}`);
    const [, name = '', labelled = '', value] = match;
    const pairs = [...labelled.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', of = '']) => [
      key,
      of,
    ]);
    samples.push({ name, labels: Object.fromEntries(pairs), value: Number(value) });
  }
  return samples;
}

/** The sum of the samples with that name and these labels. */
export function sumOf(
  samples: readonly Sample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number {
  const found = samples.filter(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  );
  if (found.length === 0) throw new Error(`There is no ${name} ${JSON.stringify(labels)}.`);
  return found.reduce((sum, { value }) => sum + value, 0);
}
