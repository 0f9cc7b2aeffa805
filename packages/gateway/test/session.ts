/** A 2025 session as a client holds it, over plain HTTP. */
import type { Answer, Sending } from '@parley/test-support/wire';
import { send } from '@parley/test-support/wire';

/** The revision that the sessions of the tests ask for. */
export const LEGACY = '2025-11-25';

/** An open session. */
export interface Session {
  readonly id: string;
  readonly headers: Record<string, string>;
  request(method: string, params?: Record<string, unknown>, id?: string | number): Promise<Answer>;
  end(): Promise<Answer>;
}

const JSON_AND_STREAM = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** Sends the opening message of a session and nothing more. */
export function initialize(
  to: Omit<Sending, 'body'>,
  capabilities: Record<string, unknown> = {},
): Promise<Answer> {
  const params = {
    protocolVersion: LEGACY,
    capabilities,
    clientInfo: { name: 'session-test', version: '1' },
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
  return send({ ...to, headers: { ...JSON_AND_STREAM, ...to.headers }, body });
}

/** Opens a session. */
export async function openSession(
  to: Omit<Sending, 'body'>,
  capabilities?: Record<string, unknown>,
): Promise<Session> {
  const opened = await initialize(to, capabilities);
  const id = opened.headers['mcp-session-id'];
  if (typeof id !== 'string') throw new Error(`No session was opened: ${opened.status} ${opened.text}`);
  const headers = { ...JSON_AND_STREAM, 'mcp-session-id': id, 'mcp-protocol-version': LEGACY };
  const post = (message: object) =>
    send({ ...to, headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) });
  await post({ method: 'notifications/initialized' });
  return {
    id,
    headers,
    request: (method, params, requestId = 1) =>
      post({ id: requestId, method, ...(params !== undefined && { params }) }),
    end: () => send({ ...to, method: 'DELETE', headers }),
  };
}
