/** Outputs of the tools that the caller runs, as the text of a result. */

import { asNumber, asObject, asText, type JsonObject } from '../../../lib/json.ts';
import { fieldPlace, type Place } from '../../../lib/place.ts';
import { missing, objectsAt, requiredText, textAt } from '../../openai/fields.ts';

const NOTHING_RAN = 'No command was run.';

/**
 * Parses the output of a shell, a local shell or `apply_patch` as text. The output of a shell is cut to its
 * `max_output_length`, in characters.
 * @throws GatewayError `invalid-request` for an output that is missing or of a wrong type.
 */
export function parseClientOutput(item: JsonObject, path: Place): string {
  const { type, output, status, max_output_length } = item;
  if (type === 'apply_patch_call_output')
    return textAt(output, fieldPlace(path, 'output')) ?? asText(status) ?? '';
  if (output === undefined || output === null) throw missing(fieldPlace(path, 'output'));
  if (type === 'local_shell_call_output') return requiredText(output, fieldPlace(path, 'output'));
  const commands = objectsAt(output, fieldPlace(path, 'output'));
  const limit = (asNumber(max_output_length) ?? Number.POSITIVE_INFINITY) / commands.length;
  return commands.map(([one]) => renderCommandOutput(one, limit)).join('\n\n') || NOTHING_RAN;
}

/** Renders the output of one command as a terminal shows it, and how the command ended. */
function renderCommandOutput({ stdout, stderr, outcome }: JsonObject, limit: number): string {
  const errors = asText(stderr)?.trimEnd();
  const written = [asText(stdout)?.trimEnd(), errors && `stderr:\n${errors}`];
  const shown = shorten(written.filter((text) => text).join('\n'), limit);
  const { type, exit_code } = asObject(outcome) ?? {};
  const ending = type === 'timeout' ? 'timed out' : `exit code: ${asNumber(exit_code) ?? 'unknown'}`;
  return shown === '' ? ending : `${shown}\n${ending}`;
}

/**
 * Keeps the beginning and the end of a text that is longer than `limit`. Callers send all of an output together with the
 * limit that the model has set, and leave the cutting to OpenAI (guide "Shell", `max_output_length`).
 */
function shorten(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const half = Math.max(0, Math.floor(limit / 2));
  const left = text.length - 2 * half;
  return `${text.slice(0, half)}\n[${left} characters left out]\n${text.slice(text.length - half)}`.trim();
}
