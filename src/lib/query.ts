/** The parameters of a request's query. */

/** Parameters that nobody changes: requests without any share them. */
export type Query = Omit<URLSearchParams, 'append' | 'delete' | 'set' | 'sort'>;

/** No parameters. To make them for each request takes 0.7 µs. */
export const NO_QUERY: Query = new URLSearchParams();
