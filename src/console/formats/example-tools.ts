/** The tools that the console offers a model unless the user writes others. */

import type { Tool } from './dialogue.ts';

export const EXAMPLE_TOOLS: readonly Tool[] = [
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
