/**
 * Events as the chunks of `streamGenerateContent?alt=sse`: each a whole GenerateContentResponse with the usage as
 * known so far; calls come whole; why it stopped stands in a candidate's last chunk, and nothing marks the end.
 *
 * A chunk of text is the hot path: one JSON string between two texts that are ready.
 */

import type { Citation, Signature } from '../../../conversation/prompt.ts';
import type {
  Choice,
  OpenPart,
  PartDetail,
  PartStart,
  ReplyStart,
  Usage,
} from '../../../conversation/reply.ts';
import { mergeUsage, startAt } from '../../../conversation/reply.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { Sse } from '../../../streams/sse.ts';
import type { Sink } from '../../../streams/step.ts';
import type { EventRenderer, RequestContext } from '../../format.ts';
import { shifted } from '../wire/citations.ts';
import { renderLateError } from '../wire/errors.ts';
import { renderLogprobs } from '../wire/logprobs.ts';
import { FORMAT } from '../wire/wire.ts';
import {
  isBlockedPrompt,
  promptFeedbackOf,
  renderCandidate,
  renderExtras,
  renderHead,
  renderPart,
  showsThoughts,
} from './response-fields.ts';

/** Gemini's own last chunk has such a part: a content without parts is not one to its SDKs. */
const EMPTY_TEXT = { text: '' } as const;

/**
 * What keeps a stream open: a chunk that says nothing. Google's SDKs know no comments: those for Python and Go take each
 * line without `data:` for an error (python-genai, `_iter_response_stream`; go-genai, `iterateResponseStream`), and that
 * for JavaScript forgets a dialogue's turn with a chunk that has no candidates.
 */
export const PING = 'data: {"candidates":[{"content":{"parts":[{"text":""}],"role":"model"},"index":0}]}\n\n';

/** How a chunk begins that has nothing but candidates. */
const CANDIDATES = '{"candidates":[';

/** An end that nobody has told. */
const NO_END = { finish: 'other' } satisfies Choice['end'];

interface OpenState {
  readonly part: OpenPart;
  /** Of a call: its arguments so far. */
  text: string;
  /** Where the part's text begins in the candidate's. */
  readonly offset: number;
  signature: Signature | undefined;
  redacted: Signature | undefined;
}

/** One candidate, as far as it has been told. */
interface Speaker {
  readonly index: number;
  open: OpenState | undefined;
  /** All visible text so far, for the offsets of citations. */
  text: string;
  readonly citations: Citation[];
  readonly foreign: JsonObject[];
  end: Choice['end'] | undefined;
}

