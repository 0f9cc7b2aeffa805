/** Where the API lives. */

/** The prefix of every route. */
export const BASE = '/api/v1';
