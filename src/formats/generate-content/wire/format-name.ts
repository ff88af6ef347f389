/** The name of this format in prompts and replies. */
export const FORMAT = 'generate-content';
