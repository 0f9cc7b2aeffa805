/** In whose name events are published: the source of a caller, and the caller of a source. */

const CALLER = 'caller/';

/** The source of a caller who acts for no connection. */
export function sourceOfCaller(callerId: string): string {
  return `${CALLER}${callerId}`;
}

/** Who publishes under a source; no id of a connection has a slash in it. */
export function publisherOf(
  source: string,
): { readonly callerId: string } | { readonly connectionId: string } {
  return source.startsWith(CALLER) ? { callerId: source.slice(CALLER.length) } : { connectionId: source };
}
