/** Secrets that the management tools are given never come back out: each is planted once and looked for everywhere. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { saveToken } from '@parley/connections';
import type { StoreEngine } from '@parley/store';
import { eventually } from '@parley/test-support/eventually';
import type { McpUpstream } from '@parley/test-support/mcp-upstream';
import { plainTool, startUpstream } from '@parley/test-support/mcp-upstream';
import { beforeAll, expect, test } from 'vitest';
import { ensureBuilt } from './build.ts';
import type { Aviary } from './canaries.ts';
import { startAviary } from './canaries.ts';

beforeAll(ensureBuilt);

test.each<StoreEngine>(['sqlite', 'postgres'])(
  'check 11: a secret that is planted in every place of the management tools appears nowhere (%s)',
  async (engine) => {
    const aviary = await startAviary(engine);
    await using upstream = await startUpstream({ era: '2026', tools: [] });
    const { id, organizationId, data } = await plantConnection(aviary, upstream);
    await plantProgram(aviary);
    await plantRefused(aviary, data);
    await plantTokens(aviary, { id, organizationId });
    await plantSettings(aviary, organizationId);
    await plantKeys(aviary);
    await plantSql(aviary);
    await plantCode(aviary);
    await plantArguments(aviary);
    // Every command is a process, which takes its time.
    if (engine === 'sqlite') await plantByCommands(aviary, { url: upstream.url, data });
    await readAll(aviary, { id, organizationId });
    await readTables(aviary);
    await aviary.stop();
    await readCommands(aviary, engine);
    expect(aviary.leaks()).toEqual([]);
  },
);

type Place = Readonly<Record<'id' | 'organizationId', string>>;

/** A server that says back all that it was told: in its tools, in its refusals and in what it answers to events. */
async function plantConnection({ plant, call, read }: Aviary, upstream: McpUpstream) {
  const echo = (...said: string[]) => {
    upstream.script.tools = [
      { ...plainTool('ECHO'), description: `You sent ${said.join(' ')}`, _meta: { [said[0] ?? '']: said } },
      plainTool('ON_MCP_CONFIGURATION'),
      plainTool('ON_EVENTS'),
    ];
    upstream.script.answer = (name) =>
      name === 'ON_EVENTS'
        ? { content: [], structuredContent: { success: false, error: `Bad secret ${said.join(' ')}` } }
        : { isError: true, content: [{ type: 'text', text: said.join(' ') }] };
  };
  const [token, header, session] = [plant('Token'), plant('Header'), plant('Session')];
  const [query, state] = [plant('Query'), plant('State')];
  echo(token, header, session, query, state);
  const data = {
    title: 'Upstream',
    connection_type: 'HTTP',
    connection_url: `${upstream.url}?key=${query}&sig=${plant('Signature')}`,
    connection_token: token,
    connection_headers: { headers: { 'X-Custom': header, Cookie: `session=${session}` } },
    oauth_config: {
      authorizationEndpoint: `https://a.example/authorize?client_secret=${plant('Authorize')}`,
      tokenEndpoint: `https://a.example/token?key=${plant('Endpoint')}`,
      clientId: 'me',
      clientSecret: plant('Client'),
      scopes: [],
      grantType: 'authorization_code',
    },
    configuration_state: { db: { password: state, key: plant('Key') }, list: [{ auth: plant('Auth') }] },
  };
  const { item } = await call('COLLECTION_CONNECTIONS_CREATE', { data });
  const { id, organization_id: organizationId } = item;
  expect(item).toMatchObject({
    status: 'active',
    tools: [{ description: `You sent${' [secret]'.repeat(5)}` }, {}, {}],
    oauth_config: { tokenEndpoint: 'https://a.example/token?key=[secret]' },
  });
  expect(upstream.seen.at(-1)?.headers).toMatchObject({ 'x-custom': header });

  const [newToken, newState] = [plant('NewToken'), plant('NewState')];
  echo(newToken, newState);
  const configuration = { configuration_state: { db: { password: newState } }, configuration_scopes: [] };
  await call('COLLECTION_CONNECTIONS_UPDATE', { id, data: { ...configuration, connection_token: newToken } });
  const told = { state: configuration.configuration_state, scopes: [] };
  expect(upstream.calls).toEqual([{ name: 'ON_MCP_CONFIGURATION', arguments: told }]);

  // Known by heart: nothing but the value itself says that it is a secret.
  const noted = { title: 7, description: `We use ${newToken} with ${header}` };
  expect(await call('COLLECTION_CONNECTIONS_UPDATE', { id, data: noted })).toMatchObject({ isError: true });

  await call('EVENT_SUBSCRIBE', { eventType: 'order.paid', connectionId: id });
  await call('EVENT_PUBLISH', { type: 'order.paid' });
  await eventually(async () =>
    expect(await read(`/api/organizations/${organizationId}/deliveries`)).toContain('Bad secret [secret]'),
  );

  upstream.script.fault = ({ url, headers }, response) => {
    response.writeHead(500, { 'x-echo': newToken }).end(`${url} ${JSON.stringify(headers)}`);
    return true;
  };
  expect((await call('CONNECTION_TEST', { id })).content).toMatchObject({ healthy: false });
  const moved = { connection_url: `${upstream.url}?token=${plant('Moved')}` };
  await call('COLLECTION_CONNECTIONS_UPDATE', { id, data: moved });
  return { id, organizationId, data };
}

