/** Remote agents: what is asked of them, which addresses are refused before, and how much of them a session may use. */
import { createEgress } from '@parley/kit/egress';
import { createTaskEngine, createTaskSeam, toolKinds } from '@parley/tasks';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { inSession, unwatched } from '../../test/acting-as.ts';
import type { AgentClient } from '../../test/agent-bed.ts';
import { onBothBeds, standingClock } from '../../test/agent-bed.ts';
import { startA2aApi } from '../../test/servers/a2a-api.ts';
import { startRecordingServer } from '../../test/servers/recording-server.ts';
import { clientWith } from '../../test/with-settings.ts';
import type { OutsideTables } from '../services/outside/schema.ts';
import type { Violation } from '../services/outside/remote.ts';

const remote = await startA2aApi();
// Listens on loopback as well, and nobody has allowed it.
const inside = await startRecordingServer(() => ({ body: {} }));
const NAMES: Readonly<Record<string, string>> = {
  'inside.example': '10.0.0.1',
  'agent.example': '93.184.216.34',
  localhost: '127.0.0.1',
};
const egress = createEgress({
  allow: [`127.0.0.1:${remote.port}`],
  resolve: async (host) => {
    const address = NAMES[host];
    return address === undefined ? [] : [{ address, family: 4 }];
  },
});
afterAll(async () => {
  await egress.close();
  await remote.close();
  await inside.close();
});

const violations: Violation[] = [];
const clock = standingClock();

beforeEach(() => {
  remote.clear();
  inside.clear();
  Object.assign(remote, { looks: 2, ending: 'completed', onLook: () => undefined });
  violations.length = 0;
  // Out of the way of what the tests before have used.
  clock.nowMs += 3 * 3_600_000;
});

const OPTIONS = {
  outside: {
    pollMs: 1,
    recordViolation: async (violation: Violation) => {
      violations.push(violation);
    },
  },
};

const asked = () => remote.seen.map(({ method, path }) => `${method} ${path}`);

const BLOCKED = [
  'http://127.0.0.1:PORT',
  'https://127.0.0.1:PORT',
  'http://[::1]:PORT',
  'https://[::1]:PORT/agent',
  'https://[::ffff:10.0.0.1]',
  'https://[::ffff:127.0.0.1]:PORT',
  'https://169.254.169.254',
  'https://2130706433:PORT',
  'https://inside.example',
].map((url) => url.replace('PORT', String(inside.port)));

