/** The factory. */
import { expect, test } from 'vitest';
import { onBothBeds } from '../../test/agent-bed.ts';
import { clientOf } from '../../test/session-client.ts';
import { closeAgentStore } from './on-store.ts';
import { createCorvidMcpServer } from './server.ts';

onBothBeds('a session in the process', (bed) => {
  test.each(['modern', 'legacy'] as const)('lists and calls over a transport (%s)', async (era) => {
    const { acme, agent, store, services } = bed();
    const { id } = await agent(acme.owner.caller);
    const server = createCorvidMcpServer({
      agentId: id,
      store,
      workTaskService: services.work,
      astParserService: services.code,
    });
    expect(server).toMatchObject({ type: 'sdk', name: 'parley-agent' });
    await using client = await clientOf(server, era);
    expect(await client.names()).toHaveLength(35);
    expect(client.raw.getServerVersion()).toMatchObject({ name: 'parley-agent' });
    expect(await client.call('corvid_save_memory', { key: 'a', content: 'b' })).toMatchObject({
      structuredContent: { key: 'a', created: true },
    });
    await closeAgentStore(store);
  });
});
