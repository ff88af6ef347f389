/**
 * Real recordings of the vendors' APIs, which are not part of this project: point CORPUS at a folder of them
 * (`<format>/<case>/{meta.json,request.json,response.json|response.sse}`), or several, parted by `:`. Without one the
 * suite is skipped.
 */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { collect } from '../../src/conversation/collect.ts';
import type { FormatName } from '../../src/conversation/prompt.ts';
import { outlinePrompt } from '../../src/conversation/prompt-outline.ts';
import type { ReplyEvent } from '../../src/conversation/reply.ts';
import {
  type Format,
  type ModelTraits,
  type Note,
  type RequestContext,
  reportInto,
  unreported,
} from '../../src/formats/format.ts';
import { formats } from '../../src/formats/formats.ts';
import { GatewayError } from '../../src/lib/errors.ts';
import {
  asObject,
  isList,
  isObject,
  type Json,
  type JsonObject,
  parseJson,
  tryParseJson,
} from '../../src/lib/json.ts';
import { RULEBOOKS, validator } from '../../src/protocol/validate.ts';
import { validateFile } from '../../src/protocol/validate-file.ts';
import { chatRequest } from '../../src/sandbox/schemas/chat-completions.ts';
import { generateContentRequest } from '../../src/sandbox/schemas/generate-content.ts';
import { messagesRequest } from '../../src/sandbox/schemas/messages.ts';
import { responsesRequest } from '../../src/sandbox/schemas/responses.ts';
import {
  ASKED,
  allFormats,
  bytesOf,
  eventsOf,
  eventsOfWhole,
  meaningOf,
  PERMISSIVE,
  rendered,
  renderedWhole,
} from '../support/meaning.ts';
import { publishedSchema } from '../support/published-schemas.ts';
import { readStream, readWhole, type Said } from '../support/read-answer.ts';

const SHARED = join(import.meta.dirname, '../../../shared');
const ROOTS = process.env['CORPUS']?.split(delimiter) ?? [
  join(SHARED, 'corpus'),
  join(SHARED, 'corpus-2026'),
];

const FOLDERS: Readonly<Record<string, FormatName>> = {
  'openai-chat': 'chat-completions',
  'compat-chat': 'chat-completions',
  'openai-responses': 'responses',
  'compat-responses': 'responses',
  'anthropic-messages': 'messages',
  gemini: 'generate-content',
};

const SCHEMAS = {
  'chat-completions': chatRequest,
  responses: responsesRequest,
  messages: messagesRequest,
  'generate-content': generateContentRequest,
} as const;

/** The vendor itself, not one of the services that speak its format; and Gemini's levels end at `high`. */
const official = (name: FormatName): ModelTraits => ({
  ...PERMISSIVE,
  dialect: 'openai',
  ...(name === 'generate-content' &&
    PERMISSIVE.thinking && {
      thinking: { ...PERMISSIVE.thinking, efforts: ['minimal', 'low', 'medium', 'high'] },
    }),
});

interface Case {
  readonly name: string;
  readonly format: Format;
  readonly status: number;
  readonly request: JsonObject | undefined;
  readonly body: Buffer;
  readonly streamed: boolean;
}

function readCase(root: string, folder: string, name: string): Case | undefined {
  const at = (file: string): string => join(root, folder, name, file);
  const format = formats[FOLDERS[folder] ?? 'messages'];
  const meta = parseJson(readFileSync(at('meta.json'), 'utf8'));
  const streamed = existsSync(at('response.sse'));
  const file = streamed ? at('response.sse') : at('response.json');
  if (!existsSync(file) || !isObject(meta)) return undefined;
  const request = existsSync(at('request.json'))
    ? parseJson(readFileSync(at('request.json'), 'utf8'))
    : undefined;
  return {
    name: `${folder}/${name}`,
    format,
    status: typeof meta['status'] === 'number' ? meta['status'] : 200,
    request: isObject(request) ? request : undefined,
    body: readFileSync(file),
    streamed,
  };
}

