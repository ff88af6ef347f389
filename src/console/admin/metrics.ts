/** Reads Prometheus's text format (Prometheus documentation, "Exposition formats"). */

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The samples of a text. Comments and lines that are no samples are left out. */
export function parseMetrics(text: string): readonly Sample[] {
  return text.split('\n').flatMap((line): readonly Sample[] => {
    const [, name, labels = '', value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line) ?? [];
    return name === undefined || value === undefined
      ? []
      : [{ name, labels: parseLabels(labels), value: Number(value) }];
  });
}

function parseLabels(text: string): Readonly<Record<string, string>> {
  const pairs = [...text.matchAll(/(?<!\w)(\w+)="((?:\\.|[^"\\])*)"/g)];
  return Object.fromEntries(
    pairs.map(([, name = '', value = '']) => [
      name,
      value.replaceAll(/\\(.)/g, (_, letter: string) => (letter === 'n' ? '\n' : letter)),
    ]),
  );
}

/** The sum of all samples of a name that have these labels. */
export function sumSamples(
  samples: readonly Sample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number {
  return samples
    .filter(
      (sample) =>
        sample.name === name &&
        Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
    )
    .reduce((total, { value }) => total + value, 0);
}
