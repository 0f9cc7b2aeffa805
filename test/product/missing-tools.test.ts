/** Why a tool is missing, as the console and its API tell it: each of the seven reasons, and nothing to those who may not know. */
import { eventually } from '@parley/test-support/eventually';
import type { McpUpstream } from '@parley/test-support/mcp-upstream';
import { plainTool, startUpstream } from '@parley/test-support/mcp-upstream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Browser, ConsoleServer } from './console-browser.ts';
import { startConsole } from './console-browser.ts';

let server: ConsoleServer;
let owner: Browser;
let member: Browser;
let memberId: string;

beforeAll(async () => {
  server = await startConsole(['--allow-egress', '127.0.0.1']);
  const { identity } = server.app.host;
  owner = await server.signedIn();
  const { person, organization } = (await owner.ask('GET /api/session')).body.data;
  const by = (await identity.callerOfMember(organization.id, person.id))!;
  const userId = await identity.ensureUser({ email: 'bo@acme.example', name: 'Bo' });
  await identity.roles.save(by, { name: 'reader', grants: { conn_granted: ['*'], conn_ill: ['*'] } });
  await identity.addMember(by, { userId, roles: ['reader'] });
  member = await server.signedIn('bo@acme.example');
  memberId = (await member.ask('GET /api/session')).body.data.person.id;
});
afterAll(() => server[Symbol.asyncDispose]());

async function serve(id: string, ...names: string[]): Promise<McpUpstream> {
  const upstream = await startUpstream({ era: '2026', tools: names.map(plainTool) });
  await owner.call('self', 'COLLECTION_CONNECTIONS_CREATE', {
    data: { id, title: `Server ${id}`, connection_type: 'HTTP', connection_url: upstream.url },
  });
  return upstream;
}

const made = async (connections: object[], more: object = {}): Promise<string> => {
  const data = { title: 'Mine', connections, ...more };
  return (await owner.call('self', 'COLLECTION_VIRTUAL_MCP_CREATE', { data })).item.id;
};
const why = async (who: Browser, tool: string, endpoint?: string) => {
  const at = endpoint === undefined ? '' : `&endpoint=${encodeURIComponent(endpoint)}`;
  return (await who.ask(`GET /api/tools/missing?tool=${tool}${at}`)).body.data;
};
const reason = async (who: Browser, tool: string, endpoint?: string) =>
  (await why(who, tool, endpoint)).reason;
const refreshed = (id: string) => owner.ask(`POST /api/connections/${id}/refresh`, { body: {} });

test('what is there is not missing, and what nobody has is unknown to those from whom nothing is hidden', async () => {
  await serve('conn_there', 'present');
  expect(await reason(owner, 'present')).toBe('there');
  expect(await reason(owner, 'present', 'conn_there')).toBe('there');
  expect(await reason(owner, 'absent', 'conn_there')).toBe('unknown');
  expect((await owner.ask('GET /api/tools/missing?tool=x&endpoint=conn_nowhere')).status).toBe(404);
  expect((await owner.ask('GET /api/tools/missing?endpoint=self')).status).toBe(400);
});

test('permission: whoever lacks the grant hears the same as of a tool that is not there', async () => {
  await serve('conn_closed', 'closed');
  const hidden = await why(member, 'closed', 'conn_closed');
  expect(hidden).toEqual(await why(member, 'absent', 'conn_closed'));
  expect(hidden.reason).toBe('permission');
  expect(JSON.stringify(hidden)).not.toContain('Server');
  expect(await why(member, 'closed')).toEqual(hidden);
  const explained = (await owner.ask(`GET /api/explain?caller=${memberId}&tool=closed`)).body.data;
  expect(explained).toMatchObject({
    visible: false,
    missing: { reason: 'permission', text: expect.stringContaining('Server conn_closed') },
  });
});

