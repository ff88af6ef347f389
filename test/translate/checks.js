/**
 * What every runtime runs against the built `./translate`: laws over the fixtures of all pairs of formats, streamed and
 * whole. Plain JavaScript without imports, so that a browser takes it as it is. What it compares with is read by the
 * few lines at its end, not by the library.
 */

/**
 * @typedef {typeof import('../../src/translate/index.ts')} Library
 * @typedef {import('../../src/translate/index.ts').FormatName} FormatName
 * @typedef {{ readonly format: FormatName, readonly name: string, readonly sse?: string, readonly json?: string }} Reply
 * @typedef {{ readonly from: FormatName, readonly to: FormatName, readonly name: string, readonly body: object,
 *   readonly expected: string }} Request
 * @typedef {{ readonly replies: readonly Reply[], readonly requests: readonly Request[] }} Cases
 */

const FORMATS = /** @type {const} */ (['chat-completions', 'responses', 'messages', 'generate-content']);
const encoder = new TextEncoder();

/**
 * Runs all checks.
 * @param {Library} library
 * @param {Cases} cases
 * @returns {Promise<{ checks: number, failures: string[] }>} how many laws were checked, and those that do not hold.
 */
export async function check(library, cases) {
  const failures = /** @type {string[]} */ ([]);
  let checks = 0;
  /** @type {(name: string, law: () => Promise<boolean> | boolean) => Promise<void>} */
  const law = async (name, holds) => {
    checks += 1;
    try {
      if (!(await holds())) failures.push(name);
    } catch (error) {
      failures.push(`${name}: ${error}`);
    }
  };
  for (const { from, to, name, body, expected } of cases.requests)
    await law(`${from}/${name} to ${to} is the same request as in Node`, () => {
      return written(library, from, to, body) === expected;
    });
  for (const reply of cases.replies) for (const to of FORMATS) await checkReply(library, reply, to, law);
  return { checks, failures };
}

/**
 * The request that a vendor gets, or why there is none.
 * @param {Pick<Library, 'translateRequest'>} library
 * @param {FormatName} from
 * @param {FormatName} to
 * @param {object} body
 */
export function written({ translateRequest }, from, to, body) {
  try {
    const made = translateRequest({ from, to, model: 'a-model', body: JSON.parse(JSON.stringify(body)) });
    return JSON.stringify([made.body, made.notes]);
  } catch (error) {
    return String(error);
  }
}

/**
 * @param {Library} library
 * @param {Reply} reply
 * @param {FormatName} to
 * @param {(name: string, law: () => Promise<boolean> | boolean) => Promise<void>} law
 */
async function checkReply(library, { format: from, name: called, sse, json }, to, law) {
  const { translateAnswer, translateStream, validateStream } = library;
  const name = `${from}/${called} to ${to}`;
  const chat = 'chat-completions';
  /** @type {(text: string, from: FormatName, to: FormatName, size?: number) => Promise<string>} */
  const streamed = (text, from, to, size = 3000) =>
    textOf(sourceOf(text, size).pipeThrough(translateStream({ from, to })));
  /** @type {(body: object, from: FormatName, to: FormatName) => Promise<object>} */
  const whole = async (body, from, to) =>
    translateAnswer({ from, to, body: JSON.parse(JSON.stringify(body)) });

  if (sse !== undefined && called.includes('error')) {
    await law(`${name}: the failure is the last event`, async () =>
      endsWithError(await streamed(sse, from, to)),
    );
    return;
  }
  if (sse !== undefined) {
    if (from === to) {
      await law(`${name}: the same bytes`, async () => (await streamed(sse, from, to, 701)) === sse);
    } else {
      const made = await streamed(sse, from, to);
      await law(`${name}: keeps the rules of its format`, async () => {
        const violations = await judged(validateStream, made, to);
        if (violations.length > 0) throw new Error(JSON.stringify(violations));
        return true;
      });
      await law(`${name}: says the same however its bytes are cut`, async () => {
        const size = Math.max(3, Math.ceil(sse.length / 150));
        return unnamed(await streamed(sse, from, to, size)) === unnamed(made);
      });
      await law(`${name}: says in the end what it says directly`, async () => {
        return same(readChunks(await streamed(made, to, chat)), readChunks(await streamed(sse, from, chat)));
      });
    }
    const cut = cutAt(sse);
    await law(`${name}: ends with an error where it was cut`, async () => {
      return endsWithError(await streamed(cut, from, to));
    });
    await law(`${name}: ends with an error where the connection was lost`, async () => {
      const lost = lostAfter(cut).pipeThrough(translateStream({ from, to }));
      return endsWithError(await textOf(lost));
    });
  }
  if (json !== undefined && from !== to) {
    const body = JSON.parse(json);
    await law(`${name}: says in the end what it says directly, as a whole`, async () => {
      const there = readWhole(await whole(await whole(body, from, to), to, chat));
      return same(there, readWhole(await whole(body, from, chat)));
    });
  }
}

