/** The parameters of a request's query. */

/** No parameters. All requests without any share this object, which must not be changed. */
export type Query = Omit<URLSearchParams, 'append' | 'delete' | 'set' | 'sort'>;

/** No parameters. To make them for each request takes 0.7 µs. */
export const NO_QUERY: Query = new URLSearchParams();
