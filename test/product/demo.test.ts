/** `--demo`: something on every screen of the console, on both databases; the next start adds nothing, and doctor says what Home says. */
import { feedbackToolset } from '@parley/feedback';
import type { ScratchDatabase } from '@parley/store/testing';
import { scratchDatabase } from '@parley/store/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import type { App } from '../../apps/server/src/app.ts';
import { createApp } from '../../apps/server/src/app.ts';
import { loadConfig } from '../../apps/server/src/config.ts';
import type { Host } from '../../apps/server/src/start/host.ts';
import { ensureBuilt } from './build.ts';
import { Browser } from './console-browser.ts';
import { runParley } from './parley.ts';

beforeAll(ensureBuilt);

/** A server with the demo, complete, and a browser in which its owner is signed in. */
async function start(flags: readonly string[]) {
  const args = ['--demo', '--port', '0', '--log-level', 'silent', ...flags];
  const app = await createApp({ config: loadConfig(args, { env: {} }).config });
  await keepFeedbackSmall(app);
  const { url } = await app.listen();
  await app.filled();
  const owner = new Browser(url);
  const { token } = await app.host.identity.web.createLink();
  await owner.signIn({ method: 'link', token });
  return { owner, [Symbol.asyncDispose]: () => app.close() };
}

/** With a board of its own, feedback gets no demo: that has tests of its own, and is most of the work. */
async function keepFeedbackSmall({ host }: App): Promise<void> {
  const { identity } = host;
  const organizationId = await identity.firstOrganizationId();
  const [member] = await identity.listMembers(organizationId);
  const caller = member && (await identity.callerOfMember(organizationId, member.id));
  const services = (host as Host).servicesOf(feedbackToolset); // an app has the whole host
  if (caller === undefined) throw new Error('There is no owner.');
  const actor = await services.actor(caller);
  if ((await services.boards.list(actor)).length === 0)
    await services.boards.create(actor, { name: 'Ideas', slug: 'ideas' });
}

const flagsOf = ({ options: { dataDir, databaseUrl } }: ScratchDatabase) => [
  '--data',
  dataDir,
  ...(databaseUrl === undefined ? [] : ['--database-url', databaseUrl]),
];

// oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
async function dataOf(owner: Browser, path: string): Promise<any> {
  const { status, body, text } = await owner.ask(`GET ${path}`);
  if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
  return body.data;
}

/** What the lists of the screens show. */
async function listsOf(owner: Browser) {
  const { organization } = await dataOf(owner, '/api/session');
  const own = `/api/organizations/${organization.id}`;
  const { tasks } = await dataOf(owner, '/api/tasks?limit=100');
  const notes = await dataOf(owner, '/api/annotations?limit=100');
  const agents = await dataOf(owner, '/api/agents');
  const { deliveries } = await dataOf(owner, `${own}/deliveries`);
  const named = (rows: readonly Record<string, unknown>[], field: string) =>
    rows.map((row) => String(row[field])).toSorted();
  return {
    tasks: named(tasks, 'state'),
    notes: named(
      notes.map(({ annotation }: { annotation: Record<string, unknown> }) => annotation),
      'status',
    ),
    pictures: notes.filter((note: { annotation: { screenshot?: unknown } }) => note.annotation.screenshot)
      .length,
    pages: (await dataOf(owner, '/api/annotations/pages')).length,
    agents: named(agents, 'name'),
    questions: (await dataOf(owner, '/api/questions')).questions.length,
    executions: named(await dataOf(owner, '/api/executions'), 'status'),
    work: named((await dataOf(owner, `/api/agents/${agents[0].id}/work`)).tasks, 'status'),
    connections: named(await dataOf(owner, '/api/connections'), 'status'),
    virtualMcps: (await dataOf(owner, '/api/virtual-mcps')).length,
    deliveries: named(deliveries, 'status'),
    subscriptions: (await dataOf(owner, `${own}/subscriptions`)).length,
    schedules: (await dataOf(owner, `${own}/schedules`)).schedules.length,
    roles: named(await dataOf(owner, `${own}/roles`), 'name'),
    invitations: (await dataOf(owner, `${own}/invitations`)).length,
    keys: (await dataOf(owner, `${own}/keys`)).length,
  };
}

/** As they look once every delivery has ended. */
async function endedLists(owner: Browser) {
  await expect
    .poll(async () => (await listsOf(owner)).deliveries, { timeout: 20_000 })
    .not.toContain('pending');
  return listsOf(owner);
}

describe.each(['sqlite', 'postgres'] as const)('on %s', (engine) => {
  test('every screen has something, and the next start adds nothing', async () => {
    const database = await scratchDatabase(engine);
    try {
      await using first = await start(flagsOf(database));
      const lists = await endedLists(first.owner);
      for (const [name, found] of Object.entries(lists)) expect([name, found]).not.toEqual([name, []]);
      // Nobody has connected a client yet.
      const { steps } = await dataOf(first.owner, '/api/first-run');
      expect(steps).toMatchObject({ client: false, call: null });
      expect(new Set(lists.tasks)).toEqual(
        new Set(['working', 'input_required', 'completed', 'failed', 'cancelled']),
      );
      expect(new Set(lists.notes)).toEqual(
        new Set(['pending', 'acknowledged', 'diff_proposed', 'resolved', 'dismissed']),
      );
      expect(lists.deliveries).toEqual(['dead', 'delivered', 'delivered', 'delivered', 'delivered']);
      expect(lists.executions).toContain('waiting');
      expect(lists.connections).toEqual(['active', 'active', 'active', 'active', 'error']);
      expect(lists).toMatchObject({ pages: 4, pictures: 8, questions: 2, virtualMcps: 1, schedules: 2 });
      const forecast = await first.owner.call('harbor-weather', 'get_forecast', { place: 'Rotterdam' });
      expect(forecast.forecast).toHaveLength(3);

      const { calls, health } = await dataOf(first.owner, '/api/home');
      expect(calls.points.every((point: { calls: number }) => point.calls > 0)).toBe(true);
      const said = JSON.parse((await runParley(['doctor', '--json', ...flagsOf(database)])).stdout);
      const both = new Set(['database', 'connections', 'webhooks', 'hold']);
      const states = { ok: 'ok', warn: 'warning', fail: 'down' } as Record<string, string>;
      expect(
        said.checks
          .filter(({ name }: { name: string }) => both.has(name))
          .map(({ name, state, found, fix }: Record<string, string>) => ({
            part: name,
            state: states[state ?? ''],
            reason: found,
            ...(fix !== undefined && { fix }),
          })),
      ).toEqual(health.filter(({ part }: { part: string }) => both.has(part)));

      await first[Symbol.asyncDispose]();
      await using second = await start(flagsOf(database));
      expect(await endedLists(second.owner)).toEqual(lists);
    } finally {
      await database.remove();
    }
  });
});

test('without --demo none of it is there', async () => {
  const database = await scratchDatabase('sqlite');
  const { stdout } = await runParley(['call', 'list_sessions', ...flagsOf(database)]);
  expect(stdout).toContain('[]');
  await database.remove();
});
