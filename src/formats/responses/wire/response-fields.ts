/** The response object (OpenAI API reference, "The response object"), as a whole answer and as a stream's events carry it. */

import { prefixedId } from '../../../conversation/ids.ts';
import type { Choice, Reply, Usage } from '../../../conversation/reply.ts';
import { asFlag, asObject, asObjects, asText, type Json, type JsonObject } from '../../../lib/json.ts';
import type { RequestContext } from '../../format.ts';
import { echoTool } from './echo-tool.ts';
import { finishFields, renderFinish } from './finish-reasons.ts';
import { renderUsage } from './usage.ts';

/** The words for a tier that OpenAI has; other vendors' are all the default. */
const TIERS: ReadonlySet<string> = new Set([
  'auto',
  'default',
  'flex',
  'scale',
  'priority',
  'fast',
  'ultrafast',
]);

/** What an answer has come to. */
export interface Progress {
  readonly start: Reply['start'];
  readonly output: readonly JsonObject[];
  readonly usage: Usage;
  /** Whether a refusal was said in words. */
  readonly refused: boolean;
  /** Additional fields. */
  readonly others: JsonObject;
}

/** Makes the response objects of one answer. */
export interface ResponseMaker {
  /** As long as a stream goes on: little more is known than what was asked. @param output what has been told of so far */
  begun(start: Reply['start'], output?: readonly JsonObject[]): JsonObject;
  ended(progress: Progress, end: Choice['end']): JsonObject;
  failed(progress: Progress, error: { readonly code: string; readonly message: string }): JsonObject;
}

export function responseMaker(asked: RequestContext): ResponseMaker {
  const settings = echo(asked.body);
  const askedTier = asText(asked.body['service_tier']) ?? 'auto';
  const made = (
    { id, created, model, unknownFields: extra, formatSpecific: own }: Reply['start'],
    fields: JsonObject,
    additional: JsonObject = {},
  ): JsonObject => ({
    ...extra,
    ...own?.fields,
    ...additional,
    ...settings,
    ...head(prefixedId('resp_', id || asked.id), created ?? asked.created, model || asked.prompt.model),
    ...fields,
  });

  return {
    begun: (start, output = []) => made(start, { status: 'in_progress', service_tier: askedTier, output }),
    ended({ start, output, usage, refused, others }, end) {
      const { status, details } = renderFinish(end, refused);
      const tier = start.serviceTier ?? '';
      const additional = {
        ...end.unknownFields,
        ...end.formatSpecific?.fields,
        ...finishFields(end),
        ...others,
      };
      const fields = {
        status,
        incomplete_details: details,
        service_tier: TIERS.has(tier) ? tier : 'default',
        output,
        // Strict clients refuse a finished response without figures, so where the vendor told none they are zero.
        usage: renderUsage({ input: 0, output: 0, ...usage }),
      };
      return made(start, fields, additional);
    },
    failed: ({ start, output, usage }, error) =>
      made(start, { status: 'failed', error, service_tier: askedTier, output, usage: renderUsage(usage) }),
  };
}

/** What every response begins with. @param created Unix seconds. */
function head(id: string, created: number, model: Json): JsonObject {
  return {
    id,
    object: 'response',
    created_at: created,
    model,
    error: null,
    incomplete_details: null,
    usage: null,
  };
}

/** The response to a request that wants no output yet (OpenAI, "WebSocket mode": `generate: false`). */
export function emptyResponse(body: JsonObject, id: string): JsonObject {
  return {
    ...echo(body),
    ...head(id, Math.floor(Date.now() / 1000), body['model'] ?? ''),
    status: 'completed',
    service_tier: 'default',
    output: [],
    usage: renderUsage({ input: 0, output: 0 }),
  };
}

/** The request's settings, and OpenAI's defaults for those it left out. */
export function echo(body: JsonObject): JsonObject {
  return {
    // What OpenAI says of a request that was let into none of them.
    access_programs: null,
    background: false,
    frequency_penalty: 0,
    instructions: body['instructions'] ?? null,
    max_output_tokens: body['max_output_tokens'] ?? null,
    max_tool_calls: body['max_tool_calls'] ?? null,
    metadata: asObject(body['metadata']) ?? {},
    parallel_tool_calls: body['parallel_tool_calls'] ?? true,
    presence_penalty: 0,
    previous_response_id: null,
    prompt_cache_key: body['prompt_cache_key'] ?? null,
    prompt_cache_retention: body['prompt_cache_retention'] ?? null,
    reasoning: { effort: null, summary: null, ...asObject(body['reasoning']) },
    safety_identifier: body['safety_identifier'] ?? null,
    // OpenAI keeps answers unless told not to. Here none is kept, and it would be wrong to promise it unasked.
    store: asFlag(body['store']) ?? false,
    temperature: body['temperature'] ?? 1,
    text: echoText(asObject(body['text'])),
    tool_choice: body['tool_choice'] ?? 'auto',
    tools: asObjects(body['tools']).map(echoTool),
    top_logprobs: body['top_logprobs'] ?? 0,
    top_p: body['top_p'] ?? 1,
    truncation: body['truncation'] ?? 'disabled',
    user: body['user'] ?? null,
  };
}

function echoText(text: JsonObject = {}): JsonObject {
  const { format, verbosity } = text;
  return { ...text, format: format ?? { type: 'text' }, verbosity: verbosity ?? 'medium' };
}
