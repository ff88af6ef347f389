/** A generateContent body as a neutral prompt. */

import { withUnknownFields } from '../../../conversation/format-specific.ts';
import type { Prompt, Tool, ToolChoice } from '../../../conversation/prompt.ts';
import { isSearch } from '../../../conversation/tools.ts';
import { invalid } from '../../../lib/errors.ts';
import {
  asObject,
  asText,
  compact,
  isEmpty,
  type Json,
  type JsonObject,
  splitFields,
} from '../../../lib/json.ts';
import type { InboundCounting, ParseReport } from '../../format.ts';
import { withWords } from '../wire/enum-encoding.ts';
import { repeatedField } from '../wire/protobuf-json.ts';
import { parseTier } from '../wire/service-tier.ts';
import { callIds } from './call-ids.ts';
import { hasOtherMedia, withDetail } from './default-detail.ts';
import { parseConfig } from './parse-config.ts';
import { parseContents, parseSystem } from './parse-contents.ts';
import { type Choosing, parseToolConfig } from './parse-tool-config.ts';
import { parseTools } from './parse-tools.ts';
import { REQUEST_FIELDS, REQUEST_OWN, sortFields } from './sort-fields.ts';

const RESOLUTION: ReadonlySet<string> = new Set(['mediaResolution']);

/**
 * What a caller asked in Gemini's words. The path names the model and says whether the answer is a stream, so the
 * pipeline sets `model` and `stream`.
 * @see Inbound.parseRequest
 * @throws GatewayError `invalid-request` for what the vendor itself would refuse: no contents, an unknown role, an
 *   empty part.
 */
export function parseRequest(body: JsonObject, report: ParseReport): Prompt {
  // The parts of contents are put into words one by one: nearly all of them have no enums.
  const request = withWords({ ...body, contents: null }, 'GenerateContentRequest');
  const { known, own, extra } = sortFields(request, REQUEST_FIELDS, REQUEST_OWN);
  const contents = body['contents'] ?? undefined;
  // An empty list of protobuf's is absent.
  if (contents === undefined || repeatedField(contents).length === 0) {
    throw invalid('* GenerateContentRequest.contents: contents is not specified', 'contents');
  }
  const ids = callIds();
  const choosing = parseToolConfig(known['toolConfig']);
  const tools = withStrictness(parseTools(known['tools']), choosing.validated);
  const config = parseConfig(asObject(known['generationConfig']) ?? {}, report);
  const serviceTier = parseAskedTier(known['serviceTier']);
  const given = [...parseSystem(known['systemInstruction'], ids), ...parseContents(contents, ids)];
  const turns = withDetail(given, config.detail);
  // What the images say is not lost in other formats.
  const [said, configOwn] = turns === given ? [{}, config.own] : splitFields(config.own, RESOLUTION);
  if (turns !== given && hasOtherMedia(given))
    report('generationConfig.mediaResolution', 'approximated', 'in other formats only images have a detail');
  const kept = {
    ...own,
    ...(!isEmpty(configOwn) && { generationConfig: configOwn }),
    ...ownToolConfig(choosing, tools),
  };
  const unknown = { ...extra, ...(!isEmpty(config.extra) && { generationConfig: config.extra }) };
  for (const field of [
    ...Object.keys(extra),
    ...Object.keys(config.extra).map((name) => `generationConfig.${name}`),
  ])
    report(field, 'passed-on', 'not a field of generate-content: the vendor decides about it');
  return {
    model: asText(known['model'])?.replace(/^models\//, '') ?? '',
    turns,
    stream: false,
    ...(tools.length > 0 && { tools }),
    ...(choosing.choice && { toolChoice: withSearch(choosing.choice, tools) }),
    ...config.fields,
    ...compact({ serviceTier, cachedContent: asText(known['cachedContent']) }),
    // Also without fields: it says that the caller's vendor enforces every schema.
    formatSpecific: {
      format: 'generate-content',
      fields: kept,
      ...(!isEmpty(said) && { roundTrip: { generationConfig: said } }),
    },
    ...withUnknownFields(unknown),
  };
}

/**
 * The choice with the search. Here a choice is about functions alone: if only some may be called, a search still may
 * be used.
 */
function withSearch(choice: ToolChoice, tools: readonly Tool[]): ToolChoice {
  return tools.some(isSearch) && choice.mode === 'auto' && choice.allowed
    ? { ...choice, search: true }
    : choice;
}

/** VALIDATED holds all functions to their schemas. Other formats say so for each function. */
function withStrictness(tools: readonly Tool[], validated: boolean): readonly Tool[] {
  return validated
    ? tools.map((tool) => (tool.kind === 'function' ? { ...tool, strict: true } : tool))
    : tools;
}

/** What of `toolConfig` no other field of the prompt says. */
function ownToolConfig(choosing: Choosing, tools: readonly Tool[]): JsonObject {
  const toolsSayIt = !choosing.validated || tools.some((tool) => tool.kind === 'function');
  const toolConfig = {
    ...choosing.own,
    ...(!toolsSayIt && {
      functionCallingConfig: { ...asObject(choosing.own['functionCallingConfig']), mode: 'VALIDATED' },
    }),
  };
  return isEmpty(toolConfig) ? {} : { toolConfig };
}

/** @throws GatewayError `invalid-request` for a number: Google has not published which tier it stands for. */
function parseAskedTier(value: Json | undefined): string | undefined {
  if (typeof value !== 'number' || value === 0) return parseTier(value);
  throw invalid(`Invalid value at 'service_tier': ${value}. Name the tier in words.`, 'serviceTier');
}

const HOLDING: ReadonlySet<string> = new Set(['generateContentRequest']);

/** @see InboundCounting */
export const inboundCounting: InboundCounting = {
  parseRequest(body, report) {
    const { generateContentRequest } = sortFields(body, HOLDING).known;
    return parseRequest(asObject(generateContentRequest) ?? body, report);
  },
  renderCount: (tokens) => ({ totalTokens: tokens }),
};
