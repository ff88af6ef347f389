/** `gateway explain REQUEST.json --model ID`: what a request becomes, and what is lost on the way. */

import { type ArgsDef, defineCommand } from 'citty';
import { catalogOf } from '../catalog/catalog.ts';
import { everyVendor } from '../config/vendors.ts';
import { FORMAT_NAMES } from '../conversation/prompt.ts';
import { type Explanation, explain as explainRequest, formatOfRequest } from '../devtools/explain.ts';
import { GatewayError } from '../lib/errors.ts';
import { asText, isObject, tryParseJson } from '../lib/json.ts';
import { catalogModels } from '../server/open-gateway.ts';
import { configHere } from './config-here.ts';
import { formatNamed, refuseUnknown } from './known-options.ts';
import { readNamed } from './read-named.ts';
import { Refusal, tellingRefusals } from './refusal.ts';

const options = {
  file: { type: 'positional', required: true, description: 'JSON file with the request' },
  model: { type: 'string', description: 'Model to explain it for (default: the one the request names)' },
  format: { type: 'string', description: `${FORMAT_NAMES.join(', ')} (default: detected from the fields)` },
  json: { type: 'boolean', description: 'Print JSON' },
} as const satisfies ArgsDef;

export const explain = defineCommand({
  meta: { name: 'explain', description: 'Show what a request becomes for a model, field by field.' },
  args: options,
  run: ({ args }) =>
    tellingRefusals(async () => {
      refuseUnknown(args, options);
      // It leaves out the byte order mark that editors and shells of Windows write.
      const body = tryParseJson(new TextDecoder().decode(await readNamed(args.file)));
      if (!isObject(body)) throw new Refusal(`${args.file} does not contain a JSON object.`);
      const format = formatNamed(args.format) ?? formatOfRequest(body);
      const model = args.model ?? asText(body['model']);
      if (model === undefined) throw new Refusal('The request names no model: give one with --model.');
      const config = await configHere();
      const catalog = catalogOf(catalogModels(config), config.aliases);
      try {
        const reach = { generateContent: config.generateContent.models };
        const served = { catalog, vendors: everyVendor(config), reach };
        const explanation = explainRequest(served, format, model, body);
        console.log(args.json ? JSON.stringify(explanation, undefined, 2) : printed(explanation));
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        throw new Refusal(`The gateway would refuse this request (${error.status}): ${error.message}`);
      }
    }),
});

function printed({ from, to, native, model, request, notes, mapped }: Explanation): string {
  const path = native ? `${from}, native: only the model's name may change` : `${from} translated to ${to}`;
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
