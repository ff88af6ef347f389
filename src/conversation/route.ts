/** What a path of the gateway stands for: a format, and what the request asks for. */

import type { FormatName, Operation, StoredOperation } from './prompt.ts';

/** The meaning of one path. */
export interface Route {
  readonly format: FormatName;
  readonly operation: Operation;
}

/** The paths that answer POST. Those of generate-content have the model in them, and are not among these. */
export const POST_ROUTES = {
  '/v1/chat/completions': { format: 'chat-completions', operation: 'generate' },
  '/v1/responses': { format: 'responses', operation: 'generate' },
  '/v1/responses/compact': { format: 'responses', operation: 'compact' },
  '/v1/responses/input_tokens': { format: 'responses', operation: 'count-tokens' },
  '/v1/messages': { format: 'messages', operation: 'generate' },
  '/v1/messages/count_tokens': { format: 'messages', operation: 'count-tokens' },
} as const satisfies Readonly<Record<string, Route>>;

/** How a request about a stored response is sent: the caller's to the gateway, and the gateway's to the vendor. */
export interface StoredEndpoint {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** What follows the id in the path. */
  readonly action: '' | '/cancel' | '/input_items';
}

/** The endpoints of stored responses ("Responses", OpenAI API reference). */
export const STORED_ENDPOINTS: Readonly<Record<StoredOperation, StoredEndpoint>> = {
  retrieve: { method: 'GET', action: '' },
  delete: { method: 'DELETE', action: '' },
  cancel: { method: 'POST', action: '/cancel' },
  'list-input': { method: 'GET', action: '/input_items' },
};

/** Whether an operation is about a stored response. */
export function isStored(operation: Operation): operation is StoredOperation {
  return Object.hasOwn(STORED_ENDPOINTS, operation);
}
