/** Tasks that agents of other servers give to the one agent that this server offers. */
import type { Identity } from '@parley/identity';
import type { Caller } from '@parley/kit';
import { systemCaller, ToolError, typeId } from '@parley/kit';
import type { Store } from '@parley/store';
import type { TaskEngine } from '@parley/tasks';
import type { RunRequest, RunResult } from '../../adapters/runner/runner.ts';
import type { Agent, Agents } from '../agents.ts';
import type { RunParts } from './inbound-run.ts';
import { remoteTaskKind } from './inbound-run.ts';
import { MAX_DEPTH } from './remote.ts';
import type { OutsideTables, RemoteTaskRow } from './schema.ts';
import type { Uses } from './uses.ts';

/** Brings the text into the inbox of an agent and waits for the reply. Once per key, however often it is called. */
export type Deliver = (request: RunRequest & { readonly key: string }) => Promise<RunResult>;

export interface InboundParts {
  readonly store: Store;
  readonly identity: Pick<Identity, 'firstOrganizationId'>;
  readonly tasks: TaskEngine;
  readonly agents: Agents;
  readonly callers: RunParts['callers'];
  readonly uses: Uses;
  readonly now: () => number;
  /** The agent that is offered, by name or id; undefined: none. */
  readonly offered: string | undefined;
  readonly runner: { run(request: RunRequest): Promise<RunResult> } | undefined;
  /** What is done without a runner. */
  readonly deliver: Deliver;
}

export interface NewRemoteTask {
  readonly message: string;
  readonly skill?: string | undefined;
  readonly timeoutMs: number;
  /** The depth that the agent runs at. */
  readonly depth: number;
}

export interface InboundTasks {
  /** The agent that is offered; undefined: there is none of that name. */
  agent(): Promise<Agent | undefined>;
  send(caller: Caller, task: NewRemoteTask): Promise<RemoteTaskRow>;
  /** A task of the same caller. */
  get(caller: Caller, id: string): Promise<RemoteTaskRow | undefined>;
}

const RATE = { limit: 5, spanMs: 60_000, what: '5 tasks a minute from one source' };
const OWNER = { id: 'agent.remote', name: 'Remote agents' };
// Nobody reads the task itself; the row is what is asked for.
const TTL_MS = 1;

export function createInboundTasks(parts: InboundParts): InboundTasks {
  const { store, tasks, now } = parts;
  const kind = remoteTaskKind(parts);
  tasks.register(kind);
  const agent = async () => {
    if (parts.offered === undefined) return undefined;
    return parts.agents.find(await parts.identity.firstOrganizationId(), parts.offered);
  };
  return {
    agent,
    async send(caller, { message, skill = null, timeoutMs, depth }) {
      const offered = await agent();
      const isOwn = caller.organizationId === (await parts.identity.firstOrganizationId());
      if (offered === undefined || !isOwn)
        throw new ToolError('not_found', 'There is no agent that takes tasks here.');
      if (depth > MAX_DEPTH + 1)
        throw new ToolError('depth_exceeded', `depth: agents call one another at most ${MAX_DEPTH} deep`);
      const { organizationId, id: callerId } = caller;
      await parts.uses.take({ organizationId, kind: 'inbound', subject: callerId }, RATE);
      const at = now();
      const row: RemoteTaskRow = {
        id: typeId('rtask', at),
        organization_id: organizationId,
        agent_id: offered.id,
        caller_id: callerId,
        message,
        skill,
        depth,
        timeout_ms: timeoutMs,
        state: 'submitted',
        reply: null,
        created_at: at,
        updated_at: at,
      };
      await store.transaction(async (tx) => {
        const db = tx.db<OutsideTables>();
        await db.insertInto('agent_remote_tasks').values(row).execute();
        await tasks.enqueueIn(tx, {
          kind: kind.kind,
          input: { id: row.id },
          caller: systemCaller(OWNER.id, OWNER.name, organizationId),
          capabilities: {},
          idempotencyKey: row.id,
          ttlMs: TTL_MS,
        });
      });
      return row;
    },
    get: ({ organizationId, id: callerId }, id) =>
      store
        .db<OutsideTables>()
        .selectFrom('agent_remote_tasks')
        .selectAll()
        .where('id', '=', id)
        .where('organization_id', '=', organizationId)
        .where('caller_id', '=', callerId)
        .executeTakeFirst(),
  };
}
