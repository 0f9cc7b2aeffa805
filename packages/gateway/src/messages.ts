/** What the gateway has to know of a message before anyone checks it. */

/** A request that waits for an answer. */
export interface RequestMessage {
  readonly id: string | number;
  readonly method: string;
  readonly params?: unknown;
}

/** True for a message with an id and a method. */
export function isRequest(body: unknown): body is RequestMessage {
  if (typeof body !== 'object' || body === null || !('id' in body) || !('method' in body)) return false;
  return (typeof body.id === 'string' || typeof body.id === 'number') && typeof body.method === 'string';
}

/** The method of a request or notification. */
export function methodOf(body: unknown): string | undefined {
  const method = typeof body === 'object' && body !== null && 'method' in body ? body.method : undefined;
  return typeof method === 'string' ? method : undefined;
}

/** The id that an answer repeats; null when there is none that can be. */
export function idOf(body: unknown): string | number | null {
  const id = typeof body === 'object' && body !== null && 'id' in body ? body.id : null;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

/** The id of the request that a message cancels. */
export function cancelledId(body: unknown): string | number | undefined {
  if (methodOf(body) !== 'notifications/cancelled') return undefined;
  // Only looked up in a map, so any other type simply finds nothing.
  const { params } = body as { params?: { requestId?: string | number } };
  return params?.requestId;
}

/** True for a JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
