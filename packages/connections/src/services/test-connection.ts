/** Testing a connection: healthy only when an MCP server answered a handshake. */
import type { Caller } from '@parley/kit';
import { ToolError } from '@parley/kit';
import type { ConnectionRow } from '../schema.ts';
import { selfConnectionId } from '../self-connection.ts';
import type { UpstreamFailure, UpstreamStatus } from '../upstream.ts';
import { targetOf } from './ask-upstream.ts';
import type { Base } from './base.ts';
import { requireAdministrator } from './rights.ts';
import { findRow } from './rows.ts';

/** How a test of a connection went. */
export interface TestOutcome {
  readonly healthy: boolean;
  readonly latencyMs: number;
  readonly status: UpstreamStatus;
  readonly message?: string;
}

/** Connects with the credentials that a call of this caller would carry, and leaves again. */
export async function testConnection(base: Base, caller: Caller, id: string): Promise<TestOutcome> {
  const row = await findRow(base.store, caller.organizationId, id);
  if (row === undefined) throw new ToolError('not_found', 'Connection not found');
  if (row.connection_type === 'STDIO') requireAdministrator(caller);
  const started = performance.now();
  const outcome = await answerOf(base, caller, row);
  const latencyMs = Math.round(performance.now() - started);
  if (outcome.ok) return { healthy: true, latencyMs, status: 'ok' };
  const { status, message } = outcome;
  return { healthy: false, latencyMs, status, message };
}

type Outcome = { readonly ok: true } | UpstreamFailure;

async function answerOf(base: Base, caller: Caller, row: ConnectionRow): Promise<Outcome> {
  if (row.status === 'inactive')
    return failed('disabled', 'The connection is inactive. Set its status to active first.');
  const target = await targetOf(base, caller, row);
  if (target !== undefined) return base.upstream.test(target);
  if (row.connection_type === 'Websocket')
    return failed('invalid_protocol', 'Websocket cannot be used yet. Use HTTP or SSE.');
  const isSelf = row.id === selfConnectionId(row.organization_id);
  return ofItself(base, caller, isSelf ? undefined : row.id);
}

async function ofItself(
  { ownServer }: Base,
  caller: Caller,
  virtualId: string | undefined,
): Promise<Outcome> {
  try {
    await ownServer(caller, virtualId);
    return { ok: true };
  } catch {
    // Its fault is for the log of the server, which has it from the engine.
    const what = virtualId === undefined ? 'The management tools' : 'The virtual MCP';
    return failed('unreachable', `${what} did not answer. Look at the log of the server.`);
  }
}

function failed(status: UpstreamFailure['status'], message: string): UpstreamFailure {
  return { ok: false, status, message };
}
