/** Events to connections of a started server: their server is called, refuses, comes back and goes; and what management tells. */
import { eventually } from '@parley/test-support/eventually';
import { plainTool, startUpstream } from '@parley/test-support/mcp-upstream';
import type { StoreEngine } from '@parley/store';
import { scratchDatabase } from '@parley/store/testing';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { ensureBuilt } from './build.ts';
import { callTool, stdioClient } from './mcp-messages.ts';
import { runParley, spawnParley, startParley } from './parley.ts';

beforeAll(ensureBuilt);

// Tests look into answers of every shape.
type Answer = Record<string, any>; // oxlint-disable-line typescript/no-explicit-any -- as said above

test.each<StoreEngine>(['sqlite', 'postgres'])(
  'a connection hears of what it subscribed to, as somebody who may (%s)',
  async (engine) => {
    const database = await scratchDatabase(engine);
    onTestFinished(() => database.remove());
    const { dataDir, databaseUrl } = database.options;
    const url = databaseUrl === undefined ? [] : ['--database-url', databaseUrl];
    await using server = await startParley(dataDir, { args: ['--allow-egress', '127.0.0.1', ...url] });
    const self = { mcp: `${server.mcp}/self`, key: server.key };
    const call = async (name: string, input: Answer = {}): Promise<Answer> => {
      const { text, body } = await callTool(self, name, input);
      if (body.result?.isError === true || body.result === undefined) throw new Error(`${name}: ${text}`);
      return body.result.structuredContent ?? {};
    };
    await using upstream = await startUpstream({
      era: '2026',
      tools: [plainTool('ON_EVENTS')],
      authorization: 'Bearer first',
      answer: () => ({ content: [], structuredContent: { success: true } }),
    });
    const data = { title: 'Hearer', connection_type: 'HTTP', connection_url: upstream.url };
    const { item } = await call('COLLECTION_CONNECTIONS_CREATE', {
      data: { ...data, connection_token: 'first' },
    });
    const organizationId = String(item.organization_id);
    const api = (path: string) =>
      fetch(`${server.url}/api/organizations/${organizationId}/${path}`, {
        headers: { authorization: `Bearer ${server.key}` },
      }).then(async (response) => ((await response.json()) as Answer)['data'] as Answer);
    const heard = () =>
      upstream.calls.flatMap(({ arguments: args }) =>
        (args as Answer)['events'].map(({ type }: Answer) => type as string),
      );
    const deadErrors = async () =>
      (await api('deliveries?status=dead'))['deliveries'].map((delivery: Answer) => delivery['lastError']);

    await call('EVENT_SUBSCRIBE', { eventType: 'order.*', connectionId: item.id });
    await call('EVENT_PUBLISH', { type: 'order.paid', data: { total: 1 } });
    await call('EVENT_PUBLISH', { type: 'orders.paid' });
    await eventually(() => expect(heard()).toEqual(['order.paid']));

    // The bus made the call, whoever subscribed.
    const log = await eventually(async () => {
      const { logs } = await call('MONITORING_LOGS_LIST', { toolName: 'ON_EVENTS' });
      expect(logs).toHaveLength(1);
      return logs[0] as Answer;
    });
    expect(log).toMatchObject({ connectionId: item.id, isError: false, callerId: 'event-bus', userId: null });

    // A process beside the server publishes and delivers nothing: it has not the flags of the server.
    const beside = spawnParley(['mcp', 'self', '--data', dataDir, ...url]);
    const client = stdioClient(beside);
    for (let index = 0; index < 5; index += 1) await client.call('EVENT_PUBLISH', { type: 'order.beside' });
    await eventually(() => expect(heard().filter((type) => type === 'order.beside')).toHaveLength(5));
    beside.child.stdin.end();
    await beside.ended;
    const { deliveries } = await api('deliveries');
    expect(deliveries.map(({ lastError }: Answer) => lastError)).toEqual(Array(6).fill(null));

    // A server that refuses is left alone until somebody gives it what it wants.
    upstream.script.authorization = 'Bearer second';
    await call('EVENT_PUBLISH', { type: 'order.late' });
    await eventually(async () => {
      const { logs } = await call('MONITORING_LOGS_LIST', { toolName: 'ON_EVENTS', isError: true });
      expect(logs).toMatchObject([{ errorCode: 'auth_required' }]);
    });
    await call('COLLECTION_CONNECTIONS_UPDATE', { id: item.id, data: { connection_token: 'second' } });
    await eventually(() =>
      expect(heard().filter((type) => type !== 'order.beside')).toEqual(['order.paid', 'order.late']),
    );

    // Without the tool, and without the connection, nothing is tried again.
    upstream.script.tools = [plainTool('OTHER')];
    await call('EVENT_PUBLISH', { type: 'order.lost' });
    await eventually(async () => expect(await deadErrors()).toEqual(['The server has no tool ON_EVENTS.']));
    await call('COLLECTION_CONNECTIONS_UPDATE', { id: item.id, data: { status: 'inactive' } });
    await call('EVENT_PUBLISH', { type: 'order.waiting' });
    await call('COLLECTION_CONNECTIONS_DELETE', { id: item.id });
    await eventually(async () => expect(await deadErrors()).toContain('The connection was deleted.'));
    expect((await call('EVENT_SUBSCRIPTION_LIST'))['subscriptions']).toEqual([]);

    // What management does is told as well, by whatever way it is done.
    const { id: keyId } = await call('API_KEY_CREATE', {
      name: 'Mine',
      permissions: { self: ['TAGS_LIST'] },
    });
    await call('API_KEY_UPDATE', { keyId, name: 'Still mine' });
    await call('API_KEY_DELETE', { keyId });
    const made = await runParley(['keys', 'create', 'By hand', '--data', dataDir, ...url]);
    expect(made).toMatchObject({ code: 0 });
    const { events } = await api('events?types=key.*,connection.*');
    expect(events.map(({ type }: Answer) => type)).toEqual([
      'connection.created',
      'connection.updated',
      'connection.updated',
      'connection.deleted',
      'key.created',
      'key.updated',
      'key.revoked',
      'key.created',
    ]);
  },
);
