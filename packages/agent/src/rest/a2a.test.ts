/** Tasks from remote agents: who may give them, how they run, and what of them anybody sees. */
import { keyOf } from '@parley/identity/testing';
import { createEgress } from '@parley/kit/egress';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { BedAgent } from '../../test/agent-bed.ts';
import { onBothBeds, standingClock } from '../../test/agent-bed.ts';
import type { RestServer } from '../../test/rest-server.ts';
import { serveRest } from '../../test/rest-server.ts';
import { servicesBeside } from '../../test/services-beside.ts';
import { clientWith } from '../../test/with-settings.ts';
import type { RunRequest, RunResult } from '../adapters/runner/runner.ts';

const CARD = '/.well-known/agent-card.json';
const SETTINGS = { a2a: 'on', a2aAgent: 'Offered' };

const clock = standingClock();
const runs: RunRequest[] = [];
let ends: (request: RunRequest) => Promise<RunResult>;
const runner = {
  async run(request: RunRequest) {
    runs.push(request);
    return ends(request);
  },
};

beforeEach(() => {
  clock.nowMs += 3_600_000;
  runs.length = 0;
  ends = async ({ prompt }) => ({ status: 'completed', text: `Done: ${prompt}` });
});

const egress = createEgress({ allow: ['127.0.0.1'] });
afterAll(() => egress.close());

