/** The whole service as an OpenAPI 3.1 document (spec.openapis.org/oas/v3.1.1). */

import type { JsonObject } from './json.ts';
import { adminPaths, adminSchemas } from './openapi/admin-paths.ts';
import { announcedPaths, generatePaths } from './openapi/generate-paths.ts';
import { readPaths } from './openapi/read-paths.ts';
import { componentHeaders } from './openapi/responses.ts';
import { componentSchemas } from './openapi/schemas.ts';
import { version } from './version.ts';

const DESCRIPTION = `One address, one key, four wire formats, every text model of a catalog.

Any catalog model can be asked in the formats of OpenAI (chat completions, responses) and Anthropic (messages); Google's generateContent reaches models of google. Where the format is that of the model's own vendor, bytes pass unchanged; elsewhere request and answer are translated. Errors are always in the words of the endpoint's format.

What is not described here is 404; a path that is described answers any other method with 405 and \`Allow\`, and OPTIONS for browsers.`;

/** The document, made anew. */
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
      { name: 'models', description: 'What may be asked for.' },
      { name: 'announced', description: 'What is to come.' },
      { name: 'playground', description: 'A page to try it on.' },
      { name: 'process', description: 'What balancers and operators ask.' },
      { name: 'admin', description: 'Keys, usage and figures, on a listener of their own.' },
    ],
    paths: { ...generatePaths(), ...readPaths(), ...announcedPaths(), ...adminPaths() },
    components: {
      schemas: { ...componentSchemas(), ...adminSchemas() },
      headers: componentHeaders,
      securitySchemes: {
        bearerKey: { type: 'http', scheme: 'bearer', description: 'The key, on any endpoint.' },
        anthropicKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
        googleKey: { type: 'apiKey', in: 'header', name: 'x-goog-api-key' },
        adminKey: { type: 'http', scheme: 'bearer', description: "The admin's key (GATEWAY_ADMIN_KEY)." },
        googleKeyInQuery: { type: 'apiKey', in: 'query', name: 'key' },
      },
    },
  };
}

/** The answer to `GET /openapi.json`. */
export function openDescription(): () => Response {
  const text = JSON.stringify(openApi());
  return () => new Response(text, { headers: { 'content-type': 'application/json' } });
}
