/** One task of a remote agent as durable work: always unattended, and its end is written once. */
import { ToolError } from '@parley/kit';
import type { Store } from '@parley/store';
import type { Kind } from '@parley/tasks';
import * as z from 'zod';
import type { RunRequest, RunResult } from '../../adapters/runner/runner.ts';
import type { AgentCallers } from '../../permissions/lookup.ts';
import type { Deliver } from './inbound.ts';
import type { OutsideTables, RemoteTaskRow } from './schema.ts';

export interface RunParts {
  readonly store: Store;
  readonly callers: AgentCallers;
  readonly now: () => number;
  readonly runner: { run(request: RunRequest): Promise<RunResult> } | undefined;
  readonly deliver: Deliver;
}

const Input = z.object({ id: z.string() });
const MAX_REPLY = 65_536;
const DONE = { outcome: 'completed', result: null } as const;

export function remoteTaskKind(parts: RunParts): Kind {
  const { store, now } = parts;
  const write = async (id: string, change: Partial<Pick<RemoteTaskRow, 'state' | 'reply'>>) => {
    await store
      .db<OutsideTables>()
      .updateTable('agent_remote_tasks')
      .set({ ...change, updated_at: now() })
      .where('id', '=', id)
      .where('state', 'in', ['submitted', 'working'])
      .execute();
  };
  return {
    kind: 'agent.remote_task',
    version: 1,
    async run(input, { signal }) {
      const { id } = Input.parse(input);
      const row = await store
        .db<OutsideTables>()
        .selectFrom('agent_remote_tasks')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst();
      if (row === undefined || row.state === 'completed' || row.state === 'failed') return DONE;
      await write(id, { state: 'working' });
      const { status, text } = await attempt(parts, row, signal);
      // Stopped by the server itself: another run takes it up.
      signal.throwIfAborted();
      await write(id, {
        state: status === 'completed' ? 'completed' : 'failed',
        reply: text.slice(0, MAX_REPLY),
      });
      return DONE;
    },
  };
}

async function attempt(parts: RunParts, row: RemoteTaskRow, signal: AbortSignal): Promise<RunResult> {
  const { organization_id: organizationId, agent_id: agentId, depth, created_at, timeout_ms } = row;
  const how = { source: 'remote', sessionSource: 'remote', unattended: true } as const;
  const caller = await parts.callers.acting({ organizationId, agentId, depth, ...how });
  if (caller === undefined) return { status: 'failed', text: 'The agent is gone.' };
  const leftMs = created_at + timeout_ms - parts.now();
  if (leftMs <= 0) return { status: 'timeout', text: 'The agent did not begin in time.' };
  const request: RunRequest = {
    kind: 'remote',
    agent: { id: agentId, name: caller.name, organizationId },
    prompt: row.skill === null ? row.message : `Skill: ${row.skill}\n\n${row.message}`,
    history: [],
    // That of whoever asks; the agent runs one deeper.
    depth: Math.max(1, depth - 1),
    unattended: true,
    timeoutMs: leftMs,
    signal,
  };
  try {
    const { runner, deliver } = parts;
    return await (runner === undefined ? deliver({ ...request, key: row.id }) : runner.run(request));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ToolError) return { status: 'failed', text: error.message };
    throw error;
  }
}
