/** What a document may take of this server, and a service that it describes. */

/** The document itself. */
export const MAX_DOCUMENT_BYTES = 10 * 1024 * 1024;
export const MAX_DEPTH = 64;
export const MAX_NODES = 1_000_000;
export const MAX_OPERATIONS = 1_000;

/** Fetching it, and making tools of it in a thread of its own. */
export const DOCUMENT_MS = 10_000;
export const TRANSLATE_MS = 20_000;
export const THREAD_HEAP_MB = 512;
/** A list that follows the look at the server within this time speaks of the same document. */
export const FRESH_MS = 5_000;
/** Translated documents that are kept. */
export const MAX_KEPT = 32;

/** Characters of all definitions together, and of the schemas of one tool, which have less where there are many tools. */
export const MAX_TOOLS_CHARS = 10 * 1024 * 1024;
export const MAX_INPUT_CHARS = 16 * 1024;
export const MAX_OUTPUT_CHARS = 4 * 1024;
export const MAX_DESCRIPTION = 4_000;
export const MAX_FIELD_DESCRIPTION = 1_000;
export const MAX_INPUTS = 200;

/** What is told of operations that became no tools. */
export const MAX_LEFT_OUT = 200;

/** Characters of what a service says when it refuses a call. */
export const MAX_REFUSAL = 4_000;
/** A picture or a sound as it came; in base64 it fits into what a client gets at once. */
export const MAX_MEDIA_BYTES = 700 * 1024;
