/** Very many connections as a bench process: lists with a filter are timed in here. */
import { parseArgs } from 'node:util';
import { connectionMigrations, createConnections } from '@parley/connections';
import type { ConnectionTables } from '@parley/connections';
import { createEvents, eventMigrations } from '@parley/events';
import { createIdentity, identityMigrations } from '@parley/identity';
import type { Where } from '@parley/kit';
import { createEgress } from '@parley/kit/egress';
import { openStore, toQueryJson } from '@parley/store';
import { createTaskEngine, taskMigrations } from '@parley/tasks';
import { sql } from 'kysely';
import { announce, fail } from './serving.ts';

const { values } = parseArgs({
  options: { data: { type: 'string', default: '' }, 'database-url': { type: 'string' } },
});
const databaseUrl = values['database-url'];
const store = await openStore({ dataDir: values.data, ...(databaseUrl !== undefined && { databaseUrl }) });
await store.migrate([identityMigrations, taskMigrations, eventMigrations, connectionMigrations]);
const identity = createIdentity(store);
let key = '';
await identity.bootstrap(async (text) => {
  key = text;
});
const caller = await identity.authenticate(key, 'key');
if (caller === undefined) throw new Error('The owner key of the bench does not work.');
const { organizationId } = caller;
const notHere = (): never => {
  throw new Error('A list talks to nobody.');
};
const tasks = createTaskEngine({ store });
const connections = createConnections({
  store,
  events: createEvents({ store, tasks, egress: createEgress(), onFault: fail }),
  audit: identity.audit,
  upstream: { isStdioAllowed: false, test: notHere, discover: notHere, call: notHere },
  checkCode: notHere,
  ownServer: notHere,
  isToolset: notHere,
  now: Date.now,
});

const APPS = 1000;
const TEAMS = 200;
const CHUNK = 500;
const MINUTE_MS = 60_000;
const START_MS = Date.UTC(2026, 0, 1);
const AUTHORS = 50;
let filled = 0;

const titleOf = (index: number) => `Connection ${index} of ${appOf(index)}`;
const appOf = (index: number) => `app-${(index * 7919) % APPS}`;

function rowOf(index: number): ConnectionTables['connections'] {
  const at = START_MS + index * MINUTE_MS;
  return {
    id: `conn_${index.toString().padStart(8, '0')}`,
    organization_id: organizationId,
    title: titleOf(index),
    description: `The ${index}th connection, with a description of a usual length for what people write here.`,
    icon: null,
    app_name: appOf(index),
    app_id: null,
    connection_type: index % 10 === 0 ? 'SSE' : 'HTTP',
    connection_url: `https://upstream-${index}.example.com/mcp`,
    connection_headers: toQueryJson({ headers: { 'X-Team': '[secret]' } }),
    oauth_config: null,
    has_connection_token: 0,
    configuration_scopes: null,
    metadata: toQueryJson({ team: `team-${index % TEAMS}`, instructions: 'Use it with care.' }),
    bindings: null,
    status: index % 100 === 0 ? 'error' : 'active',
    catalog: toQueryJson({ fetched_at: null, stale: false, last_error: null }),
    is_virtual_mcp: 0,
    virtual_id: null,
    secrets: null,
    revision: 0,
    egress_allow: null,
    created_at: at,
    updated_at: at,
    created_by: `usr_${index % AUTHORS}`,
    updated_by: null,
  };
}

async function fill(count: number): Promise<object> {
  const startedMs = performance.now();
  for (let from = 0; from < count; from += CHUNK) {
    const length = Math.min(CHUNK, count - from);
    const rows = Array.from({ length }, (_, index) => rowOf(from + index));
    await store.db<ConnectionTables>().insertInto('connections').values(rows).execute();
  }
  filled = count;
  // what PostgreSQL does by itself after a while; the measurement must not depend on when
  if (store.engine === 'postgres') await sql.raw('vacuum analyze').execute(store.db());
  return { seconds: Math.round((performance.now() - startedMs) / 1000) };
}

/** What people ask for, each kind with the number of rows that fit. */
const FILTERS: Readonly<Record<string, (index: number) => { where: Where; fits: number }>> = {
  title: (index) => ({ where: { field: ['title'], operator: 'eq', value: titleOf(index) }, fits: 1 }),
  app: (index) => ({
    where: { field: ['app_name'], operator: 'eq', value: appOf(index) },
    fits: filled / APPS,
  }),
  status: () => ({ where: { field: ['status'], operator: 'eq', value: 'error' }, fits: filled / 100 }),
  newer: () => ({
    where: {
      field: ['created_at'],
      operator: 'gte',
      value: new Date(START_MS + filled * 0.99 * MINUTE_MS).toISOString(),
    },
    fits: filled / 100,
  }),
  contains: (index) => ({
    where: { field: ['title'], operator: 'contains', value: `CONNECTION ${index} of` },
    fits: 1,
  }),
  like: (index) => ({
    where: { field: ['title'], operator: 'like', value: `_onn%N ${index} OF app-%` },
    fits: 1,
  }),
  metadata: (index) => ({
    where: { field: ['metadata', 'team'], operator: 'eq', value: `team-${index % TEAMS}` },
    fits: filled / TEAMS,
  }),
};

/** Lists with one kind of filter, one after another; each must count what fits. */
async function list(kind: string, count: number): Promise<object> {
  const filter = FILTERS[kind];
  if (filter === undefined) throw new Error(`There is no filter "${kind}".`);
  const timesMs: number[] = [];
  for (let made = 0; made < count; made += 1) {
    const { where, fits } = filter((made * 104_729) % filled);
    const startedMs = performance.now();
    const { items, totalCount } = await connections.list(caller!, { where, limit: 100, offset: 0 });
    timesMs.push(performance.now() - startedMs);
    if (totalCount !== fits || items.length !== Math.min(fits, 100))
      throw new Error(`The list by ${kind} counts ${totalCount} connections instead of ${fits}.`);
  }
  return { timesMs };
}

announce(
  { url: '', key: '' },
  {
    async close() {
      identity.close();
      await store.close();
    },
    commands: {
      kinds: () => ({ kinds: Object.keys(FILTERS) }),
      fill: (count) => fill(Number(count)),
      list: (argument) => {
        const [kind = '', count] = argument.split(':');
        return list(kind, Number(count));
      },
    },
  },
);