const cases: readonly Case[] = ROOTS.filter((root) => existsSync(root)).flatMap((root) =>
  Object.keys(FOLDERS).flatMap((folder) =>
    readdirSync(join(root, folder)).flatMap((name) => readCase(root, folder, name) ?? []),
  ),
);

if (cases.length === 0) console.log(`corpus: skipped, there are no recordings at ${ROOTS.join(' or ')}`);

/** Reads an answer as its own format's client would. */
function read({ format, body, streamed }: Case): ReplyEvent[] {
  return streamed ? eventsOf(format, body) : eventsOfWhole(format, body.toString('utf8'));
}

/** An answer that the corpus itself shows whole and without error. */
function isAnswer({ status, format, body }: Case): boolean {
  if (status >= 400) return false;
  const judged = validateFile(body.toString('utf8'), format.name, { strict: false });
  return !judged.failed && judged.violations.length === 0;
}

const answers = cases.filter(isAnswer);

/** Recordings that cannot come back the same, and why. */
const EXCUSED: Readonly<Record<string, string>> = {
  'anthropic-messages/claude-sonnet-4-5-code-execution-tool-result-parallel-tool-calls-tool-use':
    'the calls were made, and answered, by code that the vendor ran',
  'anthropic-messages/claude-3-7-sonnet-tool-use-max-tokens-stream':
    'half of a call, where a format has only whole ones, is wrapped',
  'anthropic-messages/claude-sonnet-4-6-compaction-cache-read-emoji-out-stream':
    'cached tokens are reported and then withdrawn, and Gemini never reports zero',
  'openai-responses/gpt-5.6-incomplete-max-output-tokens-function-call-stream': 'the same',
  'gemini/gemini-3-flash-preview-codeexecutionresult-stream':
    'its signature was replaced by words, which no bytes are',
  'openai-responses/gpt-5.2-codex-plain-text':
    'the free text of a custom call is wrapped where calls are JSON',
  'compat-responses/xai-grok-4-fast-reasoning-web-search-call-cache-read-url-citation-stream': 'the same',
};

const overTheWire = (value: Json): Json => parseJson(JSON.stringify(value));

/** Names as Google spells them. */
const camelised = (text: string): string =>
  text.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Whether the vendor's refusal would be of something the caller wrote, and nobody here knows: that is as it should be. */
function isPassedOn(issue: z.core.$ZodIssue, said: JsonObject, written: string): boolean {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.every((key) => written.includes(`"${camelised(key)}":`));
  let value: unknown = said;
  for (const step of issue.path)
    value = typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined;
  return typeof value === 'string' && written.includes(`:${camelised(JSON.stringify(value))}`);
}

/** Recordings of which our own reader reads less than there is, and why. */
const BEYOND_THE_READER: Readonly<Record<string, string>> = {
  'openai-responses/gpt-5.2-plain-text-stream-2':
    'deltas were removed from the recording; only the whole text has all',
  'gemini/gemini-3-flash-preview-parallel-tool-calls-functioncall-stream': 'arguments in pieces, by path',
  'gemini/gemini-3-flash-preview-parallel-tool-calls-functioncall-thought-stream': 'the same',
  'gemini/gemini-3.1-pro-preview-parallel-tool-calls-functioncall-stream': 'the same',
};

/** Recordings that are refused as a whole, and why. */
const UNREADABLE: Readonly<Record<string, string>> = {
  'gemini/vertex-vertex-plain-text-stream': 'it breaks off before it is finished',
  'gemini/vertex-vertex-plain-text-stream-3': 'the same',
  'gemini/vertex-vertex-plain-text-stream-5': 'the same',
};

/** All that can be read, whatever the product's own rules say of it. */
const readable = cases
  .filter(({ status }) => status < 400)
  .flatMap((sample): [Case, ReplyEvent[]][] => {
    try {
      return [[sample, read(sample)]];
    } catch (error) {
      if (error instanceof GatewayError) return [];
      throw error;
    }
  });

