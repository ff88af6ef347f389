/** Numbers that are only carried keep their written form, from each format to each. */

import { describe, expect, test } from 'vitest';
import type { FormatName } from '../../src/conversation/prompt.ts';
import { unreported } from '../../src/formats/format.ts';
import { formats } from '../../src/formats/formats.ts';
import {
  fieldsWithInexactNumbers,
  parseBody,
  withWrittenNumbers,
} from '../../src/pipeline/body/parse-body.ts';
import { scanned } from '../../src/pipeline/body/scanned.ts';
import { PERMISSIVE } from '../support/meaning.ts';

/** Numbers that a double cannot hold, or that JSON.stringify writes differently. */
const NUMBERS =
  '{"a":-0,"b":1e-400,"c":0.1234567890123456789,"d":1.0,"e":12345678901234567890,"f":[1E5],"g":0.0000001}';
const TEXT = JSON.stringify(NUMBERS);

/** Requests with these numbers in a call, in its result, and in an unknown field. */
const REQUESTS = {
  messages: `{"model":"m","max_tokens":9,"temperature":1.0,"unknown":${NUMBERS},"messages":[
    {"role":"user","content":"x"},
    {"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":${NUMBERS}}]},
    {"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":${TEXT}}]}]}`,
  'chat-completions': `{"model":"m","temperature":1.0,"unknown":${NUMBERS},"messages":[
    {"role":"user","content":"x"},
    {"role":"assistant","tool_calls":[{"id":"t","type":"function","function":{"name":"f","arguments":${TEXT}}}]},
    {"role":"tool","tool_call_id":"t","content":${TEXT}}]}`,
  responses: `{"model":"m","temperature":1.0,"unknown":${NUMBERS},"input":[
    {"role":"user","content":"x"},
    {"type":"function_call","call_id":"t","name":"f","arguments":${TEXT}},
    {"type":"function_call_output","call_id":"t","output":${TEXT}}]}`,
  'generate-content': `{"generationConfig":{"temperature":1.0,"unknown":-0},"unknown":${NUMBERS},"contents":[
    {"role":"user","parts":[{"text":"x"}]},
    {"role":"model","parts":[{"functionCall":{"name":"f","args":${NUMBERS}}}]},
    {"role":"user","parts":[{"functionResponse":{"name":"f","response":${NUMBERS}}}]}]}`,
} as const;

const names = ['messages', 'chat-completions', 'responses', 'generate-content'] as const;

function promptOf(from: FormatName, request: string) {
  const bytes = Buffer.from(request);
  const sent = scanned(bytes);
  const odd = fieldsWithInexactNumbers(sent);
  const parsed = formats[from].inbound.parseRequest(parseBody(sent, odd), unreported);
  return { ...withWrittenNumbers(parsed, sent, odd), model: 'm' };
}

describe.each(names)('from %s', (from) => {
  test.each(names)('to %s: in calls, in their results, and in unknown fields', (to) => {
    const prompt = promptOf(from, REQUESTS[from]);
    const sent = JSON.stringify(formats[to].outbound.renderRequest(prompt, PERMISSIVE, unreported));
    expect(sent.replaceAll('\\"', '"').split(NUMBERS)).toHaveLength(4);
    expect(sent).not.toContain('rawJSON');
    expect(sent).toMatch(/"temperature":1[,}]/);
    if (from === 'generate-content' && to === from) expect(sent).toContain('"unknown":-0');
  });
});

test('an unknown field keeps all its digits; a field that is read is refused if it would lose any', () => {
  const request = (field: string) =>
    `{"model":"m","max_tokens":9,${field},"messages":[{"role":"user","content":"x"}]}`;
  expect(JSON.stringify(promptOf('messages', request('"unknown":12345678901234567890')).unknownFields)).toBe(
    '{"unknown":12345678901234567890}',
  );
  expect(() => promptOf('chat-completions', request('"max_completion_tokens":12345678901234567890'))).toThrow(
    'max_completion_tokens',
  );
  expect(() => promptOf('messages', request('"unknown":1e400'))).toThrow('too large');
});
