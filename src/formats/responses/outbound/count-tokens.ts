/** How the gateway asks a vendor for the number of tokens of a prompt: `POST /v1/responses/input_tokens`. */

import { wordSet } from '../../../lib/words.ts';
import { countByFields } from '../../counting.ts';

/** The fields that such a request may have, of those that the gateway writes (`InputTokenCountParams` of `openai`). */
const COUNTED = wordSet('model input instructions parallel_tool_calls reasoning text tool_choice tools');

export const outboundCounting = countByFields(COUNTED);
