/** Anthropic, simulated: its key and version headers, its paths, its models. */

import type { z } from 'zod';
import type { Model } from '../../catalog/model.ts';
import type { JsonObject } from '../../json.ts';
import { asText, isObject } from '../../json.ts';
import { promptTokens } from '../caches.ts';
import { compose } from '../compose.ts';
import {
  header,
  objectIn,
  Refused,
  streamed,
  type VendorAnswer,
  type VendorRequest,
  whole,
} from '../exchange.ts';
import { flawsOf } from '../flaws.ts';
import { askOfMessages, tokensOfMessages } from '../messages/ask.ts';
import { checkBlocks } from '../messages/check-blocks.ts';
import { checkModelLimits, checkOptions } from '../messages/check-options.ts';
import { checkThinking } from '../messages/check-thinking.ts';
import { streamMessages, wholeMessages } from '../messages/render.ts';
import { countTokensRequest, messagesRequest } from '../schemas/messages.ts';
import { newId, stampFor, type World } from '../world.ts';
import { anthropicFlaw, anthropicRefusal } from './words.ts';

/** @throws Refused as Anthropic would, with the request's id in the body as well. */
export function anthropicAnswer(request: VendorRequest, world: World): VendorAnswer {
  const id = `req_011${newId().slice(0, 21)}`;
  try {
    const answer = routed(request, world);
    return { ...answer, headers: { ...answer.headers, 'request-id': id } };
  } catch (error) {
    if (!(error instanceof Refused) || !isObject(error.body)) throw error;
    throw new Refused(
      error.status,
      { ...error.body, request_id: id },
      { 'request-id': id, 'x-should-retry': error.status >= 500 ? 'true' : 'false' },
    );
  }
}

function routed(request: VendorRequest, world: World): VendorAnswer {
  const { path, method } = request;
  checkHeaders(request, world.keys.anthropic);
  const posted = path === '/v1/messages' || path === '/v1/messages/count_tokens';
  const listed = path === '/v1/models' || path.startsWith('/v1/models/');
  if (!posted && !listed) throw anthropicRefusal(404, 'Not Found');
  if (method !== (posted ? 'POST' : 'GET')) throw anthropicRefusal(405, 'Method Not Allowed');
  if (path === '/v1/models') return whole(modelList(world));
  if (listed) return whole(modelEntry(lookUp(world, path.slice('/v1/models/'.length))));
  if (path === '/v1/messages') return answerMessages(request, world);
  const body = checkedBody(request, countTokensRequest);
  lookUp(world, asText(body['model']) ?? '');
  checkBlocks(body);
  return whole({ input_tokens: tokensOfMessages(body) });
}

function answerMessages(request: VendorRequest, world: World): VendorAnswer {
  const body = checkedBody(request, messagesRequest);
  const [name, model] = lookUp(world, asText(body['model']) ?? '');
  checkOptions(body);
  checkModelLimits(body, model);
  checkBlocks(body);
  checkThinking(body);
  const ask = askOfMessages(body, name, model);
  const tokens = promptTokens(ask);
  if (tokens > model.contextWindow) {
    throw anthropicRefusal(400, `prompt is too long: ${tokens} tokens > ${model.contextWindow} maximum`);
  }
  const script = compose(ask, world.prompts);
  const stamp = stampFor(name, body);
  return body['stream'] === true
    ? streamed(streamMessages(script, stamp), script)
    : whole(wholeMessages(script, stamp), script.usage.output);
}

function checkedBody(request: VendorRequest, schema: z.ZodType): JsonObject {
  const body = objectIn(request);
  if (body === undefined) {
    throw anthropicRefusal(400, 'The request body is not valid JSON: it should be an object.');
  }
  const parsed = schema.safeParse(body);
  const [flaw] = parsed.success ? [] : flawsOf(parsed.error.issues, body);
  if (flaw !== undefined) throw anthropicFlaw(flaw);
  return body;
}

/** The format's, and the one that the SDK asks for since 1.0. */
const VERSIONS: readonly string[] = ['2023-01-01', '2023-06-01', '2026-10-21'];

function checkHeaders(request: VendorRequest, key: string): void {
  // The SDK sends its key as a bearer token since 1.0, and plain HTTP clients send it as `x-api-key`.
  const bearer = /^Bearer\s+(.*)$/i.exec(header(request, 'authorization') ?? '')?.[1];
  const given = header(request, 'x-api-key') ?? bearer;
  if (given === undefined) throw anthropicRefusal(401, 'x-api-key header is required');
  if (given !== key) throw anthropicRefusal(401, 'invalid x-api-key');
  const version = header(request, 'anthropic-version');
  if (version === undefined) throw anthropicRefusal(400, 'anthropic-version: header is required');
  if (!VERSIONS.includes(version)) {
    throw anthropicRefusal(400, `anthropic-version: "${version.slice(0, 40)}" is not a valid version`);
  }
}

type Known = readonly [name: string, model: Model];

function lookUp(world: World, name: string): Known {
  const model = world.models.anthropic.get(name.toLowerCase());
  if (model === undefined) throw anthropicRefusal(404, `model: ${name.slice(0, 200)}`);
  return [name, model];
}

function modelList(world: World): JsonObject {
  const data = [...world.models.anthropic].map(modelEntry);
  return { data, has_more: false, first_id: data[0]?.['id'] ?? null, last_id: data.at(-1)?.['id'] ?? null };
}

function modelEntry([id, model]: Known): JsonObject {
  return {
    type: 'model',
    id,
    display_name: model.name,
    created_at: new Date(model.created * 1000).toISOString(),
    max_input_tokens: model.contextWindow,
    max_tokens: model.maxOutputTokens,
  };
}
