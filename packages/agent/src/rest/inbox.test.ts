/** The inbox over REST: an agent's own, or for people who manage agents, and nobody else's. */
import type { Caller } from '@parley/kit';
import { expect, test } from 'vitest';
import { onBothBeds } from '../../test/agent-bed.ts';
import type { BedAgent } from '../../test/agent-bed.ts';
import { servedUntilEnd } from '../../test/rest-server.ts';

const SEND = 'corvid_send_message';

onBothBeds('the inbox over REST', (bed, replica) => {
  const owner = () => bed().acme.owner.caller;
  const keyOf = async (maker: Caller, names: string[]) =>
    (await bed().identity.createKey(maker, { name: 'test', grants: { agent: names }, expiresAt: null })).text;
  const send = async (from: BedAgent, to: BedAgent, message: string, wait_seconds?: number) => {
    const client = await bed().client(from.caller);
    return client.call(SEND, {
      to_agent: to.id,
      message,
      ...(wait_seconds !== undefined && { wait_seconds }),
    });
  };

  test('check 33: an agent gets its messages with its key, claims, renews and answers them, once', async () => {
    const ask = await servedUntilEnd(bed());
    const ada = await bed().agent(owner());
    const bob = await bed().agent(owner());
    const second = await bed().services.agents.createKey(owner(), bob.id);
    const { message_id: id, thread } = await send(ada, bob, 'first');
    bed().clock.nowMs += 1;
    await send(ada, bob, 'second');
    const inbox = `/api/agents/${bob.id}/inbox`;
    const listed = await ask(bob.key, 'GET', inbox);
    expect(listed).toMatchObject({
      status: 200,
      json: {
        data: {
          messages: [
            { id, thread, text: 'first', from: { id: ada.id, name: ada.name }, depth: 2, status: 'queued' },
            { text: 'second' },
          ],
        },
      },
    });
    const { messages } = (listed.json as { data: { messages: { cursor: string }[] } }).data;
    const after = await ask(bob.key, 'GET', `${inbox}?after=${messages[0]?.cursor}`);
    expect(after.json).toMatchObject({ data: { messages: [{ text: 'second' }] } });
    expect((await ask(bob.key, 'GET', `${inbox}?after=nonsense`)).status).toBe(400);
    expect((await ask(bob.key, 'GET', `${inbox}?wait=31`)).status).toBe(400);

    const claim = await ask(bob.key, 'POST', `${inbox}/${id}/claim`);
    const until = new Date(bed().clock.nowMs + 60_000).toISOString();
    expect(claim).toMatchObject({ status: 200, json: { data: { id, lease_until: until } } });
    expect((await ask(bob.key, 'POST', `${inbox}/${id}/claim`)).status).toBe(200);
    expect((await ask(second, 'POST', `${inbox}/${id}/claim`)).status).toBe(409);
    expect((await ask(bob.key, 'POST', `${inbox}/${id}/claim`, { worker: 'other' })).status).toBe(409);
    expect((await ask(second, 'POST', `${inbox}/${id}/reply`, { text: 'mine' })).status).toBe(409);
    expect((await ask(bob.key, 'POST', `${inbox}/${id}/reply`, { text: '  ' })).status).toBe(400);
    expect((await ask(bob.key, 'POST', `${inbox}/${id}/reply`, { text: 'yes' })).status).toBe(200);
    expect((await ask(bob.key, 'POST', `${inbox}/${id}/reply`, { text: 'no' })).status).toBe(409);
    const back = await ask(ada.key, 'GET', `/api/agents/${ada.id}/inbox`);
    expect(back.json).toMatchObject({ data: { messages: [{ text: 'yes', reply_to: id, thread }] } });
  });

  test('waiting is watching: the sender waits for whoever polls, in another process too', async () => {
    const other = await replica();
    const ask = await servedUntilEnd(other);
    const ada = await bed().agent(owner());
    const bob = await bed().agent(owner());
    const inbox = `/api/agents/${bob.id}/inbox`;
    const polled = ask(bob.key, 'GET', `${inbox}?wait=30`);
    const reach = async () => (await bed().services.messages.reach(bed().acme.id))(bob as never);
    await expect.poll(reach).toBe('watched');
    const sent = send(ada, bob, 'are you there?');
    const { json } = await polled;
    const [message] = (json as { data: { messages: { id: string }[] } }).data.messages;
    await ask(bob.key, 'POST', `${inbox}/${message?.id}/claim`);
    await ask(bob.key, 'POST', `${inbox}/${message?.id}/reply`, { text: 'here' });
    expect(await sent).toMatchObject({ status: 'replied', reply: 'here' });
    // Nobody comes back for more.
    bed().clock.nowMs += 60_000;
    expect(await reach()).toBe('inbox');
  });

  test('who fails says why, and the sender finds it in its inbox', async () => {
    const ask = await servedUntilEnd(bed());
    const ada = await bed().agent(owner());
    const bob = await bed().agent(owner());
    const { message_id: id } = await send(ada, bob, 'can you?');
    const inbox = `/api/agents/${bob.id}/inbox/${id}`;
    expect((await ask(bob.key, 'POST', `${inbox}/fail`, { reason: 'No.' })).status).toBe(204);
    expect((await ask(bob.key, 'POST', `${inbox}/fail`)).status).toBe(409);
    const back = await ask(ada.key, 'GET', `/api/agents/${ada.id}/inbox`);
    const [reply] = (back.json as { data: { messages: { id: string; text: string }[] } }).data.messages;
    expect(reply?.text).toBe('No.');
    // Nothing follows from a reply, so taking it is all there is to do.
    await ask(ada.key, 'POST', `/api/agents/${ada.id}/inbox/${reply?.id}/claim`);
    const empty = await ask(ada.key, 'GET', `/api/agents/${ada.id}/inbox`);
    expect(empty.json).toEqual({ data: { messages: [] } });
  });

  test('an inbox is its agent’s, and of people who manage agents; any other is as one that is not there', async () => {
    const ask = await servedUntilEnd(bed());
    const ada = await bed().agent(owner());
    const bob = await bed().agent(owner());
    const foreign = await bed().agent(bed().rival.owner.caller);
    const { message_id: id } = await send(ada, bob, 'private');
    const manager = await keyOf(owner(), ['agents_manage']);
    const reader = await keyOf(owner(), ['agents_read', 'inbox']);
    const rival = await keyOf(bed().rival.owner.caller, ['*']);
    const inbox = `/api/agents/${bob.id}/inbox`;
    const nowhere = '/api/agents/agt_nobody/inbox';
    const actions = [
      ['GET', '', undefined],
      ['POST', `/${id}/claim`, undefined],
      ['POST', `/${id}/reply`, { text: 'mine now' }],
      ['POST', `/${id}/fail`, undefined],
    ] as const;
    for (const [method, path, body] of actions) {
      for (const key of [ada.key, foreign.key, rival]) {
        const there = await ask(key, method, inbox + path, body);
        expect(there).toEqual(await ask(key, method, nowhere + path, body));
        expect(there.status).toBe(404);
      }
      expect((await ask(reader, method, inbox + path, body)).status).toBe(403);
    }
    const unknown = await ask(bob.key, 'POST', `${inbox}/msg_nothing/claim`);
    expect(unknown).toEqual(
      await ask(bob.key, 'POST', `/api/agents/${bob.id}/inbox/${'x'.repeat(99)}/claim`),
    );
    expect(unknown.status).toBe(404);
    // Everything else of REST is closed to the key of an agent.
    expect((await ask(bob.key, 'GET', '/api/agents')).status).toBe(403);
    expect((await ask(manager, 'GET', inbox)).json).toMatchObject({ data: { messages: [{ id }] } });
    expect((await ask(manager, 'POST', `${inbox}/${id}/reply`, { text: 'for it' })).status).toBe(200);
  });
});
