import type { ModelTraits } from '../../src/formats/format.ts';

/** A model that neither thinks nor restricts what it is asked. */
export function modelOf(dialect = ''): ModelTraits {
  return { model: 'a-model', maxOutputTokens: 64_000, sampling: true, structuredOutput: true, dialect };
}
