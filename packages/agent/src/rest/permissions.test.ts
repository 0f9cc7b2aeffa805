/** What an agent may do, as people see it over REST; and what its own key may ask there. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { onBothBeds } from '../../test/agent-bed.ts';
import type { RestServer } from '../../test/rest-server.ts';
import { serveRest } from '../../test/rest-server.ts';
import { AGENT_TOOLS, DEFAULT_ALLOWED_TOOLS } from '../tools/sets.ts';

const LIST = 'corvid_list_agents';

onBothBeds(
  'what an agent may do',
  (bed, replica) => {
    let rest: RestServer;
    beforeAll(async () => {
      rest = await serveRest(bed());
    });
    afterAll(() => rest[Symbol.asyncDispose]());

    const ask = (path: string, method = 'GET', body?: unknown) =>
      rest.ask(bed().acme.owner.key, method, path, body);

    test('is told with what is kept from it, why, and the names that stand for nothing', async () => {
      const { id } = await bed().agent(bed().acme.owner.caller, { tools: [LIST, 'corvid_gone'] });
      const { status, json } = await ask(`/api/agents/${id}/tools`);
      expect(status).toBe(200);
      expect(json.data).toMatchObject({ tools: [LIST], unknown: ['corvid_gone'], prompt: '' });
      expect(json.data.removed).toEqual(
        AGENT_TOOLS.filter(({ name }) => name !== LIST).map(({ name }) => ({ name, reason: 'not_in_set' })),
      );
      const web = await ask(`/api/agents/${id}/tools?source=web`);
      expect(web.json.data.tools).toEqual(AGENT_TOOLS.map(({ name }) => name));
      const unwatched = await ask(`/api/agents/${id}/tools?source=web&unattended=true`);
      const blocked = AGENT_TOOLS.filter(({ unattended }) => unattended === 'block');
      expect(unwatched.json.data.removed).toEqual(
        blocked.map(({ name }) => ({ name, reason: 'unattended' })),
      );
      const scheduled = await ask(`/api/agents/${id}/tools?source=schedule`);
      expect(scheduled.json.data.tools).toEqual([LIST]);
    });

    test('is told with the words of its bundles and those of a project, in their order', async () => {
      const { services, acme, agent, client } = bed();
      const { caller } = acme.owner;
      const { id } = await agent(caller, { tools: [] });
      const words = async (kind: 'agent' | 'project', prompt: string, sortOrder: number) => {
        const facts = { name: prompt, description: '', tools: [LIST], prompt_additions: prompt };
        const { bundle } = await services.bundles.create(caller, facts);
        const owner = { kind, id: kind === 'agent' ? id : 'proj_words' };
        await services.skills.assign(caller, owner, { bundleId: bundle.id, sortOrder });
      };
      await words('project', 'Third', 0);
      await words('agent', 'Second', 7);
      await words('agent', 'First', 3);
      const { json } = await ask(`/api/agents/${id}/tools?project=proj_words`);
      expect(json.data).toMatchObject({ prompt: 'First\n\nSecond\n\nThird', tools: [LIST] });
      expect((await ask(`/api/agents/${id}/tools`)).json.data.prompt).toBe('First\n\nSecond');
      // As the agent reads it, with a key for the project.
      const made = await ask(`/api/agents/${id}/api-keys`, 'POST', { project_id: 'proj_words' });
      expect(made.status).toBe(201);
      const as = await bed().identity.authenticate(made.json.data.key, 'key');
      await using asAgent = await client(as ?? expect.unreachable());
      const { contents } = await asAgent.raw.readResource({ uri: 'agent://prompt' });
      expect(contents).toMatchObject([{ text: 'First\n\nSecond\n\nThird' }]);
      await using asOwner = await client(caller);
      await expect(asOwner.raw.readResource({ uri: 'agent://prompt' })).rejects.toThrow(/not found/i);
    });

    test.each(['source=console', 'unattended=maybe', 'nothing=1'])('?%s is refused', async (query) => {
      const { id } = await bed().agent(bed().acme.owner.caller);
      expect((await ask(`/api/agents/${id}/tools?${query}`)).status).toBe(400);
    });

    test('an agent of another organization answers as an unknown one', async () => {
      const { acme, rival, agent } = bed();
      const { id } = await agent(acme.owner.caller);
      for (const [method, below, body] of [
        ['GET', '', undefined],
        ['GET', '/tools', undefined],
        ['POST', '/api-keys', {}],
        ['PATCH', '', { name: 'Mine' }],
        ['DELETE', '', undefined],
      ] as const) {
        const foreign = await rest.ask(rival.owner.key, method, `/api/agents/${id}${below}`, body);
        const unknown = await rest.ask(rival.owner.key, method, `/api/agents/agt_nobody${below}`, body);
        expect(foreign).toEqual(unknown);
        expect(foreign.status).toBe(404);
      }
    });

    test("an agent's key opens no route of people, though a list names its right", async () => {
      const { acme, agent } = bed();
      const tools = ['agents_read', 'agents_manage', LIST];
      const { id, key } = await agent(acme.owner.caller, { tools });
      for (const [method, path] of [
        ['GET', '/api/agents'],
        ['GET', `/api/agents/${id}/tools`],
        ['POST', `/api/agents/${id}/api-keys`],
        ['GET', '/api/skill-bundles'],
        ['POST', '/api/skill-bundles'],
      ] as const)
        expect((await rest.ask(key, method, path, method === 'POST' ? {} : undefined)).status).toBe(403);
    });

    test('check 25: a tool that is taken from a list or bundle is gone with the next request, elsewhere soon', async () => {
      const { acme, agent, identity, services } = bed();
      const { caller } = acme.owner;
      const other = await replica();
      const facts = { name: 'Passing', description: '', tools: [LIST], prompt_additions: '' };
      const { bundle } = await services.bundles.create(caller, facts);
      const { id, key } = await agent(caller, { tools: [] });
      const has = async (of: typeof identity) =>
        (await of.authenticate(key, 'key'))?.held?.['agent']?.includes(LIST) ?? false;
      const steps: [string, boolean, () => Promise<unknown>][] = [
        [
          'bundle given',
          true,
          () => services.skills.assign(caller, { kind: 'agent', id }, { bundleId: bundle.id, sortOrder: 0 }),
        ],
        ['bundle emptied', false, () => services.bundles.update(caller, bundle.id, { tools: [] })],
        ['bundle filled', true, () => services.bundles.update(caller, bundle.id, { tools: [LIST] })],
        ['bundle deleted', false, () => services.bundles.delete(caller, bundle.id)],
        ['list names it', true, () => services.agents.update(caller, id, { tools: [LIST] })],
        ['list names it not', false, () => services.agents.update(caller, id, { tools: [] })],
      ];
      for (const [what, expected, change] of steps) {
        expect(await has(other.identity), what).toBe(!expected);
        await change();
        expect(await has(identity), what).toBe(expected);
        await expect.poll(() => has(other.identity), { timeout: 5000, interval: 20 }).toBe(expected);
      }
    });

    test('why an agent has a tool or not names what decides', async () => {
      const { acme, agent, identity, services } = bed();
      const { caller } = acme.owner;
      const why = async (name: string, tool = LIST) => {
        const as = await identity.callerNamed(acme.id, name);
        return identity.whyOfAgent(as ?? expect.unreachable(), tool);
      };
      await agent(caller, { name: 'By default' });
      await agent(caller, { name: 'By list', tools: [LIST] });
      const { id } = await agent(caller, { name: 'By bundle', tools: [] });
      expect(await why('by DEFAULT')).toBe('The default set has it.');
      expect(await why('By list')).toBe("The agent's own list names it.");
      expect(await why('By bundle')).toBe(
        "The agent's own list leaves it out, and the agent has no bundles.",
      );
      await services.skills.assign(caller, { kind: 'agent', id }, { bundleId: 'preset-coder', sortOrder: 0 });
      expect(await why('By bundle')).toBe(
        `The agent's own list leaves it out, and so do its bundles "Coder".`,
      );
      await services.skills.assign(
        caller,
        { kind: 'agent', id },
        { bundleId: 'preset-communicator', sortOrder: 0 },
      );
      expect(await why('By bundle')).toBe('The bundle "Communicator" of the agent gives it.');
      expect(await why('By bundle', 'parley_whoami')).toBeUndefined();
      expect(await identity.whyOfAgent(caller, LIST)).toBeUndefined();
      expect(await identity.callerNamed(bed().rival.id, 'By bundle')).toBeUndefined();
    });

    test('nobody acts as an agent that can do what they cannot', async () => {
      const { acme, agent, identity, services } = bed();
      const { id } = await agent(acme.owner.caller);
      const as = await services.permissions.actAs(acme.owner.caller, id);
      expect(as).toMatchObject({ id, source: 'stdio', agent: { id, source: 'mcp', depth: 1 } });
      expect(as.held?.['agent']).toEqual(expect.arrayContaining([...DEFAULT_ALLOWED_TOOLS]));
      const grants = { agent: ['agents_manage'] };
      const { text } = await identity.createKey(acme.owner.caller, {
        name: 'Narrow',
        grants,
        expiresAt: null,
      });
      const narrow = await identity.authenticate(text, 'key');
      await expect(services.permissions.actAs(narrow ?? expect.unreachable(), id)).rejects.toThrow(
        'more than you: corvid_',
      );
      const { rival } = bed();
      await expect(services.permissions.actAs(rival.owner.caller, id)).rejects.toThrow('Agent not found');
    });
  },
  () => ({ services: { projectExists: async () => true } }),
);
