import { chooseFormat, GatewayError, type RequestBodies } from '../../translate/index.ts';
import type { FormatName } from '../formats/dialogue.ts';
import { isObject, parseJson } from '../formats/json.ts';

/**
 * The format in which the vendor of a model is asked, as the gateway chooses it. It is a guess by the vendor's name for
 * a model that the catalog does not have, and for a text that is no request.
 * @param text the request as JSON text
 */
export function formatOfVendor(text: string, from: FormatName, model: string): FormatName {
  const body = parseJson(text);
  try {
    // The library itself refuses a body that is not of its format.
    const chosen = isObject(body)
      ? chooseFormat({ from, model, body: body as RequestBodies[FormatName] })
      : undefined;
    return chosen ?? guessFormat(model, from);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return guessFormat(model, from);
  }
}

function guessFormat(model: string, from: FormatName): FormatName {
  const [vendor = ''] = model.toLowerCase().split('/');
  if (vendor === 'anthropic' || vendor.startsWith('claude')) return 'messages';
  if (vendor === 'google' || vendor.startsWith('gemini')) return 'generate-content';
  return vendor === 'openai' && from !== 'chat-completions' ? 'responses' : 'chat-completions';
}