onBothBeds(
  'remote agents',
  (bed) => {
    const newAgent = () => bed().agent(bed().acme.owner.caller);
    const newClient = async () => bed().client((await newAgent()).caller);
    const invoke = (client: AgentClient, more: object = {}) =>
      client.attempt('corvid_invoke_remote_agent', { agent_url: remote.url, message: 'Hello', ...more });

    test('a card is read once in 5 minutes, and cut to what is of use', async () => {
      const client = await newClient();
      const url = `${remote.url}/echo`;
      const found = await client.call('corvid_discover_agent', { url: `${url}///` });
      expect(found).toEqual({
        found: true,
        card: {
          name: 'Echo',
          version: '1.2.0',
          description: 'Says it again',
          url: 'https://echo.example',
          provider: 'Example',
          streaming: true,
          push: false,
          auth_schemes: ['bearer'],
          input_modes: ['text/plain'],
          output_modes: ['text/plain'],
          skills: [{ id: 'echo', name: 'Echo', tags: ['text'] }],
        },
      });
      await client.call('corvid_discover_agent', { url });
      expect(asked()).toEqual(['GET /echo/.well-known/agent-card.json']);
      clock.nowMs += 300_000;
      await client.call('corvid_discover_agent', { url });
      expect(asked()).toHaveLength(2);
    });

    test('no card is no error; a card that is none, or too large, is', async () => {
      const client = await newClient();
      const discover = () => client.attempt('corvid_discover_agent', { url: remote.url });
      remote.next({ status: 404 });
      expect(await discover()).toMatchObject({ ok: true, value: { found: false } });
      for (const body of ['no JSON', { name: 'Echo' }, { name: '', version: '1' }, [], 'x'.repeat(262_145)]) {
        remote.next({ body });
        expect(await discover()).toMatchObject({ ok: false, code: 'invalid_card' });
      }
      expect(await client.attempt('corvid_discover_agent', { url: 'ftp://x.example' })).toMatchObject({
        code: 'invalid',
        message: expect.stringContaining('url'),
      });
      const secret = await client.attempt('corvid_discover_agent', { url: 'https://me:pw@agent.example' });
      expect(secret).toMatchObject({ ok: false, code: 'invalid' });
      expect(violations).toEqual([]);
    });

    test('a message is sent once and followed until it is completed', async () => {
      const client = await newClient();
      const outcome = await invoke(client, { skill: 'echo', timeout_minutes: 1 });
      expect(outcome).toMatchObject({
        ok: true,
        value: { task_id: 'task-1', state: 'completed', reply: 'You said: Hello', elapsed_ms: 0 },
      });
      expect(asked()).toEqual(['POST /a2a/tasks/send', 'GET /a2a/tasks/task-1', 'GET /a2a/tasks/task-1']);
      expect(remote.seen[0]?.body).toEqual({ message: 'Hello', skill: 'echo', timeoutMs: 60_000, depth: 2 });
      expect(remote.seen[0]?.headers.authorization).toBeUndefined();
    });

    test('what fails over there is told; 5 failed looks in a row end it, fewer do not', async () => {
      remote.ending = 'failed';
      expect(await invoke(await newClient())).toMatchObject({
        ok: false,
        code: 'remote_failed',
        message: expect.stringContaining('You said: Hello'),
      });
      const sent = { body: { id: 'task-1', state: 'submitted' } };
      const bad = { status: 500 };
      remote.clear();
      remote.next(sent, bad, bad, bad, bad, { body: { id: 'task-1', state: 'completed' } });
      expect(await invoke(await newClient())).toMatchObject({ ok: true, value: { reply: '' } });
      remote.clear();
      remote.next(sent, bad, bad, bad, bad, bad);
      expect(await invoke(await newClient())).toMatchObject({ ok: false, code: 'remote_failed' });
      expect(asked()).toHaveLength(6);
      remote.clear();
      remote.next({ status: 503 });
      expect(await invoke(await newClient())).toMatchObject({ ok: false, code: 'remote_failed' });
      expect(asked()).toHaveLength(1);
    });

    test('a server that is not there is unavailable, for a card and for a message', async () => {
      const client = await newClient();
      const url = 'https://gone.example';
      for (const outcome of [
        await client.attempt('corvid_discover_agent', { url }),
        await invoke(client, { agent_url: url }),
      ])
        expect(outcome).toMatchObject({ ok: false, code: 'unavailable' });
      expect(violations).toEqual([]);
    });

    test('the id of a task is checked before it enters a path', async () => {
      for (const id of ['../../admin', 'a/b', '', 'x'.repeat(129), 'a%2f', 7]) {
        remote.clear();
        remote.next({ body: { id, state: 'submitted' } });
        expect(await invoke(await newClient()), String(id)).toMatchObject({
          ok: false,
          code: 'remote_failed',
        });
        expect(asked()).toEqual(['POST /a2a/tasks/send']);
      }
    });

    test('as a durable task it is sent once, whichever process follows it to its end', async () => {
      const { caller } = await newAgent();
      const now = () => clock.nowMs;
      const start = async () => {
        const tasks = createTaskEngine({ store: bed().store, now });
        const client = await bed().client(caller, { tasks: createTaskSeam(tasks, { now }) });
        for (const kind of toolKinds(client.engine, async (one) => one)) tasks.register(kind);
        tasks.start();
        return { tasks, client };
      };
      remote.looks = -1;
      const looked = Promise.withResolvers<void>();
      remote.onLook = looked.resolve;
      const first = await start();
      const call = first.client.raw.callTool({
        name: 'corvid_invoke_remote_agent',
        arguments: { agent_url: remote.url, message: 'Hello' },
      });
      // The process goes, and the call with it, whatever it is answered.
      const gone = call.catch(() => undefined);
      await looked.promise;
      await first.tasks.stop();
      await gone;
      remote.next({ body: { id: 'task-1', state: 'completed' } });
      const second = await start();
      const owner = { organizationId: caller.organizationId, ownerId: caller.id };
      const ends = async () => {
        const { tasks } = await second.tasks.list(owner, { limit: 5 });
        return tasks.map(({ status, result }) => ({ status, result }));
      };
      const result = { structuredContent: { task_id: 'task-1', state: 'completed' } };
      await expect.poll(ends, { timeout: 10_000 }).toMatchObject([{ status: 'completed', result }]);
      await second.tasks.stop();
      expect(asked().filter((each) => each.startsWith('POST'))).toEqual(['POST /a2a/tasks/send']);
    });

    test('at the deadline the answer is timeout', async () => {
      remote.looks = -1;
      remote.onLook = () => {
        clock.nowMs += 20_000;
      };
      const outcome = await invoke(await newClient(), { timeout_minutes: 1 });
      expect(outcome).toMatchObject({ ok: false, code: 'timeout', data: { task_id: 'task-1' } });
      expect(asked()).toHaveLength(4);
    });

    test('depth 3 is passed on as 4, depth 4 goes nowhere', async () => {
      const { caller } = await newAgent();
      await invoke(await bed().client(inSession(caller, { depth: 3 })));
      expect(remote.seen[0]?.body).toMatchObject({ depth: 4 });
      remote.clear();
      const refused = await invoke(await bed().client(inSession(caller, { depth: 4 })));
      expect(refused).toMatchObject({ ok: false, code: 'depth_exceeded' });
      expect(asked()).toEqual([]);
    });

    test('check 46: what lies inside is refused before any connection, and noted', async () => {
      const { caller, id } = await newAgent();
      const client = await bed().client(caller);
      for (const url of BLOCKED) {
        violations.length = 0;
        const card = await client.attempt('corvid_discover_agent', { url });
        expect(card, url).toMatchObject({ ok: false, code: 'blocked_address' });
        const sent = await client.attempt('corvid_invoke_remote_agent', { agent_url: url, message: 'Hello' });
        expect(sent, url).toMatchObject({ ok: false, code: 'blocked_address' });
        expect(JSON.stringify([card, sent])).not.toContain('10.0.0.1');
        expect(violations, url).toHaveLength(2);
        expect(violations[0]).toMatchObject({ agentId: id, kind: 'blocked_address' });
      }
      expect([inside.connections(), remote.connections()]).toEqual([0, 0]);
      // None of them has taken from what the session may use.
      expect(await invoke(client)).toMatchObject({ ok: true });
    });

    test('check 46: a redirect to what lies inside is refused before any connection to it', async () => {
      const client = await newClient();
      for (const location of [...BLOCKED, `http://localhost:${inside.port}/`]) {
        remote.next({ status: 307, headers: { location } }, { status: 307, headers: { location } });
        const url = `${remote.url}/redirecting`;
        const card = await client.attempt('corvid_discover_agent', { url });
        expect(card, location).toMatchObject({ ok: false, code: 'blocked_address' });
        clock.nowMs += 3 * 3_600_000;
        const sent = await client.attempt('corvid_invoke_remote_agent', { agent_url: url, message: 'Hello' });
        expect(sent, location).toMatchObject({ ok: false, code: 'blocked_address' });
        expect(violations.splice(0), location).toHaveLength(2);
      }
      expect(inside.connections()).toBe(0);
    });

    test('plain http to a public host is refused too, and is no offence', async () => {
      const client = await newClient();
      const outcome = await client.attempt('corvid_discover_agent', { url: 'http://agent.example' });
      expect(outcome).toMatchObject({ code: 'blocked_address', message: expect.stringContaining('https') });
      expect(violations).toEqual([]);
    });

    test('nobody knows how far a remote agent is trusted, so min_trust refuses it, and says so', async () => {
      const client = await newClient();
      for (const min_trust of ['untrusted', 'low', 'verified'] as const)
        expect(await invoke(client, { min_trust })).toMatchObject({
          code: 'untrusted',
          message: expect.stringContaining('min_trust refuses all of them'),
        });
      expect(asked()).toEqual([]);
      expect(await invoke(client, {})).toMatchObject({ ok: true });
    });

    test('a session makes 10 calls to 3 agents, 5 seconds apart, whichever process it reaches', async () => {
      const { caller } = await newAgent();
      const one = await bed().client(inSession(caller, { sessionId: 'ses_1' }));
      const elsewhere = await clientWith(bed(), inSession(caller, { sessionId: 'ses_1' }), {}, OPTIONS);
      const call = (client: AgentClient, at: string) => invoke(client, { agent_url: `${remote.url}/${at}` });
      expect(await call(one, 'a')).toMatchObject({ ok: true });
      expect(await call(elsewhere, 'a')).toMatchObject({
        ok: false,
        code: 'budget_exceeded',
        data: { retry_after: 5 },
      });
      for (const at of ['b', 'c', 'a', 'b', 'c', 'a', 'b', 'c']) {
        clock.nowMs += 5000;
        expect(await call(elsewhere, at), at).toMatchObject({ ok: true });
      }
      clock.nowMs += 5000;
      expect(await call(one, 'd')).toMatchObject({ ok: false, code: 'budget_exceeded' });
      expect(await call(one, 'a')).toMatchObject({ ok: true });
      clock.nowMs += 5000;
      remote.clear();
      expect(await call(one, 'a')).toMatchObject({ ok: false, code: 'budget_exceeded' });
      expect(asked()).toEqual([]);
      const next = await bed().client(inSession(caller, { sessionId: 'ses_2' }));
      expect(await call(next, 'd')).toMatchObject({ ok: true });
    });

    test('while nobody watches both tools are there; switched off they name the setting', async () => {
      const { caller } = await newAgent();
      const names = await (await bed().client(unwatched(caller))).toolNames();
      expect(names).toEqual(expect.arrayContaining(['corvid_discover_agent', 'corvid_invoke_remote_agent']));
      const off = await clientWith(bed(), caller, { remoteAgents: 'off' }, OPTIONS);
      for (const outcome of [
        await off.attempt('corvid_discover_agent', { url: remote.url }),
        await invoke(off),
      ])
        expect(outcome).toMatchObject({
          ok: false,
          code: 'unavailable',
          message: expect.stringContaining('PARLEY_REMOTE_AGENTS'),
        });
      expect(asked()).toEqual([]);
    });

    test('looking at a card leaves the database as it was', async () => {
      const client = await newClient();
      const uses = () => bed().store.db<OutsideTables>().selectFrom('agent_uses').selectAll().execute();
      const before = await uses();
      await client.call('corvid_discover_agent', { url: `${remote.url}/unseen` });
      expect(await uses()).toEqual(before);
    });

    test('what does not fit is refused before anything is asked', async () => {
      const client = await newClient();
      const wrong = [
        [{ message: '' }, 'message'],
        [{ message: 'x'.repeat(32_769) }, 'message'],
        [{ timeout_minutes: 31 }, 'timeout_minutes'],
        [{ timeout_minutes: 0 }, 'timeout_minutes'],
        [{ min_trust: 'total' }, 'min_trust'],
        [{ agent_url: 'agent.example' }, 'agent_url'],
        [{ url: remote.url }, 'url'],
      ] as const;
      for (const [more, field] of wrong)
        expect(await invoke(client, more)).toMatchObject({
          ok: false,
          code: 'invalid',
          message: expect.stringContaining(field),
        });
      expect(asked()).toEqual([]);
    });
  },
  () => ({ clock, parts: { egress }, services: OPTIONS }),
);
