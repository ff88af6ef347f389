/** Web search, the one hosted tool of the format. It is at the top of the body instead of among the tools. */

/** The field of the body. As a tool of the prompt, the search has this name as its `type` and as its only field. */
export const WEB_SEARCH_OPTIONS = 'web_search_options';
