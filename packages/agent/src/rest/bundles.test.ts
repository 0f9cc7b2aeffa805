/** Bundles over REST: presets, limits, the ceiling, and what agents and projects have of them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { onBothBeds } from '../../test/agent-bed.ts';
import type { RestServer } from '../../test/rest-server.ts';
import { serveRest } from '../../test/rest-server.ts';
import type { AgentTables } from '../schema.ts';
import { PRESETS } from '../services/presets.ts';
import { AGENT_TOOLS } from '../tools/sets.ts';

const LIST = 'corvid_list_agents';
const BUNDLES = '/api/skill-bundles';
const PROJECT = 'proj_shop';
const SHOP = { id: PROJECT, name: 'Shop', description: null };

describe('presets', () => {
  test('are the nine of the house, and Full Stack joins three of them', () => {
    expect(PRESETS.map(({ id, tools }) => [id, tools.length])).toEqual([
      ['preset-code-reviewer', 4],
      ['preset-devops', 3],
      ['preset-researcher', 4],
      ['preset-communicator', 4],
      ['preset-analyst', 4],
      ['preset-coder', 4],
      ['preset-github-ops', 8],
      ['preset-full-stack', 15],
      ['preset-memory-manager', 4],
    ]);
    const privileged = new Set(['corvid_grant_credits', 'corvid_credit_config']);
    expect(PRESETS.flatMap(({ tools }) => tools).filter((tool) => privileged.has(tool))).toEqual([]);
  });
});

onBothBeds(
  'bundles over REST',
  (bed) => {
    let rest: RestServer;
    beforeAll(async () => {
      rest = await serveRest(bed());
    });
    afterAll(() => rest[Symbol.asyncDispose]());

    const owner = () => bed().acme.owner.key;
    const make = async (body: Record<string, unknown>, key = owner()) => rest.ask(key, 'POST', BUNDLES, body);
    let count = 0;
    const someName = () => `Bundle ${(count += 1)}`;

    test('every organization has its own presets from the start', async () => {
      const { acme, rival } = bed();
      const own = await rest.ask(owner(), 'GET', BUNDLES);
      expect(own.status).toBe(200);
      const presets = own.json.data.filter((bundle: { preset: boolean }) => bundle.preset);
      expect(presets.map(({ id }: { id: string }) => id).toSorted()).toEqual(
        PRESETS.map(({ id }) => id).toSorted(),
      );
      const at = `${BUNDLES}/preset-coder`;
      await rest.ask(acme.owner.key, 'PUT', at, { description: 'Ours.' });
      expect((await rest.ask(rival.owner.key, 'GET', at)).json.data.description).not.toBe('Ours.');
    });

    test('a preset is edited and set back; a bundle of somebody is not', async () => {
      const at = `${BUNDLES}/preset-devops`;
      const edited = await rest.ask(owner(), 'PUT', at, { name: 'Pipes', tools: [LIST] });
      expect(edited).toMatchObject({ status: 200, json: { data: { id: 'preset-devops', name: 'Pipes' } } });
      const back = await rest.ask(owner(), 'POST', `${at}/reset`);
      expect(back).toMatchObject({ status: 200, json: { data: { name: 'DevOps' } } });
      expect(back.json.data.tools).toHaveLength(3);
      const { json } = await make({ name: someName() });
      expect((await rest.ask(owner(), 'POST', `${BUNDLES}/${json.data.id}/reset`)).status).toBe(404);
    });

    test('check 54: a preset cannot be deleted, and answers as an unknown bundle', async () => {
      const { rival } = bed();
      const preset = await rest.ask(owner(), 'DELETE', `${BUNDLES}/preset-coder`);
      const unknown = await rest.ask(owner(), 'DELETE', `${BUNDLES}/bundle_nobody`);
      expect(preset.status).toBe(404);
      expect(preset.text).toBe(unknown.text);
      const { json } = await make({ name: someName() });
      const at = `${BUNDLES}/${json.data.id}`;
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const foreign = await rest.ask(rival.owner.key, method, at, method === 'PUT' ? {} : undefined);
        expect(foreign).toMatchObject({ status: 404, text: unknown.text });
      }
      expect((await rest.ask(owner(), 'DELETE', at)).status).toBe(204);
      expect((await rest.ask(owner(), 'DELETE', at)).status).toBe(404);
    });

    test.each([
      ['51 tools', { tools: Array.from({ length: 51 }, (_, at) => `tool_${at}`) }, 'tools'],
      ['a tool with a blank', { tools: ['a b'] }, 'tools.0'],
      ['a wildcard', { tools: ['*'] }, 'tools.0'],
      ['a long name of a tool', { tools: ['a'.repeat(101)] }, 'tools.0'],
      ['an empty name', { name: '  ' }, 'name'],
      ['a long name', { name: 'n'.repeat(101) }, 'name'],
      ['a long description', { description: 'd'.repeat(1001) }, 'description'],
      ['long words', { prompt_additions: 'p'.repeat(4001) }, 'prompt_additions'],
      ['an unknown field', { colour: 'red' }, 'colour'],
    ])('check 54: %s is refused with its field', async (_what, body, field) => {
      const answer = await make({ name: someName(), ...body });
      expect(answer.status).toBe(400);
      expect(Object.keys(answer.json.error.details.errors)).toEqual([field]);
    });

    test('as much as is allowed is taken', async () => {
      const tools = Array.from({ length: 50 }, (_, at) => `tool_${at}`);
      const name = someName().padEnd(100, '.');
      const words = { description: 'd'.repeat(1000), prompt_additions: 'p'.repeat(4000) };
      const answer = await make({ name, tools, ...words });
      expect(answer.status).toBe(201);
      expect(answer.json.data.warnings).toHaveLength(50);
      expect(answer.json.data.warnings[0]).toContain('tool_0');
    });

    test('a name is there once, whatever its case', async () => {
      const name = someName();
      expect((await make({ name })).status).toBe(201);
      expect((await make({ name: name.toUpperCase() })).status).toBe(409);
      expect((await rest.ask(owner(), 'PUT', `${BUNDLES}/preset-coder`, { name })).status).toBe(409);
      expect((await make({ name }, bed().rival.owner.key)).status).toBe(201);
    });

    test('check 54: nobody puts a tool that they do not have into a list or bundle', async () => {
      const { acme, identity } = bed();
      // Somebody who may manage agents, and has none of their tools.
      const rights = { agent: ['agents_read', 'agents_manage'] };
      const { text: key } = await identity.createKey(acme.member.caller, {
        name: 'Clerk',
        grants: rights,
        expiresAt: null,
      });
      expect((await make({ name: someName(), tools: [LIST] }, key)).status).toBe(403);
      const { id } = (await make({ name: someName(), tools: [LIST] })).json.data;
      expect((await rest.ask(key, 'PUT', `${BUNDLES}/${id}`, { tools: [LIST] })).status).toBe(403);
      expect((await rest.ask(key, 'POST', '/api/agents', { name: 'Tool', tools: [LIST] })).status).toBe(403);
      const agent = await rest.ask(key, 'POST', '/api/agents', { name: 'Empty', tools: [] });
      expect(agent.status).toBe(201);
      const change = { tools: [LIST] };
      const at = `/api/agents/${agent.json.data.id}`;
      expect((await rest.ask(key, 'PATCH', at, change)).status).toBe(403);
      for (const owned of [at, `/api/projects/${PROJECT}`])
        expect((await rest.ask(key, 'POST', `${owned}/skills`, { bundle_id: id })).status).toBe(403);
      expect((await rest.ask(owner(), 'GET', `${at}/skills`)).json.data).toEqual([]);
    });

    test('check 54: the default set, and a name that stands for no tool yet, take as much to give', async () => {
      const { acme, identity, services } = bed();
      const defaults = AGENT_TOOLS.filter((tool) => tool.privileged === false).map(({ name }) => name);
      const keyWith = async (...names: string[]) => {
        const grants = { agent: ['agents_read', 'agents_manage', ...names] };
        return (await identity.createKey(acme.member.caller, { name: 'Clerk', grants, expiresAt: null }))
          .text;
      };
      const { id } = await bed().agent(acme.owner.caller, { tools: [] });
      const { id: bundle } = (await make({ name: someName() })).json.data;
      const { id: withSet } = await bed().agent(acme.owner.caller);
      const { id: later } = (await make({ name: someName(), tools: ['later:tool'] })).json.data;
      const asked = async (key: string, tools: readonly string[] | null | undefined) => {
        const sent = { ...(tools !== undefined && { tools }) };
        const agents = [
          await rest.ask(key, 'POST', '/api/agents', { name: someName(), ...sent }),
          await rest.ask(key, 'PATCH', `/api/agents/${id}`, { tools: tools ?? null }),
        ];
        const isList = tools !== null && tools !== undefined;
        const bundles = isList
          ? [
              await make({ name: someName(), tools }, key),
              await rest.ask(key, 'PUT', `${BUNDLES}/${bundle}`, { tools }),
            ]
          : [];
        return [...agents, ...bundles].map(({ status, json }) => [status, json.data?.warnings?.length]);
      };
      const refused = [403, undefined];
      for (const key of [await keyWith(), await keyWith(LIST), await keyWith(...defaults.slice(1))]) {
        expect(await asked(key, null)).toEqual([refused, refused]);
        expect(await asked(key, undefined)).toEqual([refused, refused]);
        expect(await asked(key, ['later:tool'])).toEqual([refused, refused, refused, refused]);
        const skill = { bundle_id: later };
        expect((await rest.ask(key, 'POST', `/api/agents/${id}/skills`, skill)).status).toBe(403);
        const clerk = await identity.authenticate(key, 'key');
        await expect(services.agents.createKey(clerk!, withSet)).rejects.toMatchObject({ code: 'forbidden' });
        const renamed = await rest.ask(key, 'PATCH', `/api/agents/${withSet}`, { name: someName() });
        expect(renamed.status).toBe(200);
      }
      expect((await rest.ask(owner(), 'GET', `/api/agents/${id}`)).json.data.tools).toEqual([]);
      expect(await asked(await keyWith(...defaults), null)).toEqual([
        [201, 0],
        [200, 0],
      ]);
      for (const key of [owner(), acme.member.key, await keyWith('later:tool')])
        expect(await asked(key, ['later:tool'])).toEqual([
          [201, 1],
          [200, 1],
          [201, 1],
          [200, 1],
        ]);
    });

    test('nobody makes a key of an agent that has more than they have, by its list, a bundle or a project', async () => {
      const { acme, identity, services } = bed();
      const FORK = 'corvid_github_fork_repo';
      const clerkWith = async (...names: string[]) => {
        const grants = { agent: ['agents_read', 'agents_manage', ...names] };
        const { text } = await identity.createKey(acme.member.caller, {
          name: 'Clerk',
          grants,
          expiresAt: null,
        });
        return { key: text, caller: (await identity.authenticate(text, 'key')) ?? expect.fail() };
      };
      const less = await clerkWith(LIST);
      const enough = await clerkWith(LIST, FORK);
      const { id: strong } = (await make({ name: someName(), tools: [FORK] })).json.data;
      const given = async (tools: string[], ...bundles: string[]) => {
        const { id } = await bed().agent(acme.owner.caller, { tools });
        for (const bundle_id of bundles)
          await rest.ask(owner(), 'POST', `/api/agents/${id}/skills`, { bundle_id });
        return id;
      };
      const plain = await given([LIST]);
      await rest.ask(owner(), 'POST', `/api/projects/${PROJECT}/skills`, { bundle_id: strong });
      const rows = [
        { what: 'its list', id: await given([LIST, FORK]), options: {}, mayLess: false },
        { what: 'its bundle', id: await given([LIST], strong), options: {}, mayLess: false },
        { what: 'an empty list and a bundle', id: await given([], strong), options: {}, mayLess: false },
        { what: 'the project', id: plain, options: { projectId: PROJECT }, mayLess: false },
        { what: 'another project', id: plain, options: {}, mayLess: true },
      ];
      for (const { what, id, options, mayLess } of rows) {
        const made = services.agents.createKey(less.caller, id, options);
        if (mayLess) expect(await made, what).toMatch(/./);
        else
          await expect(made, what).rejects.toMatchObject({
            code: 'forbidden',
            message: `You cannot give what you do not have: ${FORK}`,
          });
        expect(await services.agents.createKey(enough.caller, id, options), what).toMatch(/./);
      }
      // Nor do they change a bundle that agents have, whatever of it, or give it to others.
      const skills = [`/api/agents/${plain}/skills`, `/api/projects/${PROJECT}/skills`];
      // A project that has it is no way around that.
      const own = { default_project_id: PROJECT };
      const placed = async (key: string) => [
        (await rest.ask(key, 'PATCH', `/api/agents/${plain}`, own)).status,
        (await rest.ask(key, 'POST', '/api/agents', { name: someName(), tools: [LIST], ...own })).status,
        (await rest.ask(key, 'PUT', `/api/agents/${plain}/projects/${PROJECT}`)).status,
      ];
      expect(await placed(less.key)).toEqual([403, 403, 403]);
      expect(await placed(enough.key)).toEqual([200, 201, 204]);
      for (const [{ key }, status] of [
        [less, 403],
        [enough, 200],
      ] as const) {
        const change = { description: 'Ours.' };
        expect((await rest.ask(key, 'PUT', `${BUNDLES}/${strong}`, change)).status).toBe(status);
        for (const path of skills)
          expect((await rest.ask(key, 'POST', path, { bundle_id: strong })).status).toBe(
            status === 200 ? 201 : status,
          );
      }
      expect((await rest.ask(less.key, 'POST', `${BUNDLES}/preset-devops/reset`)).status).toBe(403);
      await rest.ask(owner(), 'DELETE', `/api/projects/${PROJECT}/skills/${strong}`);
    });

    const privileged = AGENT_TOOLS.filter((tool) => tool.privileged !== false);
    test.each(privileged)('check 54: a member cannot give $name, an administrator can', async ({ name }) => {
      const { acme } = bed();
      const tools = [name];
      for (const path of [BUNDLES, '/api/agents']) {
        const asked = (key: string) => rest.ask(key, 'POST', path, { name: someName(), tools });
        expect((await asked(acme.member.key)).status).toBe(403);
        expect((await asked(acme.admin.key)).status).toBe(201);
      }
      // A preset holds none, whoever edits it.
      expect((await rest.ask(owner(), 'PUT', `${BUNDLES}/preset-coder`, { tools })).status).toBe(400);
    });

    test('a bundle is given to an agent and a project, moved and taken back', async () => {
      const { id: agentId } = await bed().agent(bed().acme.owner.caller, { tools: [] });
      const { id } = (await make({ name: someName(), tools: [LIST] })).json.data;
      for (const owned of [`/api/agents/${agentId}/skills`, `/api/projects/${PROJECT}/skills`]) {
        const first = await rest.ask(owner(), 'POST', owned, { bundle_id: id });
        expect(first).toMatchObject({ status: 201, json: { data: { bundle_id: id, sort_order: 0 } } });
        await rest.ask(owner(), 'POST', owned, { bundle_id: 'preset-coder', sort_order: 1 });
        await rest.ask(owner(), 'POST', owned, { bundle_id: id, sort_order: 2 });
        const list = await rest.ask(owner(), 'GET', owned);
        expect(list.json.data).toMatchObject([
          { bundle_id: 'preset-coder' },
          { bundle_id: id, tools: [LIST] },
        ]);
        expect((await rest.ask(owner(), 'POST', owned, { bundle_id: id, sort_order: -1 })).status).toBe(400);
        expect((await rest.ask(owner(), 'POST', owned, { bundle_id: 'bundle_nobody' })).status).toBe(404);
        expect((await rest.ask(owner(), 'DELETE', `${owned}/${id}`)).status).toBe(204);
        expect((await rest.ask(owner(), 'DELETE', `${owned}/${id}`)).status).toBe(404);
      }
    });

    test('what is of another organization is not there', async () => {
      const { acme, rival } = bed();
      const { id: agentId } = await bed().agent(acme.owner.caller);
      const strange = async (path: string) => {
        const get = await rest.ask(rival.owner.key, 'GET', `${path}/skills`);
        const post = await rest.ask(rival.owner.key, 'POST', `${path}/skills`, { bundle_id: 'preset-coder' });
        return [get.status, get.text, post.status, post.text];
      };
      expect(await strange(`/api/agents/${agentId}`)).toEqual(await strange('/api/agents/agt_nobody'));
      expect((await strange(`/api/agents/${agentId}`))[0]).toBe(404);
      expect(await strange('/api/projects/theirs')).toEqual(await strange('/api/projects/nobodys'));
      const { id } = (await make({ name: someName() }, rival.owner.key)).json.data;
      const mixed = await rest.ask(owner(), 'POST', `/api/agents/${agentId}/skills`, { bundle_id: id });
      expect(mixed.status).toBe(404);
    });

    test('an agent has 20 bundles at most, an organization 200', async () => {
      const { services, store, rival } = bed();
      const { caller } = rival.owner;
      const { id } = await bed().agent(caller);
      const there = (await services.bundles.list(rival.id)).length;
      const rows = Array.from({ length: 200 - there }, (_, at) => ({
        id: `bundle_many_${at}`,
        organization_id: rival.id,
        name: `Many ${at}`,
        name_key: `many ${at}`,
        description: '',
        tools: '[]',
        prompt_additions: '',
        preset: null,
        created_at: 0,
        updated_at: 0,
      }));
      await store.db<AgentTables>().insertInto('skill_bundles').values(rows).execute();
      const given = { organization_id: rival.id, agent_id: id, sort_order: 0, created_at: 0 };
      const skills = rows.slice(0, 20).map(({ id: bundle_id }) => ({ ...given, bundle_id }));
      await store.db<AgentTables>().insertInto('agent_skills').values(skills).execute();
      const more = await make({ name: 'One more' }, rival.owner.key);
      expect(more).toMatchObject({ status: 400, text: expect.stringContaining('at most 200') });
      const path = `/api/agents/${id}/skills`;
      const last = await rest.ask(rival.owner.key, 'POST', path, { bundle_id: 'bundle_many_20' });
      expect(last).toMatchObject({ status: 400, text: expect.stringContaining('at most 20') });
      const moved = await rest.ask(rival.owner.key, 'POST', path, {
        bundle_id: 'bundle_many_0',
        sort_order: 5,
      });
      expect(moved.status).toBe(201);
    });
  },
  () => ({
    parts: {
      projects: {
        list: async () => [SHOP],
        get: async (_organizationId, id) => (id === PROJECT ? SHOP : undefined),
      },
    },
  }),
);
