/** Endpoints of OpenAI's that SDKs know and the gateway does not have. */

import { GatewayError } from '../../lib/errors.ts';
import type { Endpoint } from './openapi/endpoint.ts';
import { jsonResponse } from './openapi/responses.ts';

/** An endpoint that always answers an error. */
export interface UnsupportedEndpoint extends Endpoint {
  refuse(): GatewayError;
}

/** The names of their operations, by path. */
const UNSUPPORTED = {
  '/v1/embeddings': 'createEmbedding',
  '/v1/images/generations': 'createImage',
  '/v1/audio/speech': 'createSpeech',
  '/v1/videos': 'createVideo',
};

export const unsupportedEndpoints = Object.entries(UNSUPPORTED).map(
  ([path, id]): UnsupportedEndpoint => ({
    method: 'POST',
    path,
    describe: () => ({
      id,
      tag: 'not supported',
      summary: 'Not supported.',
      responses: { 404: jsonResponse('Always, with code `endpoint_not_available`.', 'OpenAIError') },
    }),
    // 404, not 501: SDKs retry a 5xx.
    refuse: () => new GatewayError('endpoint-not-available', `${path} is not supported.`),
  }),
);
