/** What an upstream may take of this server while it is asked about itself. */

/** The time for a handshake with all that is asked then. */
export const ANSWER_MS = { HTTP: 10_000, SSE: 15_000, STDIO: 10_000, OPENAPI: 10_000 } as const;

/** The time for a handshake alone. */
export const TEST_MS = 10_000;

/** How long a program may stay silent before it is taken for one of the 2025 revisions. */
export const STDIO_PROBE_MS = 3_000;

/** Everything that one upstream may send while it is asked. */
export const MAX_ANSWER_BYTES = 10 * 1024 * 1024;

/** Of one list. */
export const MAX_ITEMS = 5_000;
export const MAX_PAGES = 100;
export const MAX_CATALOG_BYTES = 32 * 1024 * 1024;

/** Of one item of a list. */
export const MAX_DEPTH = 64;
export const MAX_DEFINITION_BYTES = 256 * 1024;

/** Pages for apps that are read with the lists. */
export const MAX_UI_DOCUMENTS = 50;

/** Items that are left out are told of up to this number. */
export const MAX_DROPPED = 100;

/** Programs that run at once. */
export const MAX_PROGRAMS = 32;
