/** The gateway serves the library beside the files of the page (`playground.ts`). */
export * from 'marked';