/** @see Inbound.renderEvents */
export function renderEvents(asked: RequestContext): EventRenderer {
  const speakers: Speaker[] = [];
  let start: Omit<ReplyStart, 'type'> = { id: '', model: '' };
  let usage: Usage = {};
  let before = CANDIDATES;
  let after = '';
  let hasSpoken = false;
  const shows = showsThoughts(asked);

  const writeHead = (): void => {
    after = `]${fieldsText(renderHead(start, usage, asked))}}`;
  };

  const speakerAt = (index: number): Speaker => {
    let speaker = speakers[index];
    while (speaker === undefined) {
      speakers.push({
        index: speakers.length,
        open: undefined,
        text: '',
        citations: [],
        foreign: [],
        end: undefined,
      });
      speaker = speakers[index];
    }
    return speaker;
  };

  /** @param candidate as JSON text. */
  const say = (candidate: string, out: Sink<Sse>): void => {
    out.enqueue({ data: before + candidate + after });
    if (hasSpoken) return;
    hasSpoken = true;
    before = CANDIDATES;
  };

  const sayPart = (index: number, part: string, out: Sink<Sse>): void =>
    say(`{"content":{"parts":[${part}],"role":"model"},"index":${index}}`, out);

  const open = ({ choice, part, signature }: PartStart, out: Sink<Sse>): void => {
    const speaker = speakerAt(choice);
    speaker.open = { part, text: '', offset: speaker.text.length, signature, redacted: undefined };
    if (part.kind !== 'opaque') return;
    if (part.format === FORMAT) sayPart(choice, JSON.stringify(part.value), out);
    else speaker.foreign.push(part.value);
  };

  const sayText = (choice: number, text: string, out: Sink<Sse>): void => {
    const speaker = speakerAt(choice);
    const state = speaker.open;
    switch (state?.part.kind) {
      case 'text':
      case 'refusal':
        speaker.text += text;
        sayPart(choice, `{"text":${JSON.stringify(text)}}`, out);
        break;
      case 'thinking':
        if (shows) sayPart(choice, `{"text":${JSON.stringify(text)},"thought":true}`, out);
        break;
      case 'tool-call':
        state.text += text;
        break;
    }
  };

  const note = ({ choice, signature, redacted, citation }: PartDetail): void => {
    const speaker = speakerAt(choice);
    const state = speaker.open;
    if (state === undefined) return;
    state.signature = signature ?? state.signature;
    state.redacted = redacted ?? state.redacted;
    if (citation) speaker.citations.push(shifted(citation, state.offset));
  };

  /** Says what can be said only now: a call, and a signature, which comes in an empty part of its kind. */
  const close = (choice: number, out: Sink<Sse>): void => {
    const speaker = speakerAt(choice);
    const state = speaker.open;
    speaker.open = undefined;
    if (state === undefined || state.part.kind === 'opaque') return;
    const { part, text, signature, redacted } = state;
    const proof = { ...(signature && { signature }), ...(redacted && { redacted }) };
    const rendered =
      part.kind === 'tool-call'
        ? renderPart({ ...part, arguments: text, ...proof }, asked)
        : renderPart({ kind: part.kind, text: '', ...proof }, asked);
    if (rendered) sayPart(choice, JSON.stringify(rendered), out);
  };

  const finish = (out: Sink<Sse>): void => {
    const promptFeedback = promptFeedbackOf(speakers[0]?.end);
    if (isBlockedPrompt(promptFeedback) && !hasSpoken) {
      const chunk = { ...renderExtras(start), promptFeedback, ...renderHead(start, usage, asked) };
      out.enqueue({ data: JSON.stringify(chunk) });
      return;
    }
    if (promptFeedback) before = `{"promptFeedback":${JSON.stringify(promptFeedback)},${before.slice(1)}`;
    for (const { index, end = NO_END, text, citations, foreign } of speakers) {
      const ending = { end, text, citations, logprobs: [], foreign };
      say(JSON.stringify(renderCandidate(index, [EMPTY_TEXT], ending)), out);
      before = CANDIDATES;
    }
  };

  const begin = ({ type: _, ...told }: ReplyStart): void => {
    start = told;
    const extras = fieldsText(renderExtras(start));
    before = extras === '' ? CANDIDATES : `{${extras.slice(1)},${CANDIDATES.slice(1)}`;
    writeHead();
  };

  return {
    transform(event, out) {
      switch (event.type) {
        case 'part-delta':
          sayText(event.choice, event.text, out);
          break;
        case 'part-start':
          open(event, out);
          break;
        case 'part-detail':
          note(event);
          break;
        case 'part-end':
          close(event.choice, out);
          break;
        case 'logprobs': {
          const content = { parts: [EMPTY_TEXT], role: 'model' };
          const logprobsResult = renderLogprobs(event.tokens);
          say(JSON.stringify({ content, logprobsResult, index: event.choice }), out);
          break;
        }
        case 'usage':
          usage = mergeUsage(usage, event.usage);
          writeHead();
          break;
        case 'reply-start':
          begin(event);
          break;
        case 'choice-end': {
          const { type: _type, choice, ...end } = event;
          speakerAt(choice).end = end;
          break;
        }
        case 'reply-end':
          start = startAt(event, start);
          writeHead();
          finish(out);
          break;
      }
    },
    fail(error, out) {
      out.enqueue(renderLateError(error));
    },
  };
}

/** An object's fields as they stand in its JSON text, each after a comma; '' of none. */
function fieldsText(object: JsonObject): string {
  const text = JSON.stringify(object).slice(1, -1);
  return text === '' ? '' : `,${text}`;
}
