/** The whole service as an OpenAPI 3.1 document (spec.openapis.org/oas/v3.1.1). */

import type { JsonObject } from '../../../lib/json.ts';
import { version } from '../../version.ts';
import { exchangeEndpoints } from '../exchange-endpoints.ts';
import { readEndpoints } from '../read-endpoints.ts';
import { unsupportedEndpoints } from '../unsupported-endpoints.ts';
import { adminPaths } from './admin-paths.ts';
import { componentSchemas } from './components.ts';
import { renderPaths, securitySchemes } from './endpoint.ts';
import { componentHeaders } from './responses.ts';

const DESCRIPTION = `One address, one key, four wire formats, every text model of a catalog.

Any catalog model can be asked in the formats of OpenAI (chat completions, responses) and Anthropic (messages); Google's generateContent reaches Google's models, or all of them with the setting \`generateContent.models: 'all'\`. If the format is the one of the model's own vendor, bytes pass unchanged; otherwise request and answer are translated. Errors are always in the format of the endpoint.

Paths that are not described here answer 404. Those that are answer other methods with 405 and \`Allow\`, and OPTIONS as browsers need it.`;

/** @returns the OpenAPI document, newly built by each call */
export function openApi(): JsonObject {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Gateway',
      version: version(),
      summary: 'A gateway to the text models of many vendors.',
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: [
      { name: 'chat-completions', description: "OpenAI's format." },
      { name: 'responses', description: "OpenAI's newer format." },
      { name: 'messages', description: "Anthropic's format." },
      { name: 'generate-content', description: "Google's format." },
      { name: 'models', description: 'Models that can be used.' },
      { name: 'keys', description: "The caller's own key." },
      {
        name: 'not supported',
        description: 'Endpoints for embeddings, images, speech and video, which answer 404.',
      },
      { name: 'console', description: 'A page to try the gateway, and to look after it, in the browser.' },
      {
        name: 'process',
        description:
          'Health checks for load balancers and operators, this document, and the schema of configurations.',
      },
      { name: 'admin', description: 'Keys, usage and metrics, on a listener of their own.' },
    ],
    paths: {
      ...renderPaths([...exchangeEndpoints, ...readEndpoints, ...unsupportedEndpoints]),
      ...adminPaths(),
    },
    components: {
      schemas: componentSchemas(),
      headers: componentHeaders,
      securitySchemes,
    },
  };
}

/** @returns a handler that answers `GET /openapi.json`. It builds the document on the first request and keeps it. */
export function openDescription(): () => Response {
  let text: string | undefined;
  return () => {
    text ??= JSON.stringify(openApi());
    return new Response(text, { headers: { 'content-type': 'application/json' } });
  };
}
