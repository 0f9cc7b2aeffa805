/** A process that begins a run of a workflow in a data folder, says so, and waits to be killed in the middle of it. */
import { setTimeout as pause } from 'node:timers/promises';
import { createIdentity, identityMigrations } from '@parley/identity';
import { foundOrganization } from '@parley/identity/testing';
import { createEvents, eventMigrations } from '@parley/events';
import { createEgress } from '@parley/kit/egress';
import { openStore } from '@parley/store';
import { createTaskEngine, taskMigrations } from '@parley/tasks';
import { sql } from 'kysely';
import { agentMigrations } from '../src/migrations/index.ts';
import { createAgentServices } from '../src/services/index.ts';
import { actingOf } from '../src/session.ts';
import { bareHost } from './bare-host.ts';

const [dataDir = '', graph = ''] = process.argv.slice(2);
const store = await openStore({ dataDir });
await store.migrate([identityMigrations, taskMigrations, eventMigrations, agentMigrations]);
const onFault = (error: unknown) => {
  throw error;
};
const identity = createIdentity(store, {});
const tasks = createTaskEngine({ store, onFault });
const egress = createEgress({});
const events = createEvents({ store, tasks, egress, onFault });
const host = bareHost({ store, identity, tasks, events, egress, onFault });
const never = new Promise<never>(() => undefined);

async function hasBegun(): Promise<boolean> {
  const found = await sql`select 1 from task_steps where step_key like '% d#1 begin'`.execute(store.db());
  return found.rows.length > 0;
}

const { agents, callers, workflows } = createAgentServices(host, {
  actions: {
    runner: {
      run: async () => {
        // The delay beside this node has begun when its step is written.
        while (!(await hasBegun())) await pause(10);
        process.stdout.write(`${JSON.stringify(told)}\n`);
        return never;
      },
    },
  },
});
const { id: organizationId, owner } = await foundOrganization(identity, 'acme');
const { agent } = await agents.create(owner.caller, { name: 'Ada' });
const how = { organizationId, agentId: agent.id, source: 'key', sessionSource: 'api' } as const;
const caller = await callers.acting({ ...how, depth: 1, unattended: false });
if (caller === undefined) throw new Error('The agent is not there.');
const acting = actingOf(caller);
const { id } = await workflows.create(acting, { name: 'Flow', graph: JSON.parse(graph) });
await workflows.setStatus(acting, id, 'active');
const run = await workflows.trigger(acting, id, {});
const told = { organizationId, agentId: agent.id, runId: run.id };
tasks.start();
