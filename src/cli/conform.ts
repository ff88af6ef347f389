/** `gateway conform --url URL --key KEY --model M`: examines whether a service keeps to the formats that it speaks. */

import { FORMAT_NAMES } from '../conversation/prompt.ts';
import type { FormatReport, Trial } from '../devtools/conform/conform.ts';
import { escapeControlsInLines } from '../lib/escape-controls.ts';
import { command } from './command.ts';
import { CommandError } from './command-error.ts';
import { parseFormat, parseWholeNumber } from './options.ts';
import { textTable } from './tables.ts';

export const conform = command({
  name: 'conform',
  description:
    'Ask any service some short requests, streamed and whole, and report which rules of its formats its answers keep.',
  options: {
    url: { type: 'string', description: 'Address of the service, such as https://api.openai.com/v1' },
    key: { type: 'string', description: 'Its API key (default: the variable CONFORM_KEY)' },
    model: { type: 'string', description: 'Model to ask, by the service’s own name' },
    format: { type: 'string', description: `${FORMAT_NAMES.join(', ')} (default: all)` },
    timeout: { type: 'string', default: '120', description: 'Seconds that an answer may take' },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  async run(args) {
    const { url, model } = args;
    requireAddress(url);
    if (model === undefined) throw new CommandError('Give the model with --model.');
    const format = parseFormat(args.format);
    const seconds = parseWholeNumber('timeout', args.timeout, 1, 3_600);
    const devtool = await import('../devtools/conform/conform.ts');
    const key = args.key ?? process.env['CONFORM_KEY'] ?? '';
    const service = { url, key, model, patience: seconds * 1_000 };
    const reports: FormatReport[] = [];
    for (const one of format === undefined ? FORMAT_NAMES : [format]) {
      reports.push(await devtool.conform(service, one));
    }
    console.log(
      escapeControlsInLines(
        args.json ? JSON.stringify(reports, undefined, 2) : reports.map(render).join('\n\n'),
      ),
    );
    const isOffered = reports.some((report) => report.isOffered);
    if (!isOffered || !reports.every(devtool.isConforming)) process.exitCode = 1;
  },
});

function requireAddress(url: string | undefined): asserts url is string {
  if (url === undefined) throw new CommandError('Give the address of the service with --url.');
  if (URL.canParse(url) && /^https?:/i.test(url)) return;
  throw new CommandError(`--url: ${url} is not an http or https address.`);
}

function render({ format, isOffered, isKeyRefused, trials, rules }: FormatReport): string {
  if (!isOffered) return `${format}: not offered, or not with this model (status 404 or 405)`;
  if (isKeyRefused) {
    const [{ status, detail = '' } = {}] = trials;
    const said = detail === '' ? '' : `: ${detail}`;
    return `${format}: nothing was examined, since the service refuses the key or its account (status ${status})${said}`;
  }
  const held = rules.filter(({ verdict }) => verdict === 'ok').length;
  const names = [...new Set(trials.map((trial) => trial.case))];
  const renderVerdict = (name: string, stream: boolean): string =>
    trials.find((trial) => trial.case === name && trial.stream === stream)?.verdict ?? '';
  const table = textTable(
    [
      { title: 'case', text: (name: string) => name },
      { title: 'streamed', text: (name) => renderVerdict(name, true) },
      { title: 'whole', text: (name) => renderVerdict(name, false) },
    ],
    names,
  );
  const broken = rules
    .filter(({ verdict }) => verdict !== 'ok')
    .map(({ rule, demand, verdict, brokenBy }) => `${verdict}: ${rule}: ${demand} (${brokenBy.join('; ')})`);
  const details = trials.flatMap(renderDetails);
  return [
    rules.length === 0
      ? `${format}: nothing was examined, since ${isAllRefused(trials) ? 'every request is refused' : 'no answer could be judged by the rules'}`
      : `${format}: ${held} of ${rules.length} rules hold`,
    table.replaceAll(/^/gm, '  '),
    ...[...broken, ...details].map((line) => `  ${line}`),
  ].join('\n');
}

/** The last case of each kind asks for an error, and gets it. */
function isAllRefused(trials: readonly Trial[]): boolean {
  return trials.every(({ status = 0, verdict }) => status >= 400 && verdict !== 'broken');
}

function renderDetails({ case: name, stream, status, detail, violations }: Trial): readonly string[] {
  const place = stream ? `${name}, streamed` : name;
  return [
    ...(detail === undefined ? [] : [`${place}: ${detail} (status ${status ?? 'none'})`]),
    ...violations.map((each) => `${place}, event ${each.index}: ${each.rule}: ${each.detail}`),
  ];
}