/**
 * @param {Library['validateStream']} validateStream
 * @param {string} text
 * @param {FormatName} format
 */
async function judged(validateStream, text, format) {
  /** @type {readonly unknown[]} */
  let violations = ['nothing was reported'];
  const judge = validateStream(format, {
    usageAsked: true,
    report: (result) => (violations = result.violations),
  });
  const passed = await textOf(sourceOf(text, 5000).pipeThrough(judge));
  return passed === text ? violations : ['it changed the bytes'];
}

/**
 * @param {string} text
 * @param {number} size how many bytes each chunk has.
 * @returns {ReadableStream<Uint8Array<ArrayBuffer>>}
 */
function sourceOf(text, size) {
  const bytes = encoder.encode(text);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + size));
      at += size;
    },
  });
}

/**
 * A source that fails after its text.
 * @param {string} text
 * @returns {ReadableStream<Uint8Array<ArrayBuffer>>}
 */
function lostAfter(text) {
  let isSent = false;
  return new ReadableStream({
    pull(controller) {
      if (isSent) return controller.error(new TypeError('terminated'));
      isSent = true;
      controller.enqueue(encoder.encode(text));
    },
  });
}

/** The first events of a stream: a third of it, or none if it has but one. @param {string} text */
function cutAt(text) {
  const ends = [...text.matchAll(/\r?\n\r?\n/g)].map((match) => match.index + match[0].length);
  return text.slice(0, ends[Math.floor(ends.length / 3) - 1] ?? 0);
}

/** @param {ReadableStream<Uint8Array>} stream */
async function textOf(stream) {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  for (let text = ''; ; ) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
  }
}

/** The ids that differ from one translation to the next, and the time of it, left out. @param {string} text */
function unnamed(text) {
  return text
    .replaceAll(/[0-9a-f]{32}/g, 'ID')
    .replaceAll(/"created(?:_at)?":\d+/g, '"created":0')
    .replaceAll(/"(?:completed_at)":\d+/g, '');
}

/** @param {unknown} one @param {unknown} other */
function same(one, other) {
  if (JSON.stringify(one) === JSON.stringify(other)) return true;
  throw new Error(`${JSON.stringify(one)} is not ${JSON.stringify(other)}`);
}

/** Whether the last event of a stream is an error event, of whatever format. @param {string} text */
function endsWithError(text) {
  const events = text.split(/\r?\n\r?\n/).filter((event) => event.includes('data:'));
  const last = events.at(-1) ?? '';
  const data = last.slice(last.indexOf('data:') + 5).trim();
  if (!/^\{/.test(data)) throw new Error(`ends with ${last}`);
  const { type, error, response } = JSON.parse(data);
  if (error || type === 'error' || type === 'response.failed' || response?.error) return true;
  throw new Error(`ends with ${last}`);
}

/** What a chat-completions stream says. @param {string} text */
function readChunks(text) {
  const said = { text: '', calls: /** @type {Record<string, string>} */ ({}), finish: '', output: 0 };
  for (const line of text.split('\n')) {
    if (!line.startsWith('data: {')) continue;
    const { choices = [], usage } = JSON.parse(line.slice(6));
    said.output = usage?.completion_tokens ?? said.output;
    for (const { delta, finish_reason } of choices.slice(0, 1)) {
      said.text += textIn(delta?.content) + (delta?.refusal ?? '');
      for (const call of delta?.tool_calls ?? [])
        said.calls[call.index] =
          (said.calls[call.index] ?? '') + (call.function?.name ?? '') + (call.function?.arguments ?? '');
      said.finish = finish_reason ?? said.finish;
    }
  }
  return settled(said);
}

/** What a whole chat-completions answer says. @param {object} body */
function readWhole(body) {
  const { choices, usage } = JSON.parse(JSON.stringify(body));
  const { message, finish_reason } = choices[0];
  /** @type {{ function: { name: string, arguments: string } }[]} */
  const calls = message.tool_calls ?? [];
  return settled({
    text: textIn(message.content) + (message.refusal ?? ''),
    calls: Object.fromEntries(calls.map((call, at) => [at, call.function.name + call.function.arguments])),
    finish: finish_reason,
    output: usage?.completion_tokens ?? 0,
  });
}

/**
 * The text of a content. Mistral's is a list.
 * @param {string | null | undefined | readonly { text?: string }[]} content
 */
function textIn(content) {
  return typeof content === 'object'
    ? (content ?? []).map(({ text = '' }) => text).join('')
    : (content ?? '');
}

/**
 * What no format has to keep: blank lines between texts, the spacing of arguments, and whether a refusal ends an answer
 * as one.
 * @param {{ text: string, calls: Record<string, string>, finish: string, output: number }} said
 */
function settled({ text, calls, finish, output }) {
  return {
    text: text.replaceAll('\n\n', ''),
    calls: Object.values(calls).map((call) => call.replaceAll(/\s/g, '').replace(/\{\}$/, '')),
    finish: finish === 'content_filter' ? 'stop' : finish,
    output,
  };
}
