/** Secrets that the management tools are given never come back out: each is planted once and looked for everywhere. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { saveToken } from '@parley/connections';
import { openStore } from '@parley/store';
import type { StoreEngine } from '@parley/store';
import { scratchDatabase } from '@parley/store/testing';
import { plainTool, startUpstream } from '@parley/test-support/mcp-upstream';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { ensureBuilt } from './build.ts';
import { message, post } from './mcp-messages.ts';
import { runParley, startParley } from './parley.ts';

beforeAll(ensureBuilt);

/** Makes secrets that are told apart by where they were planted. */
function canaries() {
  const planted: string[] = [];
  const keep = (text: string) => {
    planted.push(text);
    return text;
  };
  const plant = (place: string) => keep(`cnry${place}${planted.length}x8d41f0b7e2`);
  return { planted, keep, plant };
}

type Item = Record<string, unknown> & { readonly id: string; readonly organization_id: string };

test.each<StoreEngine>(['sqlite', 'postgres'])(
  'a secret that is planted in every place of the management tools appears nowhere (%s)',
  async (engine) => {
    const { planted, keep, plant } = canaries();
    const database = await scratchDatabase(engine);
    onTestFinished(() => database.remove());
    const { dataDir, databaseUrl } = database.options;
    const place = databaseUrl === undefined ? [] : ['--database-url', databaseUrl];
    const args = ['--allow-egress', '127.0.0.1', '--allow-stdio', '--log-level', 'debug', ...place];
    await using server = await startParley(dataDir, { args });
    const { key, url } = server;
    keep(key.slice(-43));
    /** What was shown, by where. Answers that show a secret for the only time are not among it. */
    const shown: [where: string, text: string][] = [];
    const ask = async (name: string, input: object = {}, headers: Record<string, string> = {}) => {
      const body = message(1, 'tools/call', { name, arguments: { ...input } });
      return post(`${server.mcp}/self`, key, body, headers);
    };
    const call = async (name: string, input: object = {}, headers: Record<string, string> = {}) => {
      const { text, body } = await ask(name, input, headers);
      shown.push([name, text]);
      const { isError = false, structuredContent = {} } = body.result ?? {};
      return { isError, text, content: structuredContent, item: structuredContent['item'] as Item };
    };
    const read = async (path: string, init: RequestInit = {}) => {
      const headers = { authorization: `Bearer ${key}`, ...init.headers };
      const answer = await fetch(`${url}${path}`, { ...init, headers });
      const text = await answer.text();
      shown.push([path, text]);
      return text;
    };
    const env = { PARLEY_ALLOW_EGRESS: '127.0.0.1', PARLEY_ALLOW_STDIO: '1' };
    const parley = async (...given: string[]) => {
      const ended = await runParley([...given, '--data', dataDir, ...place], { env });
      expect([given.join(' '), ended.code, ended.stderr]).toEqual([given.join(' '), 0, '']);
      return ended.stdout;
    };

    // A server that says back all that it was told: in its tools, in its refusals and in what it answers.
    const token = plant('Token');
    const header = plant('Header');
    const basic = plant('Basic');
    const [query, state] = [plant('Query'), plant('State')];
    const tools = (...said: string[]) => [
      { ...plainTool('ECHO'), description: `You sent ${said.join(' ')}`, _meta: { [said[0] ?? '']: said } },
      plainTool('ON_MCP_CONFIGURATION'),
    ];
    await using upstream = await startUpstream({
      era: '2026',
      tools: tools(token, header, basic, query, state),
    });
    const oauth_config = {
      authorizationEndpoint: `https://a.example/authorize?client_secret=${plant('Authorize')}`,
      tokenEndpoint: `https://a.example/token?key=${plant('Endpoint')}`,
      clientId: 'me',
      clientSecret: plant('Client'),
      scopes: [],
      grantType: 'authorization_code',
    };
    const data = {
      title: 'Upstream',
      connection_type: 'HTTP',
      connection_url: `${upstream.url}?key=${query}&sig=${plant('Signature')}`,
      connection_token: token,
      connection_headers: { headers: { 'X-Custom': header, Cookie: `session=${basic}` } },
      oauth_config,
      configuration_state: { db: { password: state, key: plant('Key') }, list: [{ auth: plant('Auth') }] },
    };
    const { item } = await call('COLLECTION_CONNECTIONS_CREATE', { data });
    expect(item).toMatchObject({ status: 'active', has_connection_token: true });
    const { id, organization_id: organizationId } = item;
    expect(upstream.seen.at(-1)?.headers).toMatchObject({ 'x-custom': header });
    const [newToken, newState] = [plant('NewToken'), plant('NewState')];
    upstream.script.tools = tools(newToken, newState);
    const changed = {
      connection_token: newToken,
      configuration_state: { db: { password: newState } },
      configuration_scopes: [],
    };
    await call('COLLECTION_CONNECTIONS_UPDATE', { id, data: changed });
    expect(upstream.calls).toMatchObject([{ name: 'ON_MCP_CONFIGURATION', arguments: { scopes: [] } }]);
    upstream.script.fault = (request, response) => {
      response.writeHead(500, { 'x-echo': token }).end(`${request.url} ${JSON.stringify(request.headers)}`);
      return true;
    };
    expect((await call('CONNECTION_TEST', { id })).content).toMatchObject({ healthy: false });
    await call('COLLECTION_CONNECTIONS_UPDATE', {
      id,
      data: { connection_url: `${upstream.url}?token=${plant('Moved')}` },
    });
    const echoing = `console.error(process.env.CREDENTIAL); console.log(process.env.CREDENTIAL); process.exit(1)`;
    const program = {
      command: process.execPath,
      args: ['-e', echoing],
      envVars: { CREDENTIAL: plant('Env') },
    };
    const child = { title: 'Child', connection_type: 'STDIO', connection_headers: program };
    const { item: started } = await call('COLLECTION_CONNECTIONS_CREATE', { data: child });
    expect(started).toMatchObject({
      status: 'error',
      connection_headers: { envVars: { CREDENTIAL: '[secret]' } },
    });

    // What is refused says where, and never what.
    const refused: object[] = [
      { connection_token: { deep: plant('TokenType') } },
      { connection_token: `${plant('TokenLong')}${'x'.repeat(9_000)}` },
      { connection_headers: { headers: { A: [plant('HeaderType')] } } },
      { connection_headers: { headers: { A: `${plant('HeaderLong')}${'x'.repeat(9_000)}` } } },
      { connection_headers: { headers: { A: `${plant('HeaderLine')}\r\nB: c` } } },
      { connection_headers: { other: plant('Other') } },
      { connection_headers: { command: 'x', envVars: { 'not a name': plant('Variable') } } },
      { connection_url: `https://me:${plant('UserInfo')}@a.example/mcp` },
      { connection_url: `ftp://a.example/?token=${plant('Scheme')}` },
      { oauth_config: { ...oauth_config, tokenEndpoint: `https://me:${plant('OAuthUser')}@a.example` } },
      { oauth_config: { ...oauth_config, clientSecret: [plant('ClientType')] } },
      { configuration_state: { pin: plant('Pin') }, configuration_scopes: ['pin.value::x', 'none::y'] },
    ];
    for (const part of refused) {
      const answer = await call('COLLECTION_CONNECTIONS_CREATE', { data: { ...data, ...part } });
      expect([part, answer.isError]).toEqual([part, true]);
    }
    const where = { field: ['connection_token'], operator: 'eq', value: plant('Where') };
    expect((await call('COLLECTION_CONNECTIONS_LIST', { where })).isError).toBe(true);

    // Tokens that servers gave have no tool yet.
    const own = await openStore(database.options);
    await saveToken(
      { store: own, now: Date.now },
      { organizationId, connectionId: id, userId: null },
      {
        access: plant('Access'),
        refresh: plant('Refresh'),
        clientSecret: plant('Registered'),
      },
    );
    expect((await call('CONNECTION_TEST', { id })).content).toMatchObject({ healthy: false });

    const project = { organizationId, slug: 'p', name: 'P' };
    const made = (await call('PROJECT_CREATE', project)).content as { project: { id: string } };
    const config = { projectId: made.project.id, pluginId: 'mail' };
    const settings = {
      smtp: { password: plant('Plugin'), key: plant('PluginKey') },
      list: [{ accessToken: plant('PluginList') }],
    };
    expect((await call('PROJECT_PLUGIN_CONFIG_UPDATE', { ...config, settings })).isError).toBe(false);
    const huge = { apiKey: plant('PluginHuge'), filler: 'x'.repeat(70_000) };
    expect((await call('PROJECT_PLUGIN_CONFIG_UPDATE', { ...config, settings: huge })).isError).toBe(true);

    const newKey = (await ask('API_KEY_CREATE', { name: 'k', metadata: { note: 'n' } })).body.result;
    keep(String(newKey?.structuredContent?.['key']).slice(-43));
    await call('API_KEY_UPDATE', { keyId: String(newKey?.structuredContent?.['key']), name: 'x' });

    const sql = (text: string, params: unknown[] = []) => call('DATABASES_RUN_SQL', { sql: text, params });
    await sql('create table people (name text, password text unique)');
    await sql('insert into people values ($1, $2)', ['ann', plant('SqlValue')]);
    const again = plant('SqlTwice');
    for (const isError of [false, true])
      expect((await sql('insert into people values ($1, $2)', ['bob', again])).isError).toBe(isError);
    await sql(`update people set password = '${plant('SqlText')}'`);
    await ask('DATABASES_RUN_SQL', { sql: 'select password from people' });

    const code = `export default async (tools) => {
      const password = '${plant('Code')}';
      console.log('password: ' + password);
      const { tags } = await tools.TAGS_LIST({ _meta: { password } });
      await tools.EVENT_PUBLISH({ type: 'a.b', data: { secret: 1 } });
      await tools.NOWHERE({ apiKey: '${plant('Nested')}' }).catch(() => undefined);
      return { token: password };
    }`;
    await ask('CODE_EXECUTION_RUN_CODE', { code });
    await ask('CODE_EXECUTION_RUN_CODE', { code: `const token = "${plant('BadCode')}"; export default (` });
    await call(
      'TAGS_LIST',
      { password: plant('Extra'), authorization: plant('ExtraHeader') },
      {
        'x-parley-properties': JSON.stringify({ team: 'a', api_key: plant('Property') }),
      },
    );
    await call('COLLECTION_THREADS_UPDATE', { id: 'thrd_1', access_tokens: [plant('Tokens')], data: {} });
    await call('NOWHERE', { password: plant('Unknown') });

    await read('/api/events', {
      method: 'POST',
      body: JSON.stringify({ type: 7, password: plant('Rest') }),
      headers: { 'content-type': 'application/json' },
    });
    await read(`/api/organizations/${plant('RestPath')}/events?token=${plant('RestQuery')}`);

    if (engine === 'sqlite') {
      const hooked = JSON.parse(await parley('webhooks', 'add', upstream.url, '--events', '*', '--json')) as {
        secret: string;
      };
      keep(hooked.secret);
      const invited = JSON.parse(await parley('members', 'invite', 'b@example.com', '--json')) as {
        link: string;
      };
      const [joining = ''] = /parley_invite_.*/.exec(invited.link) ?? [];
      keep(joining.slice(-43));
      const page = await fetch(`${url}/join/${joining}`);
      expect(page.status).toBe(200);
      await fetch(`${url}/join/${joining.slice(0, -1)}`);
      for (const command of [
        ['call', 'COLLECTION_CONNECTIONS_LIST', '{"include_virtual":true}'],
        ['call', 'CONNECTION_TEST', JSON.stringify({ id })],
        ['webhooks', 'list'],
        ['members', 'list', '--json'],
        ['keys', 'list', '--json'],
      ])
        shown.push([command.join(' '), await parley(...command)]);
      const bad = { data: { ...data, connection_token: [plant('Cli')] } };
      const failed = await runParley([
        'call',
        'COLLECTION_CONNECTIONS_CREATE',
        JSON.stringify(bad),
        '--data',
        dataDir,
      ]);
      expect(failed.code).not.toBe(0);
      shown.push(['parley call', failed.stdout + failed.stderr]);
    }

    // Everything that reads.
    await call('COLLECTION_CONNECTIONS_LIST', { include_virtual: true });
    await call('COLLECTION_CONNECTIONS_GET', { id });
    await call('COLLECTION_CONNECTIONS_GET', { id: started.id });
    await call('PROJECT_PLUGIN_CONFIG_GET', config);
    for (const name of [
      'PROJECT_LIST',
      'ORGANIZATION_LIST',
      'ORGANIZATION_GET',
      'ORGANIZATION_SETTINGS_GET',
      'ORGANIZATION_MEMBER_LIST',
      'API_KEY_LIST',
      'EVENT_SUBSCRIPTION_LIST',
      'COLLECTION_VIRTUAL_MCP_LIST',
      'MONITORING_DASHBOARD_LIST',
      'MONITORING_STATS',
    ])
      expect([
        name,
        (await call(name, name.startsWith('PROJECT') ? { organizationId } : {})).isError,
      ]).toEqual([name, false]);
    await read('/metrics');
    await read(`/api/organizations/${organizationId}/events`);
    await read(`/api/organizations/${organizationId}/deliveries`);
    shown.push(['watch', await watched(`${url}/api/organizations/${organizationId}/watch`, key)]);
    shown.push(['deleted', (await call('COLLECTION_CONNECTIONS_DELETE', { id, force: true })).text]);
    const widget = {
      id: 'w',
      name: 'W',
      type: 'table',
      source: { path: '$', from: 'input' },
      aggregation: { fn: 'last', groupBy: '$' },
    };
    await expect
      .poll(
        async () =>
          (await call('MONITORING_LOGS_LIST', { limit: 1000, toolName: 'COLLECTION_CONNECTIONS_DELETE' }))
            .content['total'],
      )
      .toBe(1);
    const logged = await call('MONITORING_LOGS_LIST', { limit: 1000 });
    expect(logged.text).toContain('COLLECTION_CONNECTIONS_CREATE');
    await call('MONITORING_WIDGET_PREVIEW', { widget });

    const tables = await own.db<Record<string, object>>().introspection.getTables();
    // What callers keep in a database of their own is theirs.
    for (const { name } of tables.filter(({ name: each }) => each !== 'people'))
      shown.push([
        `table ${name}`,
        JSON.stringify(await own.db<Record<string, object>>().selectFrom(name).selectAll().execute()),
      ]);
    await own.close();
    const { stdout, stderr, code: ended } = await server.stop();
    expect(ended).toBe(0);
    shown.push(['stdout', stdout], ['stderr', stderr]);
    const log = join(dataDir, 'calls.jsonl');
    await parley('logs', 'export', log);
    await parley('logs', 'export', join(dataDir, 'calls.csv'));
    shown.push(
      ['logs', await parley('logs', '--limit', '1000')],
      ['doctor', (await runParley(['doctor', '--data', dataDir, ...place])).stdout],
    );
    expect(readFileSync(log, 'utf8')).toContain('CODE_EXECUTION_RUN_CODE');
    if (engine === 'sqlite') shown.push(['backup', await parley('backup', join(dataDir, 'backup'))]);
    const leaks = planted.flatMap((secret) => [
      ...shown.filter(([, text]) => text.includes(secret)).map(([from]) => `${secret} in ${from}`),
      ...filesIn(dataDir)
        .filter((file) => readFileSync(file).includes(secret))
        .map((file) => `${secret} in ${file}`),
    ]);
    expect(leaks).toEqual([]);
  },
);

/** What a watcher hears from the first event on, until it has heard of the last connection. */
async function watched(url: string, key: string): Promise<string> {
  const stop = new AbortController();
  const headers = { authorization: `Bearer ${key}`, 'last-event-id': '0' };
  const answer = await fetch(url, { headers, signal: stop.signal });
  let heard = '';
  for await (const chunk of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
    heard += Buffer.from(chunk).toString('utf8');
    if (heard.includes('"title":"Child"')) break;
  }
  stop.abort();
  return heard;
}

/** All files but those that are there to hold secrets: the keys, and the data of callers. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(
      (entry) => entry.isFile() && !entry.name.endsWith('.key') && !entry.parentPath.includes('databases'),
    )
    .map((entry) => join(entry.parentPath, entry.name));
}
