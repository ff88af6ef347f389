/**
 * What clients ask of Anthropic beside the answer, which others who have its models refuse: Claude Code asks all of it of
 * whatever address it is given, and tells its user of the refusal ("Gateway protocol reference", code.claude.com: to
 * bridge the difference "is your gateway's job"). None of it is in what is answered: how the dialogue is kept short and
 * cached, what is told of it, how hard to work, how and when tools are given.
 */

import type { GatewayError } from '../../../lib/errors.ts';
import { asObject, isEmpty, type JsonObject, withEach, withoutFields } from '../../../lib/json.ts';
import type { OptionalFields } from '../../format.ts';

/** Fields of a request, of its `output_config`, of a tool, and of a cache mark. */
const OF_REQUEST = ['context_management', 'diagnostics', 'safeguards'];
const OF_CONFIG = ['effort', 'task_budget'];
const OF_TOOLS = ['defer_loading', 'eager_input_streaming', 'input_examples'];
const SCOPE = 'scope';

/** What is refused, as Anthropic's own schema says it, and GitHub's: "tools.0.custom.defer_loading: Extra inputs …". */
const FIELD = /([\w.-]+): Extra inputs are not permitted/g;
const BETAS = /Unexpected value\(s\) (.+) for the `anthropic-beta` header|unsupported beta header\(s\): (.+)/;
/** Amazon's words, which name none. */
const ANY_BETA = /\binvalid beta flag\b/;

export const extras: OptionalFields = {
  refusedIn({ message }: GatewayError, betas) {
    const [, unexpected, unsupported] = BETAS.exec(message) ?? [];
    const named = new Set((unexpected ?? unsupported ?? '').match(/[\w-]+/g));
    const refused = ANY_BETA.test(message) ? betas : betas.filter((beta) => named.has(beta));
    const fields = [...message.matchAll(FIELD)].flatMap(([, path = '']) => fieldAt(path) ?? []);
    return [...refused, ...fields];
  },
  without(request, names) {
    const of = (fields: readonly string[]): readonly string[] => fields.filter((field) => names.has(field));
    const asked = withoutFields(request, of(OF_REQUEST));
    const tooled = withEach(asked, 'tools', (tool) => withoutFields(tool, of(OF_TOOLS)));
    const plain = names.has(SCOPE) ? withoutScopes(tooled) : tooled;
    const config = asObject(plain['output_config']);
    if (config === undefined) return plain;
    const left = withoutFields(config, of(OF_CONFIG));
    if (left === config) return plain;
    return isEmpty(left) ? withoutFields(plain, ['output_config']) : { ...plain, output_config: left };
  },
};

/** The field that a path is of: `tools.3.custom.defer_loading`, `system.1.cache_control.ephemeral.scope`. */
function fieldAt(path: string): string | undefined {
  const steps = path.split('.');
  const name = steps.at(-1) ?? '';
  if (steps.length === 1) return OF_REQUEST.includes(name) ? name : undefined;
  if (steps[0] === 'output_config') return OF_CONFIG.includes(name) ? name : undefined;
  if (name === SCOPE) return steps.includes('cache_control') ? name : undefined;
  return steps[0] === 'tools' && OF_TOOLS.includes(name) ? name : undefined;
}

/** A request without what its cache marks say of who shares what is cached: what is marked stays so. */
function withoutScopes(request: JsonObject): JsonObject {
  const inMessages = withEach(request, 'messages', (message) => withEach(message, 'content', unscoped));
  return withEach(withEach(inMessages, 'system', unscoped), 'tools', unscoped);
}

function unscoped(block: JsonObject): JsonObject {
  const whole = withEach(block, 'content', unscoped);
  const mark = asObject(whole['cache_control']);
  if (mark?.[SCOPE] === undefined) return whole;
  return { ...whole, cache_control: withoutFields(mark, [SCOPE]) };
}
