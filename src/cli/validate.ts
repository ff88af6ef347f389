/** `gateway validate FILE`: whether a recorded answer keeps its format's protocol. */

import { type ArgsDef, defineCommand } from 'citty';
import { FORMAT_NAMES } from '../conversation/prompt.ts';
import { validateFile } from '../protocol/validate-file.ts';
import { refuseUnknown } from './known-options.ts';
import { readNamed } from './read-named.ts';
import { tellingRefusals } from './refusal.ts';

const options = {
  file: { type: 'positional', required: true, description: 'File with the answer' },
  format: { type: 'string', description: `${FORMAT_NAMES.join(', ')} (default: detected from the events)` },
} as const satisfies ArgsDef;

export const validate = defineCommand({
  meta: {
    name: 'validate',
    description: 'Check a recorded answer (SSE or JSON) against the protocol of its format.',
  },
  args: options,
  run: ({ args }) =>
    tellingRefusals(async () => {
      refuseUnknown(args, options);
      const format = FORMAT_NAMES.find((name) => name === args.format);
      if (args.format !== undefined && format === undefined) {
        console.error(`There is no format ${args.format}. Use one of ${FORMAT_NAMES.join(', ')}.`);
        process.exit(2);
      }
      const result = validateFile(String(await readNamed(args.file)), format);
      for (const { rule, index, detail } of result.violations)
        console.log(`event ${index}: ${rule}: ${detail}`);
      console.log(`${result.format ?? 'no known format'}: ${result.violations.length} violations`);
      if (result.violations.length > 0) process.exitCode = 1;
    }),
});
