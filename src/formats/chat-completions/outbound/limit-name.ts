/**
 * The older name of the limit of tokens. Clients send it to every model, and those of OpenAI's that reason refuse it:
 * "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
 */

import type { OptionalFields } from '../../format.ts';

const OLDER = 'max_tokens';
const NEWER = 'max_completion_tokens';

export const limitName: OptionalFields = {
  names: [],
  refusedIn({ message, param = '' }) {
    const isRefused = param === OLDER || message.includes(`'${OLDER}'`);
    return isRefused && message.includes(NEWER) && /not supported|unsupported/i.test(message) ? [OLDER] : [];
  },
  without(request, names) {
    const { [OLDER]: limit, ...rest } = request;
    // A vendor refuses both together, and the caller's own error is not mended.
    if (!names.has(OLDER) || limit === undefined || rest[NEWER] !== undefined) return request;
    return { ...rest, [NEWER]: limit };
  },
};
