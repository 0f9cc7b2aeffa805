/** A key of an agent acts as the agent, and is held to its tools from the next request on. */
import { expect, test } from 'vitest';
import { onBothBeds } from '../../test/agent-bed.ts';

const LIST = 'corvid_list_agents';

onBothBeds('agents as callers', (bed, replica) => {
  test('a key of an agent acts as the agent, from the api, with its list', async () => {
    const { acme, agent, client } = bed();
    const ada = await agent(acme.owner.caller, { name: 'Ada', tools: [LIST] });
    const bob = await agent(acme.owner.caller, { name: 'Bob', tools: [] });
    expect(ada.caller).toMatchObject({ agent: { id: ada.id, name: 'Ada', depth: 1, source: 'api' } });
    const asAda = await client(ada.caller);
    expect(await asAda.toolNames()).toEqual([LIST]);
    const { agents } = await asAda.call(LIST, {});
    expect(agents.map(({ name }) => name)).toContain('Bob');
    expect(agents.map(({ name }) => name)).not.toContain('Ada');
    const asBob = await client(bob.caller);
    expect(await asBob.toolNames()).toEqual([]);
    await expect(asBob.raw.callTool({ name: LIST, arguments: {} })).rejects.toThrow(/unknown tool/i);
    expect(asBob.records.at(-1)).toMatchObject({ outcome: 'denied', code: 'not_in_set' });
  });

  test('somebody who is no agent has none of the tools, whatever they hold', async () => {
    const { acme, client } = bed();
    const asOwner = await client(acme.owner.caller);
    expect(await asOwner.toolNames()).toEqual([]);
    await expect(asOwner.raw.callTool({ name: LIST, arguments: {} })).rejects.toThrow(/unknown tool/i);
    expect(asOwner.records.at(-1)).toMatchObject({ outcome: 'denied', code: 'agent_missing' });
  });

  test('a change of its list counts for the next request, in other processes too', async () => {
    const { acme, agent, identity, services } = bed();
    const other = await replica();
    const eve = await agent(acme.owner.caller, { tools: [LIST] });
    const names = async (of: typeof identity) => (await of.authenticate(eve.key, 'key'))?.held?.['agent'];
    expect(await names(other.identity)).toContain(LIST);
    await services.agents.update(acme.owner.caller, eve.id, { tools: [] });
    expect(await names(identity)).not.toContain(LIST);
    await expect.poll(() => names(other.identity)).not.toContain(LIST);
  });

  test('the key of an agent that is gone is worth nothing', async () => {
    const { acme, agent, identity, services } = bed();
    const tom = await agent(acme.owner.caller);
    expect(await services.agents.delete(acme.owner.caller, tom.id)).toBe(true);
    expect(await identity.authenticate(tom.key, 'key')).toBeUndefined();
  });

  test('an agent of another organization is not there', async () => {
    const { acme, rival, agent, services } = bed();
    const { id } = await agent(acme.owner.caller);
    expect(await services.agents.get(rival.id, id)).toBeUndefined();
    await expect(services.agents.update(rival.owner.caller, id, { name: 'Mine' })).rejects.toThrow(
      'not found',
    );
    expect(await services.agents.delete(rival.owner.caller, id)).toBe(false);
  });
});