onBothBeds(
  'tasks of remote agents',
  (bed) => {
    let served: RestServer;
    let offered: BedAgent;
    let partner: { key: string; other: string; stranger: string; powerless: string };

    beforeAll(async () => {
      const { acme, rival, identity, agent, services, host } = bed();
      const isAcme = (await identity.firstOrganizationId()) === acme.id;
      const [own, strange] = isAcme ? [acme, rival] : [rival, acme];
      offered = await agent(own.owner.caller, { name: 'offered', description: 'Takes tasks' });
      await agent(strange.owner.caller, { name: 'Offered' });
      const grants = { agent: ['a2a_tasks'] };
      const keyFor = async (who: typeof own, given: Record<string, string[]>) =>
        (await keyOf(identity, who.owner.caller, given)).key;
      partner = {
        key: await keyFor(own, grants),
        other: await keyFor(own, grants),
        stranger: await keyFor(strange, grants),
        powerless: await keyFor(own, { agent: ['agents_read'] }),
      };
      served = await serveRest({ services, host });
    });
    afterAll(() => served[Symbol.asyncDispose]());

    const send = (body: object, as = partner.key) => served.ask(as, 'POST', '/a2a/tasks/send', body);
    const look = async (id: string, as = partner.key) => served.ask(as, 'GET', `/a2a/tasks/${id}`);
    const ended = async (id: string) => {
      const state = async () => JSON.parse((await look(id)).text).state as string;
      await expect.poll(state, { timeout: 10_000 }).toMatch(/completed|failed/);
      return JSON.parse((await look(id)).text) as {
        state: string;
        messages: { parts: { text: string }[] }[];
      };
    };

    test('a task outlives the process that ran it, and has one end', async () => {
      const { host } = bed();
      const now = () => clock.nowMs;
      const processOf = (run: (request: RunRequest) => Promise<RunResult>) => {
        const process = servicesBeside(host, SETTINGS, { now, outside: { runner: { run } } });
        process.tasks.start();
        return process;
      };
      const begun = Promise.withResolvers<void>();
      const first = processOf(({ signal }) => {
        begun.resolve();
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('It was stopped.')));
        });
      });
      await using routes = await serveRest({ services: first.services, host });
      const body = { message: 'Long work' };
      const sent = await routes.ask(partner.key, 'POST', '/a2a/tasks/send', body);
      await begun.promise;
      const { id } = JSON.parse(sent.text);
      expect(JSON.parse((await look(id)).text).state).toBe('working');
      await first.tasks.stop();
      expect(JSON.parse((await look(id)).text).state).toBe('working');
      const second = processOf(async () => ({ status: 'completed', text: 'Done at last' }));
      const task = await ended(id);
      await second.tasks.stop();
      expect([task.state, task.messages.at(-1)?.parts[0]?.text]).toEqual(['completed', 'Done at last']);
      expect(runs).toEqual([]);
      // From here on the process of the bed runs them.
      bed().tasks.start();
    });

    test('switched off, nothing of it is served', async () => {
      const { host } = bed();
      const { services } = servicesBeside(host, {});
      await using plain = await serveRest({ services, host });
      expect(plain.prefixes).not.toContain('/a2a');
      expect(plain.prefixes).not.toContain(CARD);
      expect(() => servicesBeside(host, { a2a: 'on' })).toThrow('--a2a-agent');
    });

    test('the card is open, and tells only of the agent that is offered', async () => {
      const { status, text } = await served.ask(undefined, 'GET', CARD);
      expect(status).toBe(200);
      expect(JSON.parse(text)).toMatchObject({
        name: 'offered',
        version: '1',
        description: 'Takes tasks',
        authentication: { schemes: ['bearer'] },
        skills: [],
      });
      expect(text).not.toContain(offered.id);
      for (const [method, path] of [
        ['POST', CARD],
        ['GET', `${CARD}/more`],
      ] as const)
        expect((await served.ask(undefined, method, path)).status, path).toBe(404);
      const { host } = bed();
      const { services } = servicesBeside(host, { a2a: 'on', a2aAgent: 'Nobody' });
      await using nobody = await serveRest({ services, host });
      expect((await nobody.ask(undefined, 'GET', CARD)).status).toBe(404);
    });

    test('a task runs unattended, as deep as the sender says, and is asked for until it ends', async () => {
      const sent = await send({ message: ' Count to 3 ', skill: 'count', depth: 3, timeoutMs: 60_000 });
      expect(sent.status).toBe(200);
      const { id, state, messages } = JSON.parse(sent.text);
      expect(state).toBe('submitted');
      expect(messages).toEqual([{ role: 'user', parts: [{ type: 'text', text: 'Count to 3' }] }]);
      const task = await ended(id);
      expect(task).toMatchObject({
        state: 'completed',
        messages: [
          { role: 'user' },
          { role: 'agent', parts: [{ type: 'text', text: 'Done: Skill: count\n\nCount to 3' }] },
        ],
      });
      const { signal: _signal, ...run } = runs[0] as RunRequest;
      expect(run).toEqual({
        kind: 'remote',
        agent: { id: offered.id, name: 'offered', organizationId: offered.caller.organizationId },
        prompt: 'Skill: count\n\nCount to 3',
        history: [],
        depth: 2,
        unattended: true,
        timeoutMs: 60_000,
      });
      expect(runs).toHaveLength(1);
    });

    test('a task in an envelope is the same; one that fails says why', async () => {
      ends = async () => ({ status: 'failed', text: 'I could not.' });
      const sent = await send({ params: { message: 'Hello' } });
      const task = await ended(JSON.parse(sent.text).id);
      expect([task.state, task.messages.at(-1)?.parts[0]?.text]).toEqual(['failed', 'I could not.']);
      expect(runs[0]).toMatchObject({ depth: 1, prompt: 'Hello', timeoutMs: 300_000 });
    });

    test('it takes a key with the right, of the same organization', async () => {
      expect((await served.ask(undefined, 'POST', '/a2a/tasks/send', { message: 'x' })).status).toBe(401);
      expect((await served.ask(undefined, 'GET', '/a2a/tasks/rtask_1')).status).toBe(401);
      for (const as of [partner.powerless, offered.key])
        expect((await send({ message: 'x' }, as)).status).toBe(403);
      expect((await send({ message: 'x' }, partner.stranger)).status).toBe(404);
      expect(runs).toEqual([]);
    });

    test('the task of another caller is like one that is not there', async () => {
      const { id } = JSON.parse((await send({ message: 'Secret' })).text);
      const unknown = await look('rtask_00000000000000000000000000');
      for (const as of [partner.other, partner.stranger]) {
        const foreign = await look(id, as);
        expect([foreign.status, foreign.text]).toEqual([404, unknown.text]);
      }
      await ended(id);
    });

    test('5 tasks a minute from one source', async () => {
      const statuses: number[] = [];
      for (let count = 0; count < 6; count += 1) statuses.push((await send({ message: 'x' })).status);
      expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
      expect((await send({ message: 'x' })).retryAfter).toBe('60');
      expect((await send({ message: 'x' }, partner.other)).status).toBe(200);
      clock.nowMs += 60_000;
      expect((await send({ message: 'x' })).status).toBe(200);
      await expect.poll(() => runs.length, { timeout: 10_000 }).toBe(7);
    });

    test('what does not fit is refused', async () => {
      const wrong = [
        [{}, 'message'],
        [{ message: ' ' }, 'message'],
        [{ message: 'x'.repeat(32_769) }, 'message'],
        [{ message: 'x', timeoutMs: 1_800_001 }, 'timeoutMs'],
        [{ message: 'x', depth: 5 }, 'depth'],
        [{ message: 'x', depth: 0 }, 'depth'],
      ] as const;
      for (const [body, field] of wrong) {
        const { status, text } = await send(body);
        expect([status, text], field).toEqual([400, expect.stringContaining(field)]);
      }
      expect(runs).toEqual([]);
    });

    test('without a runner the task comes into the inbox, once, and the reply is its end', async () => {
      const { host } = bed();
      const now = () => clock.nowMs;
      // It is the last test that needs the tasks of the bed.
      await bed().tasks.stop();
      const { services, tasks } = servicesBeside(host, SETTINGS, { now });
      tasks.start();
      await using open = await serveRest({ services, host });
      const sent = await open.ask(partner.key, 'POST', '/a2a/tasks/send', { message: 'x' });
      const { id } = JSON.parse(sent.text);
      const { organizationId, agent } = offered.caller;
      const of = { organizationId, agentId: agent?.id ?? '' };
      const inbox = () => services.messages.inbox.list(of, { limit: 10 });
      const from = { id: null, name: 'Remote agent' };
      await expect.poll(inbox).toMatchObject([{ text: 'x', unattended: true, from }]);
      const [arrived] = await inbox();
      await services.messages.inbox.reply(of, arrived?.id ?? '', 'From the inbox');
      const task = await ended(id);
      expect(task.messages.at(-1)?.parts[0]?.text).toBe('From the inbox');
      await tasks.stop();
    });

    test('the card is read by the tool of another agent', async () => {
      const { agent, acme } = bed();
      const { caller } = await agent(acme.owner.caller);
      const client = await clientWith({ ...bed(), host: { ...bed().host, egress } }, caller, {});
      const found = await client.call('corvid_discover_agent', { url: served.url });
      expect(found).toMatchObject({ found: true, card: { name: 'offered', auth_schemes: ['bearer'] } });
    });
  },
  () => ({ clock, parts: { settings: SETTINGS }, services: { outside: { runner } } }),
);
