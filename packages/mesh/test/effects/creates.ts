/** Every `create` and `run` tool: what it made can be seen, and what the second call does. */
import type { MeshBed } from '../mesh-bed.ts';
import type { Input } from './things.ts';
import * as things from './things.ts';

export interface CreateRow {
  readonly tool: string;
  input(bed: MeshBed): Input | Promise<Input>;
  /** How the new thing is told from others in an output. */
  // oxlint-disable-next-line typescript/no-explicit-any -- outputs of every shape
  id(output: any): string;
  /** A call whose answer shows the new thing. */
  seen(bed: MeshBed, id: string, input: Input): readonly [tool: string, input: Input];
  /** Of the same call again: a second thing, the same thing, or an error. */
  readonly again: 'another' | 'the same' | 'conflict';
}

export const CREATES: readonly CreateRow[] = [
  {
    tool: 'COLLECTION_CONNECTIONS_CREATE',
    input: () => ({ data: things.web() }),
    id: ({ item }) => item.id,
    seen: (_bed, id) => ['COLLECTION_CONNECTIONS_GET', { id }],
    again: 'another',
  },
  {
    tool: 'COLLECTION_VIRTUAL_MCP_CREATE',
    input: () => ({ data: { title: things.mark(), connections: [] } }),
    id: ({ item }) => item.id,
    seen: (_bed, id) => ['COLLECTION_VIRTUAL_MCP_GET', { id }],
    again: 'another',
  },
  {
    tool: 'COLLECTION_VIRTUAL_TOOLS_CREATE',
    input: async (bed) => ({ virtual_mcp_id: await things.newVirtualMcp(bed), data: things.code() }),
    id: ({ item }) => item.id,
    seen: (_bed, _id, { virtual_mcp_id }) => ['COLLECTION_VIRTUAL_TOOLS_LIST', { virtual_mcp_id }],
    again: 'conflict',
  },
  {
    tool: 'COLLECTION_THREADS_CREATE',
    input: () => ({ data: { title: things.mark() } }),
    id: ({ item }) => item.id,
    seen: (_bed, id) => ['COLLECTION_THREADS_GET', { id }],
    again: 'another',
  },
  {
    tool: 'ORGANIZATION_CREATE',
    input: () => ({ slug: things.mark(), name: 'New' }),
    id: ({ id }) => id,
    seen: () => ['ORGANIZATION_LIST', {}],
    again: 'conflict',
  },
  {
    tool: 'PROJECT_CREATE',
    input: ({ acme }) => ({ organizationId: acme.id, slug: things.mark(), name: 'New' }),
    id: ({ project }) => project.id,
    seen: ({ acme }, projectId) => ['PROJECT_GET', { organizationId: acme.id, projectId }],
    again: 'conflict',
  },
  {
    tool: 'API_KEY_CREATE',
    input: () => ({ name: things.mark() }),
    id: ({ id }) => id,
    seen: () => ['API_KEY_LIST', {}],
    again: 'another',
  },
  {
    tool: 'MONITORING_DASHBOARD_CREATE',
    input: () => ({ name: things.mark(), widgets: [things.widget()] }),
    id: ({ dashboard }) => dashboard.id,
    seen: (_bed, id) => ['MONITORING_DASHBOARD_GET', { id }],
    again: 'another',
  },
  {
    tool: 'TAGS_CREATE',
    input: () => ({ name: things.mark() }),
    id: ({ tag }) => tag.id,
    seen: () => ['TAGS_LIST', {}],
    again: 'the same',
  },
  {
    tool: 'EVENT_PUBLISH',
    // The subscription makes a delivery of it, which can be acknowledged.
    input: async (bed) => {
      const type = things.mark();
      await things.newSubscription(bed, type);
      return { type, data: { total: 1 } };
    },
    id: ({ id }) => id,
    seen: (_bed, eventId) => ['EVENT_ACK', { eventId }],
    again: 'another',
  },
];

export interface RunRow {
  readonly tool: string;
  readonly input: Input;
  /** What was done so far, as a text; it must differ after every call. */
  seen(bed: MeshBed): Promise<string>;
}

const COUNT = 'select count(*) as n from effects';

export const RUNS: readonly RunRow[] = [
  {
    tool: 'DATABASES_RUN_SQL',
    input: { sql: 'insert into effects values ($1)', params: ['row'] },
    async seen(bed) {
      const run = (sql: string) => bed.call(bed.acme.owner.caller, 'DATABASES_RUN_SQL', { sql });
      await run('create table if not exists effects (text text)');
      return JSON.stringify(await run(COUNT));
    },
  },
  {
    tool: 'CODE_EXECUTION_RUN_CODE',
    input: { code: 'export default () => 1' },
    seen: async ({ ran }) => JSON.stringify(ran),
  },
];
