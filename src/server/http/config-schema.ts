/** The JSON schema of a configuration, which editors read to complete and check `gateway.config.json` and `.yaml`. */

/** Answers `GET /config.schema.json`. The file is loaded by the first request, since most gateways get none. */
export async function answerConfigSchema(): Promise<Response> {
  const { default: schema } = await import('../../config/config.schema.json', { with: { type: 'json' } });
  // Editors in a browser ask from other origins.
  return Response.json(schema, { headers: { 'access-control-allow-origin': '*' } });
}
