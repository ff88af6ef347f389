/**
 * Optional features that other services with Anthropic's models may refuse. Claude Code asks every address for all of them,
 * and shows its user the refusal ("Gateway protocol reference", code.claude.com: to bridge the difference "is your gateway's
 * job"). An answer needs none of them: they decide how the conversation is shortened and cached, what is reported about it,
 * how much effort the model makes, and how and when tools are offered.
 */

import type { GatewayError } from '../../../lib/errors.ts';
import { asObject, isEmpty, type JsonObject, withEach, withoutFields } from '../../../lib/json.ts';
import type { OptionalFields } from '../../format.ts';

const REQUEST_FIELDS = ['context_management', 'diagnostics', 'safeguards'];
const CONFIG_FIELDS = ['effort', 'task_budget'];
const TOOL_FIELDS = ['defer_loading', 'eager_input_streaming', 'input_examples'];
const SCOPE = 'scope';

/** A refused field in the wording of Anthropic and GitHub: "tools.0.custom.defer_loading: Extra inputs …". */
const REFUSED_FIELD = /([\w.-]+): Extra inputs are not permitted/g;
/** Refused values of the header. */
const REFUSED_BETAS =
  /Unexpected value\(s\) (.+) for the `anthropic-beta` header|unsupported beta header\(s\): (.+)/;
/** Amazon's wording, which names no value. */
const UNNAMED_BETA = /\binvalid beta flag\b/;

/** The features, as optional fields. */
export const betaFeatures: OptionalFields = {
  names: [...REQUEST_FIELDS, ...CONFIG_FIELDS, ...TOOL_FIELDS, SCOPE],
  refusedIn({ message }: GatewayError, betas) {
    const [, unexpected, unsupported] = REFUSED_BETAS.exec(message) ?? [];
    const named = new Set((unexpected ?? unsupported ?? '').match(/[\w-]+/g));
    const refused = UNNAMED_BETA.test(message) ? betas : betas.filter((beta) => named.has(beta));
    const fields = [...message.matchAll(REFUSED_FIELD)].flatMap(([, path = '']) => findField(path) ?? []);
    return [...refused, ...fields];
  },
  without(request, names) {
    const among = (fields: readonly string[]): readonly string[] =>
      fields.filter((field) => names.has(field));
    const ownFields = withoutFields(request, among(REQUEST_FIELDS));
    const withTools = withEach(ownFields, 'tools', (tool) => withoutFields(tool, among(TOOL_FIELDS)));
    const plain = names.has(SCOPE) ? dropScopes(withTools) : withTools;
    const config = asObject(plain['output_config']);
    if (config === undefined) return plain;
    const left = withoutFields(config, among(CONFIG_FIELDS));
    if (left === config) return plain;
    return isEmpty(left) ? withoutFields(plain, ['output_config']) : { ...plain, output_config: left };
  },
};

/** Finds the field that a path ends in: `tools.3.custom.defer_loading`, `system.1.cache_control.ephemeral.scope`. */
function findField(path: string): string | undefined {
  const steps = path.split('.');
  const name = steps.at(-1) ?? '';
  if (steps.length === 1) return REQUEST_FIELDS.includes(name) ? name : undefined;
  if (steps[0] === 'output_config') return CONFIG_FIELDS.includes(name) ? name : undefined;
  if (name === SCOPE) return steps.includes('cache_control') ? name : undefined;
  return steps[0] === 'tools' && TOOL_FIELDS.includes(name) ? name : undefined;
}

/** Removes the scopes of cache breakpoints, which say who shares what is cached. The breakpoints stay. */
function dropScopes(request: JsonObject): JsonObject {
  const inMessages = withEach(request, 'messages', (message) => withEach(message, 'content', dropScope));
  return withEach(withEach(inMessages, 'system', dropScope), 'tools', dropScope);
}

function dropScope(block: JsonObject): JsonObject {
  const whole = withEach(block, 'content', dropScope);
  const cacheControl = asObject(whole['cache_control']);
  if (cacheControl?.[SCOPE] === undefined) return whole;
  return { ...whole, cache_control: withoutFields(cacheControl, [SCOPE]) };
}