/** A program that writes its environment to wherever it can. */
async function plantProgram({ plant, call }: Aviary) {
  const code = 'console.error(process.env.TOKEN); console.log(process.env.TOKEN); process.exit(1)';
  const program = { command: process.execPath, args: ['-e', code], envVars: { TOKEN: plant('Variable') } };
  const data = { title: 'Program', connection_type: 'STDIO', connection_headers: program };
  const { item } = await call('COLLECTION_CONNECTIONS_CREATE', { data });
  expect(item).toMatchObject({ status: 'error', connection_headers: { envVars: { TOKEN: '[secret]' } } });
}

/** What is refused is told by its place alone. */
async function plantRefused({ plant, call }: Aviary, data: { readonly oauth_config: object }) {
  const headers = (value: unknown) => ({ connection_headers: { headers: { A: value } } });
  const oauth = (changes: object) => ({ oauth_config: { ...data.oauth_config, ...changes } });
  const long = 'x'.repeat(9_000);
  const refused: object[] = [
    { connection_token: { deep: plant('TokenType') } },
    { connection_token: plant('TokenLong') + long },
    headers([plant('HeaderType')]),
    headers(plant('HeaderLong') + long),
    headers(`${plant('HeaderLine')}\r\nB: c`),
    { connection_headers: { other: plant('Other') } },
    { connection_headers: { command: 'x', envVars: { 'no name': plant('NoName') } } },
    { connection_url: `https://me:${plant('UserInfo')}@a.example/mcp` },
    { connection_url: `ftp://a.example/?token=${plant('Scheme')}` },
    oauth({ tokenEndpoint: `https://me:${plant('OAuthUser')}@a.example` }),
    oauth({ clientSecret: [plant('ClientType')] }),
    { configuration_state: { pin: plant('Pin') }, configuration_scopes: ['pin.value::x', 'none::y'] },
  ];
  for (const part of refused) {
    const { isError } = await call('COLLECTION_CONNECTIONS_CREATE', { data: { ...data, ...part } });
    expect([part, isError]).toEqual([part, true]);
  }
  const where = { field: ['connection_token'], operator: 'eq', value: plant('Where') };
  expect(await call('COLLECTION_CONNECTIONS_LIST', { where })).toMatchObject({ isError: true });
}

/** Tokens that servers gave; no tool takes them yet. */
async function plantTokens({ plant, call, openStore }: Aviary, { id, organizationId }: Place) {
  const store = await openStore();
  const owner = { organizationId, connectionId: id, userId: null };
  const token = { access: plant('Access'), refresh: plant('Refresh'), clientSecret: plant('Registered') };
  await saveToken({ store, now: Date.now }, owner, token);
  await store.close();
  expect((await call('CONNECTION_TEST', { id })).content).toMatchObject({ healthy: false });
}

