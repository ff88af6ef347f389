/** `gateway validate FILE`: checks whether a recorded answer follows the protocol of its format. */

import { FORMAT_NAMES } from '../conversation/prompt.ts';
import { count } from '../lib/count.ts';
import { escapeControls } from '../lib/escape-controls.ts';
import { command, readNamedFile } from './command.ts';
import { parseFormat } from './options.ts';

/** The exit code for a format that does not exist: 1 says that the answer has violations. */
const UNKNOWN_FORMAT = 2;

export const validate = command({
  name: 'validate',
  description: 'Check a recorded answer (SSE or JSON) against the protocol of its format.',
  options: {
    file: { type: 'positional', required: true, description: 'File with the answer' },
    format: { type: 'string', description: `${FORMAT_NAMES.join(', ')} (default: detected from the events)` },
  },
  async run(args) {
    const format = parseFormat(args.format, UNKNOWN_FORMAT);
    const { validateFile } = await import('../protocol/validate-file.ts');
    const { RULEBOOKS } = await import('../protocol/validate.ts');
    const result = validateFile(String(await readNamedFile(args.file)), format);
    for (const { rule, index, detail } of result.violations)
      console.log(escapeControls(`event ${index}: ${rule}: ${detail}`));
    const demands = result.format && RULEBOOKS[result.format].rules;
    for (const rule of new Set(result.violations.map((violation) => violation.rule)))
      if (demands?.[rule] !== undefined) console.log(`  ${rule}: ${demands[rule]}`);
    console.log(`${result.format ?? 'unknown format'}: ${count(result.violations.length, 'violation')}`);
    if (result.violations.length > 0) process.exitCode = 1;
  },
});
