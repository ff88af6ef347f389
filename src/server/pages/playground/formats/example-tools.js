/**
 * The tools that the page can offer a model; their parameters are JSON Schema.
 * @type {readonly { name: string, description: string, parameters: Record<string, unknown> }[]}
 */
export const EXAMPLE_TOOLS = [
  {
    name: 'get_weather',
    description: 'The weather in a city now.',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, unit: { type: 'string', enum: ['celsius', 'fahrenheit'] } },
      required: ['city'],
    },
  },
  {
    name: 'get_time',
    description: 'The local time in a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
];