async function plantSettings({ plant, call }: Aviary, organizationId: string) {
  const { content } = await call('PROJECT_CREATE', { organizationId, slug: 'p', name: 'P' });
  const { id: projectId } = content['project'] as { id: string };
  const config = { projectId, pluginId: 'mail' };
  const settings = {
    smtp: { password: plant('Plugin'), key: plant('PluginKey') },
    list: [{ accessToken: plant('PluginList') }],
  };
  const { isError } = await call('PROJECT_PLUGIN_CONFIG_UPDATE', { ...config, settings });
  expect(isError).toBe(false);
  const huge = { apiKey: plant('PluginHuge'), filler: 'x'.repeat(70_000) };
  expect(await call('PROJECT_PLUGIN_CONFIG_UPDATE', { ...config, settings: huge })).toMatchObject({
    isError: true,
  });
  const { text } = await call('PROJECT_PLUGIN_CONFIG_GET', config);
  expect(text.split('[secret]').length).toBeGreaterThan(3);
}

async function plantKeys({ keep, ask, call }: Aviary) {
  const { content } = await ask('API_KEY_CREATE', { name: 'New' });
  const key = String(content['key']);
  keep(key.slice(-43));
  // People paste the whole key where its id is asked for.
  for (const name of ['API_KEY_UPDATE', 'API_KEY_DELETE'])
    await (name === 'API_KEY_UPDATE' ? call : ask)(name, { keyId: key });
}

/** What callers keep in a database is theirs; what is bound to their statements is not kept elsewhere. */
async function plantSql({ plant, call, ask }: Aviary) {
  const sql = (text: string, ...params: string[]) => call('DATABASES_RUN_SQL', { sql: text, params });
  await sql('create table people (name text, password text unique)');
  const twice = plant('SqlTwice');
  for (const isError of [false, true])
    expect(await sql('insert into people values ($1, $2)', 'ann', twice)).toMatchObject({ isError });
  await sql(`update people set password = '${plant('SqlText')}'`);
  expect(await ask('DATABASES_RUN_SQL', { sql: 'select password from people' })).toMatchObject({
    isError: false,
  });
}

async function plantCode({ plant, ask }: Aviary) {
  const code = `export default async (tools) => {
    const password = '${plant('Code')}';
    console.log('password: ' + password);
    await tools.CONNECTION_TEST({ id: 'conn_1', password }).catch(() => undefined);
    await tools.NOWHERE({ apiKey: '${plant('Nested')}' }).catch(() => undefined);
    return { token: password };
  }`;
  expect((await ask('CODE_EXECUTION_RUN_CODE', { code })).content).toHaveProperty('returnValue.token');
  const broken = `const token = "${plant('BadCode')}"; export default (`;
  await ask('CODE_EXECUTION_RUN_CODE', { code: broken });
}

/** Names that say it all, wherever a client writes them. */
async function plantArguments({ plant, call, read }: Aviary) {
  const properties = JSON.stringify({ team: 'a', api_key: plant('Property') });
  const labelled = { 'x-parley-properties': properties };
  await call('TAGS_LIST', { password: plant('Extra'), Authorization: plant('ExtraHeader') }, labelled);
  await call('TAGS_DELETE', { tagId: 7, access_tokens: [plant('Tokens')] });
  await call('NOWHERE', { password: plant('Unknown') });
  await read('/api/events', {
    method: 'POST',
    body: JSON.stringify({ type: 7, password: plant('Rest') }),
  });
  await read(`/api/organizations/${plant('RestPath')}/events?token=${plant('RestQuery')}`);
}

async function plantByCommands(
  { plant, keep, show, parley, url: server }: Aviary,
  { url, data }: { readonly url: string; readonly data: object },
) {
  const { stdout: hook } = await parley('webhooks', 'add', url, '--events', '*', '--json');
  keep((JSON.parse(hook) as { secret: string }).secret);
  const { stdout: invited } = await parley('members', 'invite', 'b@example.com', '--json');
  const [token = ''] = /parley_invite_[\w-]+/.exec(invited) ?? [];
  keep(token.slice(-43));
  // Their page holds it, being theirs; a page for a wrong one holds nothing.
  expect((await fetch(`${server}/join/${token}`)).status).toBe(200);
  show('a wrong link', await (await fetch(`${server}/join/${token}x`)).text());
  const bad = JSON.stringify({ data: { ...data, connection_token: [plant('Command')] } });
  const { code, stdout } = await parley('call', 'COLLECTION_CONNECTIONS_CREATE', bad);
  expect(code).not.toBe(0);
  show('parley call', stdout);
}

