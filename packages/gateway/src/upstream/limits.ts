/** What an upstream may take of this server while it is asked about itself. */

/** The time for a handshake with all that is asked then. */
export const ANSWER_MS = { HTTP: 10_000, SSE: 15_000, STDIO: 10_000, OPENAPI: 10_000 } as const;

/** The time for a handshake alone. */
export const TEST_MS = 10_000;

/** How long a program may stay silent before it is taken for one of the 2025 revisions. */
export const STDIO_PROBE_MS = 3_000;

/** Everything that one upstream may send while it is asked. */
export const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

export const MAX_TOOLS = 2_000;
export const MAX_PAGES = 100;
export const MAX_DEPTH = 64;

/** Programs that run at once. */
export const MAX_PROGRAMS = 32;
