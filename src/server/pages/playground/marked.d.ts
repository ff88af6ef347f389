/** The page finds the library beside its own files (`playground.ts`). */
export * from 'marked';
