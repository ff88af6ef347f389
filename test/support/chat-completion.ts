/** A vendor's whole answer in chat-completions; `more` replaces its fields. */
export function chatCompletion(content = 'Hi.', more: object = {}): object {
  return {
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'gpt-4.1',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 },
    ...more,
  };
}
