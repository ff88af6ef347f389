/** `gateway explain REQUEST.json --model ID`: shows what a request becomes for a model, and what is lost in translation. */

import { FORMAT_NAMES } from '../conversation/prompt.ts';
import type { Explanation } from '../devtools/explain.ts';
import type { RefusalExplanation, VendorRefusal } from '../devtools/explain-refusal.ts';
import { escapeControlsInLines } from '../lib/escape-controls.ts';
import type { JsonObject } from '../lib/json.ts';
import { command, readConfigHere, readNamedFile } from './command.ts';
import { CommandError } from './command-error.ts';
import { parseFormat } from './options.ts';

export const explain = command({
  name: 'explain',
  description: 'Show what a request becomes for a model, field by field.',
  options: {
    file: { type: 'positional', required: true, description: 'JSON file with the request' },
    model: {
      type: 'string',
      description: 'Model to explain it for (default: the one that the request names)',
    },
    format: { type: 'string', description: `${FORMAT_NAMES.join(', ')} (default: detected from the fields)` },
    refusal: {
      type: 'string',
      description: "JSON file with a vendor's refusal: show how the gateway repairs the request after it",
    },
    status: { type: 'string', description: 'HTTP status of the refusal (default: 400)' },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  async run(args) {
    if (args.status !== undefined && args.refusal === undefined)
      throw new CommandError('--status needs --refusal, the file with the refusal.');
    const body = await readRequest(args.file);
    const [
      { asText },
      { GatewayError },
      { makeCatalog },
      { everyVendor },
      { catalogModels },
      { guessFormat },
      devtool,
    ] = await Promise.all([
      import('../lib/json.ts'),
      import('../lib/errors.ts'),
      import('../catalog/catalog.ts'),
      import('../config/vendors.ts'),
      import('../config/models.ts'),
      import('../translate/guess-format.ts'),
      import('../devtools/explain.ts'),
    ]);
    const format = parseFormat(args.format) ?? guessFormat(body);
    const model = args.model ?? asText(body['model']);
    if (model === undefined) throw new CommandError('The request names no model. Give one with --model.');
    const config = await readConfigHere();
    const catalog = makeCatalog(catalogModels(config), config.aliases);
    try {
      const reach = {
        generateContent: config.generateContent.models,
        countTokens: config.countTokens.models,
      };
      const served = { catalog, vendors: everyVendor(config), reach };
      if (args.refusal === undefined) {
        print(devtool.explain(served, format, model, body), render, args.json);
        return;
      }
      const refusal = await readRefusal(args.refusal, args.status);
      const { explainRefusal } = await import('../devtools/explain-refusal.ts');
      print(explainRefusal(served, format, model, body, refusal), renderRefusal, args.json);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      throw new CommandError(`The gateway would reject this request (${error.status}): ${error.message}`);
    }
  },
});

async function readRequest(file: string): Promise<JsonObject> {
  const { isObject, tryParseJson } = await import('../lib/json.ts');
  // TextDecoder drops the byte order mark that editors and shells on Windows write.
  const body = tryParseJson(new TextDecoder().decode(await readNamedFile(file)));
  if (!isObject(body)) throw new CommandError(`${file} does not contain a JSON object.`);
  return body;
}

async function readRefusal(file: string, status = '400'): Promise<VendorRefusal> {
  const body = new TextDecoder().decode(await readNamedFile(file));
  return { status: parseStatus(status), body };
}

function print<T>(explanation: T, render: (explanation: T) => string, asJson: boolean | undefined): void {
  console.log(
    escapeControlsInLines(asJson ? JSON.stringify(explanation, undefined, 2) : render(explanation)),
  );
}

function parseStatus(text: string): number {
  const status = Number(text);
  if (!Number.isInteger(status) || status < 400 || status > 599)
    throw new CommandError('--status must be an HTTP status between 400 and 599.');
  return status;
}

function renderRefusal({ repairs, request }: RefusalExplanation): string {
  if (request === undefined) return 'final: the caller gets the refusal, and nothing else is sent';
  return [`sent once more: ${repairs.join(', ')}`, '', JSON.stringify(request, undefined, 2)].join('\n');
}

function render({ from, to, native, model, request, notes, mapped }: Explanation): string {
  const path = native
    ? `${from}, native: only the name of the model may change`
    : `${from} translated to ${to}`;
  const rows = notes.map(({ field, outcome, detail }) => `  ${outcome.padEnd(12)}  ${field}: ${detail}`);
  return [
    `${model}: ${path}`,
    '',
    ...rows,
    ...mapped.map((field) => `  ${native ? 'unchanged' : 'mapped'.padEnd(12)}  ${field}`),
    '',
    JSON.stringify(request, undefined, 2),
  ].join('\n');
}
