/** How a dialogue becomes the list of items that a request sends: messages, contents or input items. */

import { bytesFromBase64 } from './base64.ts';
import type { AssistantTurn, Attachment, Call, FormatName, Turn, UserTurn } from './dialogue.ts';

/** The items of one format. */
export interface ItemRenderer {
  /** The item of a user turn. */
  user(turn: UserTurn): unknown;
  /** The items of an answer. */
  assistant(turn: AssistantTurn): readonly unknown[];
  /** The items that answer the calls of one turn; `kept` holds the items of the calls if they go back as they came. */
  results(calls: readonly Call[], kept: readonly unknown[] | undefined): readonly unknown[];
}

/**
 * Renders a dialogue. An answer goes back as it came if the same model gave it in the same format. Otherwise it is
 * rendered from its text and its calls.
 */
export function renderTurns(
  turns: readonly Turn[],
  format: FormatName,
  model: string,
  renderer: ItemRenderer,
): unknown[] {
  return turns.flatMap((turn) => {
    if (turn.role === 'user') return [renderer.user(turn)];
    const kept = turn.kept?.format === format && turn.kept.model === model ? turn.kept.items : undefined;
    const results = turn.calls.length > 0 ? renderer.results(turn.calls, kept) : [];
    return [...(kept ?? renderer.assistant(turn)), ...results];
  });
}

/**
 * Makes the renderer of user turns for OpenAI's and Anthropic's formats: the files, then the text.
 * @param textType the type of a part that holds text.
 */
export function userMessage(
  textType: string,
  renderAttachment: (attachment: Attachment) => unknown,
): ItemRenderer['user'] {
  return ({ text, attachments }) => ({
    role: 'user',
    content:
      attachments.length === 0
        ? text
        : [...attachments.map(renderAttachment), ...(text ? [{ type: textType, text }] : [])],
  });
}

/** The `data:` address of a file. */
export function toDataUrl({ type, data }: Pick<Attachment, 'type' | 'data'>): string {
  return `data:${type};base64,${data}`;
}

/** The image at a `data:` address; undefined for any other address. */
export function fromDataUrl(url: string): { type: string; data: string } | undefined {
  const [, type, data] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
  return type === undefined || data === undefined ? undefined : { type, data };
}

/** Whether a file is an image. */
export function isImage({ type }: Attachment): boolean {
  return type.startsWith('image/');
}

/** The text of a file that holds text, under its name, as all models read it; undefined for other files. */
export function readText({ name, type, data }: Attachment): string | undefined {
  if (!/^text\/|^application\/(?:json|xml|yaml|x-)/.test(type)) return undefined;
  return `<file name=${JSON.stringify(name)}>\n${new TextDecoder().decode(bytesFromBase64(data))}\n</file>`;
}
