/** What the sandbox says unless a request asks for something else: what it is, and what it was asked. */

import type { Ask } from './ask.ts';

const QUOTED_LENGTH = 600;

/** @returns the answer to a request that calls no tool and wants no JSON, as Markdown */
export function answerText(ask: Ask): string {
  const said = ask.said.trim();
  const asked = said === '' ? 'You sent no text that I could repeat.' : `You asked:\n\n${quotation(said)}`;
  return [
    `**This is the sandbox.** A simulated model answers as \`${ask.model}\`, because no vendor key is set.`,
    asked,
    ...attachmentsText(ask.attachments),
    [
      'Everything around these words is real: the connection, the format, the events and the checks. Things to try:',
      '',
      '- offer me a tool and ask for what it does, and I will call it;',
      '- ask for JSON by a schema, and I will fill it in;',
      '- turn thinking on, and I will show a thought with a signature;',
      '- write `play: long-text` (or `tool-call`, `thinking`, `refusal`, `error-in-stream`) for an answer of that kind.',
    ].join('\n'),
    'Set a vendor key, and the same request reaches the real model.',
  ].join('\n\n');
}

/** @returns the answer to a request that brings results of tools, as Markdown */
export function resultsText(ask: Ask): string {
  const told = ask.results.flatMap(({ name, text, attachments }) => {
    const who = name === undefined ? 'The tool' : `The tool \`${name}\``;
    const nothing = attachments.length > 0 ? 'answered without text.' : 'answered nothing.';
    const answered = text.trim() === '' ? nothing : `answered:\n\n${quotation(text.trim())}`;
    return [`${who} ${answered}`, ...attachmentsText(attachments)];
  });
  return [...told, 'That is all I know: I am the sandbox, and I repeat what tools tell me.'].join('\n\n');
}

/** @returns what a simulated model thinks before it answers */
export function thoughtText(ask: Ask): string {
  const [line = ''] = ask.said.trim().split('\n');
  const asked = line === '' ? 'The user said nothing.' : `The user says: ${shortened(line, 160)}`;
  const next =
    ask.results.length > 0
      ? 'The tools have answered, so I pass on what they said.'
      : ask.tools.length > 0
        ? 'There are tools at hand, so I look whether one of them fits.'
        : 'I am the sandbox and know nothing, so I say what I am and repeat the question.';
  return `${asked}\n\n${next}`;
}

function attachmentsText(attachments: readonly string[]): readonly string[] {
  return attachments.length > 0 ? [`With it came: ${attachments.join(', ')}.`] : [];
}

function quotation(text: string): string {
  return shortened(text, QUOTED_LENGTH)
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}

function shortened(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = /[\ud800-\udbff]/.test(text.charAt(length - 1)) ? length - 1 : length;
  return `${text.slice(0, end)}…`;
}
