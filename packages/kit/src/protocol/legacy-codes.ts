/** The 2025 revisions have a code of their own for an unknown resource, which the SDK replaces by the one of 2026. */
import type { Transport } from '@modelcontextprotocol/server';

const RESOURCE_NOT_FOUND = -32002;
const INVALID_PARAMS = -32602;

type Sent = Parameters<Transport['send']>[0];

/** Makes a transport of a 2025 connection send -32002 for an unknown resource. */
export function withLegacyCodes<T extends Pick<Transport, 'send'>>(transport: T): T {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => send(restored(message), options);
  return transport;
}

/** The message with the code that its revision knows. */
export function restored(message: Sent): Sent {
  if (!('error' in message) || message.error.code !== INVALID_PARAMS || !isAboutUri(message.error.data))
    return message;
  return { ...message, error: { ...message.error, code: RESOURCE_NOT_FOUND } };
}

/** Only an unknown resource carries a URI in its data. */
function isAboutUri(data: unknown): boolean {
  return typeof data === 'object' && data !== null && 'uri' in data;
}