/** Every tool that looks, every route that shows, and what a watcher hears. */
async function readAll({ call, read, show, url, key }: Aviary, { id, organizationId }: Place) {
  const looks: [name: string, input?: object][] = [
    ['COLLECTION_CONNECTIONS_LIST', { include_virtual: true }],
    ['COLLECTION_CONNECTIONS_GET', { id }],
    ['COLLECTION_VIRTUAL_MCP_LIST'],
    ['PROJECT_LIST', { organizationId }],
    ['ORGANIZATION_LIST'],
    ['ORGANIZATION_GET'],
    ['ORGANIZATION_SETTINGS_GET'],
    ['ORGANIZATION_MEMBER_LIST'],
    ['API_KEY_LIST'],
    ['EVENT_SUBSCRIPTION_LIST'],
    ['MONITORING_DASHBOARD_LIST'],
    ['MONITORING_STATS'],
    ['COLLECTION_CONNECTIONS_DELETE', { id, force: true }],
  ];
  for (const [name, input] of looks) expect([name, (await call(name, input)).isError]).toEqual([name, false]);
  await read('/metrics');
  expect(await read('/api/audit?limit=100')).toContain('connection.deleted');
  const organization = `/api/organizations/${organizationId}`;
  expect(await read(`${organization}/events`)).toContain('connection.deleted');
  await read(`${organization}/deliveries`);
  show('watch', await heard(`${url}${organization}/watch`, key, 'connection.deleted'));
  await eventually(async () => {
    const { text } = await call('MONITORING_LOGS_LIST', { limit: 1000 });
    expect(text).toContain('COLLECTION_CONNECTIONS_DELETE');
  });
  const source = { path: '$', from: 'input' };
  const aggregation = { fn: 'last', groupBy: '$' };
  const widget = { id: 'w', name: 'W', type: 'table', source, aggregation };
  expect(await call('MONITORING_WIDGET_PREVIEW', { widget })).toMatchObject({ isError: false });
}

/** What a watcher hears from the first event on, until a word. */
async function heard(url: string, key: string, last: string): Promise<string> {
  const stop = new AbortController();
  const headers = { authorization: `Bearer ${key}`, 'last-event-id': '0' };
  const answer = await fetch(url, { headers, signal: stop.signal });
  let text = '';
  for await (const chunk of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
    text += Buffer.from(chunk).toString('utf8');
    if (text.includes(last)) break;
  }
  stop.abort();
  return text;
}

/** Every row that this server keeps, the audit among them. */
async function readTables({ show, openStore }: Aviary) {
  const store = await openStore();
  const db = store.db<Record<string, object>>();
  const tables = await db.introspection.getTables();
  expect(tables.map(({ name }) => name)).toContain('connections');
  // On PostgreSQL the table of the caller is seen as well.
  for (const { name } of tables.filter((table) => table.name !== 'people'))
    show(`table ${name}`, JSON.stringify(await db.selectFrom(name).selectAll().execute()));
  await store.close();
}

/** What commands write, into files and on the screen. */
async function readCommands({ show, parley, dataDir }: Aviary, engine: StoreEngine) {
  const log = join(dataDir, 'calls.jsonl');
  await parley('logs', 'export', log);
  for (const tool of ['CODE_EXECUTION_RUN_CODE', 'DATABASES_RUN_SQL', 'ON_EVENTS'])
    expect(readFileSync(log, 'utf8')).toContain(tool);
  if (engine === 'postgres') return;
  const commands = [
    ['logs', 'export', join(dataDir, 'calls.csv')],
    ['logs', '--limit', '1000'],
    ['audit', '--limit', '1000'],
    ['call', 'COLLECTION_CONNECTIONS_LIST', '{"include_virtual":true}'],
    ['webhooks', 'list'],
    ['members', 'list', '--json'],
    ['keys', 'list', '--json'],
    ['backup', join(dataDir, 'backup')],
  ];
  for (const command of commands) {
    const { code, stdout } = await parley(...command);
    expect([command, code]).toEqual([command, 0]);
    show(command.join(' '), stdout);
  }
}
