/** `POST /v1/messages/count_tokens`, as vendors are asked. */

import { wordSet } from '../../../lib/words.ts';
import { countByFields } from '../../counting.ts';

/**
 * The fields of a rendered request that may stand in a request for a count (MessageCountTokensParams of
 * `@anthropic-ai/sdk`). The limit and the sampling parameters may not.
 */
const COUNTED_FIELDS = wordSet(`
  model messages system tools tool_choice thinking output_config cache_control
`);

export const outboundCounting = countByFields(COUNTED_FIELDS);
