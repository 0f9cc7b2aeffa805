/** Owns the mesh over a store of a test: two organizations, upstreams that a test decides, and clients of people. */
import type { UpstreamFailure, UpstreamTarget, UpstreamTool } from '@parley/connections';
import { connectionMigrations, seedSelfConnection } from '@parley/connections';
import { createEvents, eventMigrations } from '@parley/events';

import { createIdentity, identityMigrations } from '@parley/identity';
import type { Caller } from '@parley/kit';
import { ToolError, typeId } from '@parley/kit';
import { createEgress } from '@parley/kit/egress';
import { connect } from '@parley/kit/testing';
import type { Store, StoreEngine } from '@parley/store';
import { openStore } from '@parley/store';
import type { ScratchDatabase } from '@parley/store/testing';
import { scratchDatabase } from '@parley/store/testing';
import { createTaskEngine, taskMigrations } from '@parley/tasks';
import { afterAll, beforeAll, describe } from 'vitest';
import { NO_SANDBOX } from './no-parts.ts';
import { createMeshServices } from '../src/services/index.ts';
import { meshToolset } from '../src/toolset.ts';

const MIGRATIONS = [
  identityMigrations,
  taskMigrations,
  eventMigrations,
  connectionMigrations,
  ...(meshToolset.migrations === undefined ? [] : [meshToolset.migrations]),
];

/** What a test makes of every upstream. */
export interface ScriptedUpstream {
  isStdioAllowed: boolean;
  answer: { readonly ok: true; readonly tools: readonly UpstreamTool[] } | UpstreamFailure;
  /** Whom the mesh asked, and what for. */
  readonly asked: { readonly what: 'test' | 'discover' | 'call'; readonly target: UpstreamTarget }[];
  readonly told: { readonly tool: string; readonly args: Record<string, unknown> }[];
}

/**
 * Runs a suite once per engine on one store, which is much faster than one for each test: every test sets its stage
 * with organizations of its own.
 */
export function onSharedStores(name: string, suite: (stage: () => Promise<Stage>) => void): void {
  describe.each<StoreEngine>(['sqlite', 'postgres'])(`${name} on %s`, (engine) => {
    let database: ScratchDatabase;
    let store: Store;
    beforeAll(async () => {
      database = await scratchDatabase(engine, MIGRATIONS);
      store = await openStore(database.options);
      await store.migrate(MIGRATIONS);
    });
    afterAll(async () => {
      await store.close();
      await database.remove();
    });
    suite(() => setStage(store));
  });
}

/** A tool without much to it. */
export function upstreamTool(name: string, more: Partial<UpstreamTool> = {}): UpstreamTool {
  return { name, description: `Does ${name}.`, inputSchema: { type: 'object' }, ...more };
}

async function setStage(store: Store) {
  const [own, foreign] = [typeId('org'), typeId('org')];
  for (const id of [own, foreign]) {
    await store.transaction(async (tx) => {
      const organization = { id, slug: id.replaceAll('_', '-'), name: id, created_at: 1 };
      await tx
        .db<{ organizations: typeof organization }>()
        .insertInto('organizations')
        .values(organization)
        .execute();
      await seedSelfConnection(tx, id);
    });
  }
  const upstream: ScriptedUpstream = {
    isStdioAllowed: false,
    answer: { ok: true, tools: [upstreamTool('ALPHA'), upstreamTool('BETA')] },
    asked: [],
    told: [],
  };
  const onFault = (error: unknown): never => {
    throw error;
  };
  const tasks = createTaskEngine({ store, onFault });
  const egress = createEgress();
  const services = createMeshServices({
    store,
    identity: createIdentity(store),
    events: createEvents({ store, tasks, egress, onFault }),
    upstream: {
      get isStdioAllowed() {
        return upstream.isStdioAllowed;
      },
      async test(target) {
        upstream.asked.push({ what: 'test', target });
        return upstream.answer.ok ? { ok: true } : upstream.answer;
      },
      async discover(target) {
        upstream.asked.push({ what: 'discover', target });
        return upstream.answer;
      },
      async call(target, tool, args) {
        upstream.asked.push({ what: 'call', target });
        upstream.told.push({ tool, args });
        return upstream.answer.ok ? { ok: true, outcome: 'answered', data: {} } : upstream.answer;
      },
    },
    sandbox: {
      ...NO_SANDBOX,
      async checkCode(code) {
        if (code.includes('syntax error'))
          throw new ToolError('invalid', 'line 2, column 5: Unexpected token', { line: 2, column: 5 });
      },
    },
  });
  const as = (changes: Partial<Caller> = {}) =>
    connect(meshToolset, { services, as: { organizationId: own, userId: 'usr_ann', ...changes } });
  return { store, services, upstream, as, own, foreign };
}

export type Stage = Awaited<ReturnType<typeof setStage>>;
export type Client = Awaited<ReturnType<Stage['as']>>;

/** Makes a connection and returns it; the data is what a test wants to try. */
export async function made(client: Client, data: object) {
  // The server checks it, which is the point.
  const input = { data } as Parameters<typeof client.call<'COLLECTION_CONNECTIONS_CREATE'>>[1];
  return (await client.call('COLLECTION_CONNECTIONS_CREATE', input)).item;
}

/** Everything that a store holds in tables of the mesh, to compare before and after. */
export async function contentsOf(store: Store): Promise<string> {
  const tables = [
    'connections',
    'connection_catalogs',
    'tool_pins',
    'connection_aggregations',
    'exposed_names',
    'virtual_tools',
    'downstream_tokens',
    'events',
  ];
  const rows = await Promise.all(
    tables.map((table) => store.db<Record<string, object>>().selectFrom(table).selectAll().execute()),
  );
  return JSON.stringify(rows.map((table) => table.map((row) => JSON.stringify(row)).toSorted()));
}

/** The events of an organization, without what differs from run to run. */
export async function eventsOf(store: Store, organizationId: string) {
  const rows = await store
    .db<{ events: { type: string; source: string; data: string; organization_id: string; seq: number } }>()
    .selectFrom('events')
    .select(['type', 'source', 'data'])
    .where('organization_id', '=', organizationId)
    .orderBy('seq')
    .execute();
  return rows.map(({ type, source, data }) => ({ type, source, data: JSON.parse(data) as unknown }));
}
