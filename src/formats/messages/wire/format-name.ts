/** The name of this format in the neutral prompt and reply. */
export const FORMAT = 'messages';