const saysNothing = ({ text, calls }: Said): boolean => text === '' && calls.length === 0;

/** What a client of its own format reads in a recording. */
function readPlainly({ format, body, streamed }: Case): Said {
  const text = body.toString('utf8');
  if (streamed) return readStream(format.name, text);
  const answer = parseJson(text);
  // Gemini streams without `alt=sse` are one list.
  return isList(answer)
    ? readStream(format.name, answer.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join(''))
    : readWhole(format.name, answer);
}

/** The caller's request that the recorded one would be in this format, if there is one. */
function contextIn(to: Format, { request, format }: Case): RequestContext {
  if (request === undefined) return ASKED;
  try {
    const prompt = { ...format.inbound.parseRequest(request, unreported), model: 'a-model', stream: true };
    const body = asObject(
      tryParseJson(JSON.stringify(to.outbound.renderRequest(prompt, official(to.name), unreported))),
    );
    if (body === undefined) return ASKED;
    const { thinking = ASKED.prompt.thinking, ...parsed } = to.inbound.parseRequest(body, unreported);
    return {
      ...ASKED,
      prompt: outlinePrompt({
        ...parsed,
        model: 'a-model',
        stream: true,
        includeUsage: true,
        ...(thinking && { thinking }),
      }),
      body: { ...body, model: 'a-model' },
    };
  } catch (error) {
    // A request that the vendor of this format cannot take.
    if (error instanceof GatewayError) return ASKED;
    throw error;
  }
}

const tally = (what: string, passed: number, all: number): void =>
  console.log(`corpus: ${what}: ${passed} of ${all}`);