test('selection: a virtual MCP leaves it out, which only those hear who hold the tool', async () => {
  await serve('conn_granted', 'wanted', 'other');
  await serve('conn_secret', 'hidden');
  const id = await made([
    { connection_id: 'conn_granted', selected_tools: ['other'] },
    { connection_id: 'conn_secret', selected_tools: [] },
  ]);
  const at = `virtual-mcp/${id}`;
  for (const who of [owner, member]) expect(await reason(who, 'wanted', at)).toBe('selection');
  expect(await reason(member, 'other', at)).toBe('there');
  expect(await reason(owner, 'hidden', at)).toBe('selection');
  expect(await why(member, 'hidden', at)).toEqual(await why(member, 'absent', at));
});

test('selection and inactive of the management tools in a virtual MCP, and of one that stands in another', async () => {
  const self = `${(await owner.ask('GET /api/session')).body.data.organization.id}_self`;
  const inner = await made([{ connection_id: self, selected_tools: ['TAGS_LIST'] }]);
  const outer = await made([{ connection_id: inner }]);
  const at = `virtual-mcp/${outer}`;
  expect(await reason(owner, 'TAGS_LIST', at)).toBe('there');
  expect(await reason(owner, 'TAGS_CREATE', at)).toBe('selection');
  await owner.call('self', 'COLLECTION_VIRTUAL_MCP_UPDATE', { id: inner, data: { status: 'inactive' } });
  await eventually(async () => expect(await reason(owner, 'TAGS_LIST', at)).toBe('inactive'));
});

test('collision: the other one of two equal names is told', async () => {
  await serve('conn_first', 'same');
  await serve('conn_second', 'same', 'odd.name');
  const at = `virtual-mcp/${await made([{ connection_id: 'conn_first' }, { connection_id: 'conn_second', prefix: 'my_' }])}`;
  expect(await why(owner, 'odd.name', at)).toMatchObject({
    reason: 'collision',
    text: expect.stringContaining('"my_odd_name"'),
  });
});

test('quarantine: a tool that is new waits for approval', async () => {
  const upstream = await serve('conn_held', 'old');
  upstream.script.tools = [plainTool('old'), plainTool('fresh')];
  await refreshed('conn_held');
  await eventually(async () => expect(await reason(owner, 'fresh', 'conn_held')).toBe('quarantine'));
  const at = `virtual-mcp/${await made([{ connection_id: 'conn_held' }])}`;
  expect(await reason(owner, 'fresh', at)).toBe('quarantine');
  expect(await why(member, 'fresh', at)).toEqual(await why(member, 'absent', at));
});

test('health and era: a server that cannot be read, or speaks no revision that is known', async () => {
  const upstream = await serve('conn_ill', 'known');
  upstream.script.fault = (_request, response) => {
    response.writeHead(500).end();
    return true;
  };
  await refreshed('conn_ill');
  for (const who of [owner, member])
    await eventually(async () => expect(await reason(who, 'later', 'conn_ill')).toBe('health'));
  // What was known is served all the same.
  expect(await reason(member, 'known', 'conn_ill')).toBe('there');
  upstream.script.fault = (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Welcome</p>');
    return true;
  };
  await refreshed('conn_ill');
  await eventually(async () => expect(await reason(owner, 'later', 'conn_ill')).toBe('era'));
  const closed = await why(member, 'later', 'conn_closed');
  expect(closed.reason).toBe('permission');
});

test('inactive: what is switched off, as an endpoint and behind one', async () => {
  await serve('conn_off', 'asleep');
  const id = await made([{ connection_id: 'conn_off' }]);
  await owner.call('self', 'COLLECTION_CONNECTIONS_UPDATE', { id: 'conn_off', data: { status: 'inactive' } });
  for (const at of [undefined, 'conn_off', `virtual-mcp/${id}`])
    await eventually(async () => expect([at, await reason(owner, 'asleep', at)]).toEqual([at, 'inactive']));
  expect(await why(member, 'asleep', `virtual-mcp/${id}`)).toEqual(
    await why(member, 'absent', `virtual-mcp/${id}`),
  );
  const explained = await owner.ask(`GET /api/explain?caller=${memberId}&tool=asleep&endpoint=conn_off`);
  expect(explained.body.data).toMatchObject({ visible: false, missing: { reason: 'inactive' } });
});
