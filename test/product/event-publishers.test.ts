/** Who publishes, how often and for how long: events of the tool, and of schedules whose maker may do less by now. */
import type { Caller, Grants } from '@parley/kit';
import { testCaller } from '@parley/kit/testing';
import type { Limits } from '@parley/gateway';
import type { StoreEngine } from '@parley/store';
import { scratchDatabase } from '@parley/store/testing';
import { eventually } from '@parley/test-support/eventually';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { createApp } from '../../apps/server/src/app.ts';
import { loadConfig } from '../../apps/server/src/config.ts';
import { callTool } from './mcp-messages.ts';

// Tests look into answers of every shape.
type Answer = Record<string, any>; // oxlint-disable-line typescript/no-explicit-any -- as said above

const PUBLISH: Grants = { self: ['EVENT_PUBLISH'] };

/** A server in this process, on a database of its own. */
async function openServer(engine: StoreEngine, changed: Partial<Limits> = {}) {
  const database = await scratchDatabase(engine);
  onTestFinished(() => database.remove());
  const { dataDir, databaseUrl } = database.options;
  const url = databaseUrl === undefined ? [] : ['--database-url', databaseUrl];
  const flags = ['--port', '0', '--log-level', 'silent', '--data', dataDir, ...url];
  const { config } = loadConfig(flags, { env: {} });
  const app = await createApp({ config: { ...config, limits: { ...config.limits, ...changed } } });
  onTestFinished(() => app.close());
  const { mcp } = await app.listen();
  return { ...app.host, self: `${mcp}/self` };
}

test.each<StoreEngine>(['sqlite', 'postgres'])(
  'nobody publishes by a schedule what they may not publish now (%s)',
  async (engine) => {
    const { identity, events, store, self } = await openServer(engine);
    const organizationId = await identity.firstOrganizationId();
    const [first] = await identity.listMembers(organizationId);
    const owner = testCaller({ organizationId, userId: first?.userId ?? '', roles: ['owner'] });
    const keyOf = (maker: Caller, more: { connectionId?: string; grants?: Grants } = {}) =>
      identity.createKey(maker, { name: 'Planner', grants: PUBLISH, expiresAt: null, ...more });
    const call = async (key: string, name: string, input: Answer): Promise<Answer> => {
      const { text, body } = await callTool({ mcp: self, key }, name, input);
      if (body.result?.isError === true || body.result === undefined) throw new Error(`${name}: ${text}`);
      return body.result.structuredContent ?? {};
    };
    const joined = async (email: string) => {
      const userId = await identity.ensureUser({ email, name: email });
      await identity.addMember(owner, { userId, roles: ['admin'] });
      return userId;
    };
    const { text: root } = await keyOf(owner, { grants: { '*': ['*'] } });
    const connection = async (title: string) => {
      const data = { title, connection_type: 'HTTP', connection_url: 'http://127.0.0.1:1/' };
      return String((await call(root, 'COLLECTION_CONNECTIONS_CREATE', { data }))['item'].id);
    };
    const [leaver, fallen] = [await joined('leaver@example.com'), await joined('fallen@example.com')];
    const [shop, closed] = [await connection('Shop'), await connection('Closed')];

    const keys = {
      stays: await keyOf(owner),
      bound: await keyOf(owner, { connectionId: shop }),
      revoked: await keyOf(owner),
      expired: await keyOf(owner),
      narrowed: await keyOf(owner),
      ofLeaver: await keyOf({ ...owner, userId: leaver }),
      ofFallen: await keyOf({ ...owner, userId: fallen }),
      boundRevoked: await keyOf(owner, { connectionId: await connection('Quiet') }),
      boundClosed: await keyOf(owner, { connectionId: closed }),
    };
    const planned: string[] = [];
    for (const [who, { text }] of Object.entries(keys)) {
      await call(text, 'EVENT_PUBLISH', { type: `plan.${who}.once`, deliverAt: '2090-01-01T00:00:00Z' });
      const yearly = await call(text, 'EVENT_PUBLISH', { type: `plan.${who}.cron`, cron: '0 0 1 1 *' });
      planned.push(yearly['id']);
    }
    await identity.revokeKey(owner, keys.revoked.info.id);
    await identity.revokeKey(owner, keys.boundRevoked.info.id);
    await identity.updateKey(owner, { keyId: keys.narrowed.info.id, grants: { self: ['TAGS_LIST'] } });
    await identity.removeMember(owner, leaver);
    await identity.setRoles(owner, { userId: fallen, roles: ['user'] });
    await call(root, 'COLLECTION_CONNECTIONS_DELETE', { id: closed });
    await store.transaction(async (tx) => {
      await sql`update api_keys set expires_at = 1 where id = ${keys.expired.info.id}`.execute(tx.db());
      // The time of all of them has come.
      await sql`update event_schedules set next_at = 1`.execute(tx.db());
      await tx.signal('event.schedule');
    });

    await eventually(async () => {
      const due = await sql`select id from event_schedules where next_at = 1`.execute(store.db());
      expect(due.rows).toEqual([]);
    });
    const query = { after: 0, types: ['plan.*'], limit: 100 };
    const published = (await events.history.events(organizationId, query)).map(({ type }) => type);
    expect(published.toSorted()).toEqual([
      'plan.bound.cron',
      'plan.bound.once',
      'plan.stays.cron',
      'plan.stays.once',
    ]);
    const isLeft = [];
    for (const eventId of planned) isLeft.push((await call(root, 'EVENT_CANCEL', { eventId }))['cancelled']);
    expect(isLeft).toEqual([true, true, ...Array<boolean>(7).fill(false)]);
  },
);

test('the rate of tools that reach outside does not count events, which the bus counts for itself', async () => {
  const heavy = { heavyRatePerSecond: 0.001, heavyRateBurst: 1 };
  const { identity, self, events } = await openServer('sqlite', heavy);
  const organizationId = await identity.firstOrganizationId();
  const [first] = await identity.listMembers(organizationId);
  const owner = testCaller({ organizationId, userId: first?.userId ?? '', roles: ['owner'] });
  const { text: key } = await identity.createKey(owner, { name: 'Shop', grants: PUBLISH, expiresAt: null });
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => callTool({ mcp: self, key }, 'EVENT_PUBLISH', { type: 'order.paid' })),
  );
  const refused = answers.filter(({ body }) => body.result?.isError !== undefined);
  expect(refused.map(({ text }) => text)).toEqual([]);
  const query = { after: 0, types: ['order.paid'], limit: 200 };
  expect(await events.history.events(organizationId, query)).toHaveLength(20);
});
