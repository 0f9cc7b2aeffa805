/** Virtual MCPs beyond a single request: sessions and notices, keys that are bound to one, this server as a member, replicas. */
import type { Caller } from '@parley/kit';
import { defineTool, defineToolset, install } from '@parley/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { openStream } from '../../test/event-stream.ts';
import { openSession } from '../../test/session.ts';
import type { VirtualBed } from '../../test/virtual-bed.ts';
import { startVirtualBed } from '../../test/virtual-bed.ts';
import { createCodeExecution } from '../sandbox/code-execution.ts';
import { engineUniverse } from '../sandbox/tool-universe.ts';

const manage = defineTool({
  name: 'MANAGE',
  title: 'Manage',
  description: 'Manages.',
  effect: 'read',
  input: z.object({ what: z.string() }),
  output: z.object({ managed: z.string() }),
  run: ({ what }) => ({ managed: what }),
});
const self = install(defineToolset({ name: 'self', title: 'Management', tools: [manage] }));

let bed: VirtualBed;
beforeAll(async () => {
  bed = await startVirtualBed({ self });
});
afterAll(() => bed[Symbol.asyncDispose]());

const member = (connection_id: string, more: object = {}) => ({ connection_id, ...more });

test('a session of 2025 hears of changes, and of documents by the URIs that it sees', async () => {
  const resources = ['docs://a', 'docs://b'];
  await bed.serve(
    { id: 'conn_s1', title: 'One', tools: ['t'], resources },
    { id: 'conn_s2', title: 'Two', resources },
  );
  const { id } = await bed.made({
    connections: [member('conn_s1'), member('conn_s2', { selected_resources: ['docs://a'] })],
  });
  const to = { port: bed.gateway.port, key: bed.gateway.ownerKey, path: `/mcp/virtual-mcp/${id}` };
  const session = await openSession(to);
  const listed = await session.request('tools/list');
  expect(listed.json.result.tools.map(({ name }: { name: string }) => name)).toEqual(['t']);
  const stream = await openStream({ ...to, method: 'GET', headers: session.headers });
  const alias = 'parley://two/docs%3A%2F%2Fa';
  const subscribed = async (uri: string) => (await session.request('resources/subscribe', { uri })).json;
  expect(await subscribed(alias)).toMatchObject({ result: {} });
  expect(await subscribed('parley://two/docs%3A%2F%2Fb')).toMatchObject({ error: { code: -32002 } });
  const { organizationId } = bed.owner;
  bed.members.tell({ kind: 'resource', uri: 'docs://b', organizationId });
  bed.members.tell({ kind: 'resource', uri: 'docs://a', organizationId });
  expect(await stream.next()).toMatchObject({
    method: 'notifications/resources/updated',
    params: { uri: alias },
  });
  await bed.virtualTools.create(bed.owner, id, {
    name: 'made',
    inputSchema: { type: 'object' },
    code: 'export default () => "made"',
  });
  // Of the two other lists nothing has changed, so nothing is told.
  expect(await stream.next()).toMatchObject({ method: 'notifications/tools/list_changed' });
  const called = await session.request('tools/call', { name: 'made', arguments: {} });
  expect(called.json.result.content[0].text).toBe('made');
  await stream.close();
  await session.end();
});

test('this server is a member under its own grants, with what can be overridden of it', async () => {
  const id = `${bed.owner.organizationId}_self`;
  await bed.serve({ id, title: 'Parley' });
  const overrides = { MANAGE: { title: 'Look after', stricter: 'readOnlyHint' } } as const;
  const made = await bed.made({ connections: [member(id, { prefix: 'my_', overrides })] });
  const { json } = await bed.send({ id: made.id }, 'tools/list');
  expect(json.result.tools).toMatchObject([
    {
      name: 'my_MANAGE',
      title: 'Look after',
      annotations: { readOnlyHint: false },
      _meta: { 'parley/connection': { id, title: 'Management', name: 'MANAGE' } },
    },
  ]);
  const called = await bed.call({ id: made.id }, 'my_MANAGE', { what: 'it' });
  expect(called.json.result.structuredContent).toEqual({ managed: 'it' });
  const [record] = (await bed.gateway.records()).slice(-1);
  expect(record).toMatchObject({ toolset: 'self', tool: 'MANAGE', virtualMcpId: made.id });
  const key = (await bed.gateway.key({ self: ['OTHER'] })).text;
  expect(await bed.names({ id: made.id, key })).toEqual([]);
});

test('code of a key that is bound to a virtual MCP reaches that one, and nothing when it is off', async () => {
  await bed.serve({ id: 'conn_b1', tools: ['bound', 'left_out'] }, { id: 'conn_b2', tools: ['elsewhere'] });
  const { id } = await bed.made({ connections: [member('conn_b1', { selected_tools: ['bound'] })] });
  const universe = engineUniverse(
    async (caller) => (await bed.virtual.boundTo(caller)) ?? bed.gateway.engine,
    () => undefined,
  );
  const code = createCodeExecution(bed.sandbox, universe);
  const found = async (connectionId?: string) => {
    const caller: Caller = { ...bed.owner, ...(connectionId && { connectionId }) };
    const { found: tools } = await code.search(caller, '', 100);
    return tools.map(({ name }) => name);
  };
  expect(await found(id)).toEqual(['bound']);
  expect(await found()).toEqual(expect.arrayContaining(['bound', 'elsewhere', 'left_out']));
  expect(await found('conn_b1')).toEqual(await found());
  await bed.virtualMcps.update(bed.owner, id, { status: 'inactive' });
  expect(await found(id)).toEqual([]);
  expect(await found('vir_gone')).toEqual([]);
});

describe('two processes on one database', () => {
  test('agree on names, and see what the other changes', async () => {
    await bed.serve(
      { id: 'conn_t1', title: 'A', tools: ['same'] },
      { id: 'conn_t2', title: 'B', tools: ['same'] },
    );
    const { id } = await bed.made({ connections: [member('conn_t1'), member('conn_t2')] });
    const { createVirtualMcpEngines, createKeptResults } = await import('../index.ts');
    const { store, engine, changes } = bed.gateway;
    const parts = {
      store,
      engine: () => engine,
      changes,
      observe: () => undefined,
      onFault: () => undefined,
    };
    const other = createVirtualMcpEngines({
      ...parts,
      members: () => [bed.members],
      sandbox: bed.sandbox,
      results: createKeptResults(parts),
      checks: bed.checks,
    });
    const [here, there] = await Promise.all(
      [bed.virtual, other].map(async (each) => {
        const found = await each.find(bed.owner, id, 'passthrough');
        return found?.engine.list(bed.owner).tools.map(({ name, toolset }) => `${name} ${toolset}`);
      }),
    );
    expect(here).toEqual(['b_same conn_t2', 'same conn_t1']);
    expect(there).toEqual(here);
    await bed.virtualMcps.update(bed.owner, id, { connections: [member('conn_t2')] });
    const found = await other.find(bed.owner, id, 'passthrough');
    expect(found?.engine.list(bed.owner).tools.map(({ name }) => name)).toEqual(['b_same']);
    other.close();
  });
});