describe.runIf(cases.length > 0)('corpus', () => {
  test('a recording in which something is said can be read, unless it breaks off or errs', () => {
    const unread = cases.filter(
      (sample) =>
        sample.status < 400 && !readable.some(([one]) => one === sample) && !saysNothing(readPlainly(sample)),
    );
    const unexplained = unread.filter(
      ({ name }) => UNREADABLE[name] === undefined && !name.includes('error-in-stream'),
    );
    expect(unexplained.map(({ name }) => name)).toEqual([]);
  });

  describe.each(allFormats)('answers in $name, judged from outside,', (to) => {
    test('say what the recorded ones say', () => {
      const silent: string[] = [];
      for (const [sample, events] of readable) {
        if (BEYOND_THE_READER[sample.name] !== undefined) continue;
        const there = readPlainly(sample);
        expect.soft(readWhole(to.name, renderedWhole(to, events)), `${sample.name}, whole`).toEqual(there);
        const stream = new TextDecoder().decode(bytesOf(rendered(to, events)));
        expect.soft(readStream(to.name, stream), `${sample.name}, streamed`).toEqual(there);
        if (saysNothing(there)) silent.push(sample.name);
      }
      // Of most answers something is to be seen, so this compares more than nothing with nothing.
      expect(silent.length).toBeLessThan(readable.length / 10);
      tally(`answers in ${to.name}, by a reader of its own`, readable.length, readable.length);
    });

    test('are of the published schemas, whole and streamed', () => {
      const schema = publishedSchema(to.name);
      const wrong: string[] = [];
      const translated = readable.filter(([{ format }]) => format !== to);
      for (const [sample, events] of translated) {
        const context = contextIn(to, sample);
        const found = new Set([
          ...schema.whole(overTheWire(renderedWhole(to, events, context))),
          ...rendered(to, events, context).flatMap((event) => schema.event(event)),
        ]);
        for (const violation of found) wrong.push(`${sample.name}: ${violation}`);
      }
      tally(`answers in ${to.name}, by the published schemas`, translated.length, translated.length);
      expect(wrong).toEqual([]);
    });
  });

  describe.each(Object.keys(SCHEMAS).flatMap((name) => allFormats.filter((format) => format.name === name)))(
    'answers in $name',
    (to) => {
      test.each(['streamed', 'whole'] as const)('%s: meaning and protocol are kept', (kind) => {
        const wrong: string[] = [];
        for (const sample of answers) {
          if (EXCUSED[sample.name] !== undefined) continue;
          try {
            const events = read(sample);
            const reply = collect(events);
            const meant = meaningOf(reply);
            // What the vendor did not count, nobody can tell.
            const counted = reply.usage.output !== undefined;
            if (kind === 'streamed') {
              const said = rendered(to, events);
              const judge = validator(to.name, { usageAsked: true });
              for (const event of said) judge.add(event);
              for (const { rule, detail } of judge.end()) {
                if (rule !== 'usage-missing' || counted) throw new Error(`${rule}: ${detail}`);
              }
              expect(meaningOf(collect(eventsOf(to, bytesOf(said))))).toEqual(meant);
            } else {
              const said = renderedWhole(to, events);
              for (const { rule, detail } of RULEBOOKS[to.name].whole(said).violations) {
                if (rule !== 'usage-missing' || counted) throw new Error(`${rule}: ${detail}`);
              }
              expect(meaningOf(collect(eventsOfWhole(to, JSON.stringify(said))))).toEqual(meant);
            }
          } catch (error) {
            wrong.push(`${sample.name}: ${error instanceof Error ? error.message : String(error)}`);
          }
        }
        const excused = Object.keys(EXCUSED).length;
        tally(`answers ${kind} in ${to.name}`, answers.length - wrong.length - excused, answers.length);
        expect(wrong).toEqual([]);
      });
    },
  );

  test('errors keep their status and a message in every format', () => {
    const errors = cases.filter(({ status }) => status >= 400);
    for (const { format, status, body, name } of errors) {
      const error = format.outbound.parseError(status, body.toString('utf8'));
      expect(error, name).toBeInstanceOf(GatewayError);
      expect(error.message, name).not.toBe('');
      if (error.fault !== 'upstream-auth' && error.fault !== 'upstream-overloaded')
        expect(error.status, name).toBe(status);
      for (const to of allFormats)
        expect(JSON.stringify(to.renderError(error, 'req_1')), name).toContain('message');
    }
    tally('errors', errors.length, errors.length);
  });

  test('a recorded answer that breaks off or errs is nothing but a typed error', () => {
    const odd = cases.filter((sample) => sample.status < 400 && !answers.includes(sample));
    for (const sample of odd) {
      try {
        read(sample);
      } catch (error) {
        expect(error, sample.name).toBeInstanceOf(GatewayError);
      }
    }
    tally('odd answers survived', odd.length, odd.length);
  });

  describe.each(allFormats)('requests to $name', (to) => {
    test('fit the strict schema of the vendor, or are refused in words', () => {
      const requests = cases.filter(
        ({ request, status, format }) => request && status < 400 && format !== to,
      );
      const wrong: string[] = [];
      const refused: string[] = [];
      for (const { name, format, request = {} } of requests) {
        try {
          const notes: Note[] = [];
          const report = reportInto(notes);
          const prompt = { ...format.inbound.parseRequest(request, report), model: 'a-model' };
          const said = to.outbound.renderRequest(prompt, official(to.name), report);
          const checked = SCHEMAS[to.name].safeParse(tryParseJson(JSON.stringify(said)));
          const written = camelised(JSON.stringify(request));
          const issues = checked.success
            ? []
            : checked.error.issues.filter((issue) => !isPassedOn(issue, said, written));
          if (issues.length > 0)
            wrong.push(
              `${name}: ${issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ')}`,
            );
        } catch (error) {
          if (error instanceof GatewayError && error.status === 400)
            refused.push(`${name}: ${error.message}`);
          else wrong.push(`${name}: ${String(error)}`);
        }
      }
      const all = requests.length;
      tally(`requests to ${to.name}`, all - wrong.length - refused.length, all);
      for (const line of refused) console.log(`corpus:   refused ${line}`);
      expect(wrong).toEqual([]);
    });
  });
});
