/** Google, simulated: its key, its paths with a method after the colon, its models. */

import type { z } from 'zod';
import type { Model } from '../../catalog/model.ts';
import type { JsonObject } from '../../lib/json.ts';
import { asObject, isObject, parseJson } from '../../lib/json.ts';
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
import { findFlaws } from '../flaws.ts';
import { askOfGemini, tokensOfGemini } from '../generate-content/ask.ts';
import { checkContents } from '../generate-content/check-contents.ts';
import { checkModelLimits, checkOptions } from '../generate-content/check-options.ts';
import { checkSignatures } from '../generate-content/check-signatures.ts';
import { numbered, numberedEvents } from '../generate-content/number-enums.ts';
import { streamGemini, wholeGemini } from '../generate-content/render.ts';
import { type SandboxState, stampFor } from '../sandbox-state.ts';
import { geminiCountRequest, generateContentRequest } from '../schemas/generate-content.ts';
import { badRequest, googleFlaws, googleRefusal } from './words.ts';

type Known = readonly [name: string, model: Model];

/**
 * Answers one request as Google does.
 * @returns the answer, whole or streamed, still to be written
 * @throws Refused with Google's own error
 */
export function googleAnswer(request: VendorRequest, state: SandboxState): VendorAnswer {
  const { path, method } = request;
  checkKey(request, state.keys.google);
  const [, version, rest = ''] = /^\/(v1|v1beta|v1alpha)\/models(|\/.*)$/.exec(path) ?? [];
  if (version === undefined) throw new Refused(404, NOT_FOUND_PAGE);
  const [name = '', action] = rest.slice(1).split(':', 2);
  if (action === undefined && method === 'GET') {
    return whole(rest === '' ? modelList(state) : modelEntry(lookUp(state, name, 'GetModel', version)));
  }
  if (action === undefined || method !== 'POST') throw new Refused(404, NOT_FOUND_PAGE);
  const known = lookUp(state, name, action, version);
  switch (action) {
    case 'generateContent':
      return generated(request, state, known);
    case 'streamGenerateContent':
      return inArray(request, () => generated(request, state, known));
    case 'countTokens':
      return counted(request);
    default:
      throw notFound(name, action, version);
  }
}

function generated(request: VendorRequest, state: SandboxState, [name, model]: Known): VendorAnswer {
  const body = checkedBody(request, generateContentRequest);
  checkOptions(body);
  checkModelLimits(body, model);
  checkContents(body);
  checkSignatures(body, model);
  const ask = askOfGemini(body, name, model);
  const tokens = promptTokens(ask);
  if (tokens > model.contextWindow) {
    throw badRequest(
      `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${model.contextWindow}).`,
    );
  }
  const script = compose(ask, state.prompts);
  const stamp = stampFor(name, body);
  const inNumbers = getAlts(request).includes('enum-encoding=int');
  if (!request.path.endsWith(':streamGenerateContent')) {
    const answer = wholeGemini(script, stamp);
    return whole(inNumbers ? numbered(answer) : answer, script.usage.output);
  }
  const events = streamGemini(script, stamp);
  return streamed(inNumbers ? numberedEvents(events) : events, script, asksSse(request) ? 'crlf' : 'array');
}

/** Without `alt=sse` a stream is one JSON array, and so is the error in its place (recorded). */
function inArray(request: VendorRequest, answer: () => VendorAnswer): VendorAnswer {
  try {
    return answer();
  } catch (error) {
    if (!(error instanceof Refused) || asksSse(request)) throw error;
    throw new Refused(error.status, [error.body], error.subject, error.headers);
  }
}

function asksSse(request: VendorRequest): boolean {
  return getAlts(request).includes('sse');
}

/** What the system parameter `alt`, also written `$alt`, says: `json;enum-encoding=int`. */
function getAlts({ query }: VendorRequest): readonly string[] {
  return [...query.getAll('alt'), ...query.getAll('$alt')].flatMap((value) => value.split(';'));
}

function counted(request: VendorRequest): VendorAnswer {
  const body = checkedBody(request, geminiCountRequest);
  const asked = asObject(body['generateContentRequest']) ?? body;
  const totalTokens = tokensOfGemini(asked);
  return whole({ totalTokens, promptTokensDetails: [{ modality: 'TEXT', tokenCount: totalTokens }] });
}

/** The body that a schema accepts, with its names in camelCase. */
function checkedBody(request: VendorRequest, schema: z.ZodType): JsonObject {
  const body = objectIn(request);
  if (body === undefined) {
    throw badRequest('Invalid JSON payload received. Unexpected end of string or token. Expected an object.');
  }
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw googleFlaws(findFlaws(parsed.error.issues, body));
  const read = parseJson(JSON.stringify(parsed.data));
  return isObject(read) ? read : body;
}

/** Google answers 400 to a bad key (recorded), and 403 to none. */
function checkKey(request: VendorRequest, key: string): void {
  const given = header(request, 'x-goog-api-key') ?? request.query.get('key') ?? undefined;
  if (given === key) return;
  const unknown = "Method doesn't allow unregistered callers (callers without established identity).";
  if (given === undefined) {
    throw googleRefusal(
      403,
      `${unknown} Please use API Key or other form of API consumer identity to call this API.`,
    );
  }
  const message = 'API key not valid. Please pass a valid API key.';
  throw googleRefusal(400, message, [
    {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: 'API_KEY_INVALID',
      domain: 'googleapis.com',
      metadata: { service: 'generativelanguage.googleapis.com' },
    },
    { '@type': 'type.googleapis.com/google.rpc.LocalizedMessage', locale: 'en-US', message },
  ]);
}

const NOT_FOUND_PAGE =
  '<!DOCTYPE html>\n<html lang=en>\n<title>Error 404 (Not Found)!!1</title>\n' +
  '<p><b>404.</b> <ins>That’s an error.</ins>\n<p>The requested URL was not found on this server.\n';

function lookUp(state: SandboxState, name: string, action: string, version: string): Known {
  const model = state.models.google.get(name.toLowerCase());
  if (model === undefined) throw notFound(name, action, version);
  return [name, model];
}

function notFound(name: string, action: string, version: string): Refused {
  return googleRefusal(
    404,
    `models/${name.slice(0, 200)} is not found for API version ${version}, or is not supported for ${action}. ` +
      'Call ModelService.ListModels to see the list of available models and their supported methods.',
  );
}

function modelList(state: SandboxState): JsonObject {
  return { models: [...state.models.google].map(modelEntry) };
}

function modelEntry([name, model]: Known): JsonObject {
  return {
    name: `models/${name}`,
    version: '001',
    displayName: model.name,
    inputTokenLimit: model.contextWindow,
    outputTokenLimit: model.maxOutputTokens,
    supportedGenerationMethods: ['generateContent', 'countTokens'],
    thinking: model.thinking !== undefined,
  };
}
