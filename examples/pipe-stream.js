/**
 * Prints a vendor's stream in another format: `GEMINI_API_KEY=… node pipe-stream.js 'Why is the sky blue?'` prints what
 * Gemini says as OpenAI's Responses would say it, and whether it keeps that format's rules.
 */

import { translateRequest, translateStream, validateStream } from 'fourwire/translate';

const base = process.env['GEMINI_BASE_URL'] ?? 'https://generativelanguage.googleapis.com';
const request = translateRequest({
  from: 'responses',
  to: 'generate-content',
  model: 'gemini-3.8-flash',
  body: { model: 'any', input: process.argv[2] ?? 'Hello!', stream: true },
});
const answer = await fetch(`${base}/v1beta/models/${request.model}:streamGenerateContent?alt=sse`, {
  method: 'POST',
  headers: { 'content-type': 'application/json', 'x-goog-api-key': process.env['GEMINI_API_KEY'] ?? '' },
  body: JSON.stringify(request.body),
});
if (!answer.ok || answer.body === null) throw new Error(`Gemini answered ${answer.status}.`);

const events = answer.body
  .pipeThrough(translateStream({ from: 'generate-content', to: 'responses', request }))
  .pipeThrough(validateStream('responses', { report: ({ violations }) => console.error(violations) }));
for await (const bytes of events) process.stdout.write(bytes);
