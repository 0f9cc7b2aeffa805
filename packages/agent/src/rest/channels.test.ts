/** Channels of an agent, as people set them over HTTP: they work, their secrets stay inside, and strangers find nothing. */
import { expect, test } from 'vitest';
import { onBothBeds } from '../../test/agent-bed.ts';
import { servedUntilEnd } from '../../test/rest-server.ts';

const SECRET = 'xoxb-very-secret-token';
const SLACK = { config: { botToken: SECRET, channel: 'C1' } };

onBothBeds('channels over HTTP', (bed) => {
  test('people set, switch and remove channels that the agent has then; no answer shows a setting', async () => {
    const { acme, agent, client } = bed();
    const { id, caller } = await agent(acme.member.caller);
    const ask = await servedUntilEnd(bed());
    const path = `/api/agents/${id}/channels`;
    const shown = (enabled: boolean) => [
      { type: 'slack', id: expect.any(String), enabled, config_keys: ['botToken', 'channel'] },
    ];
    const steps = [
      ['GET', path, undefined, []],
      ['PUT', `${path}/slack`, SLACK, shown(true)],
      ['POST', `${path}/slack/disable`, undefined, shown(false)],
      ['POST', `${path}/slack/enable`, undefined, shown(true)],
      ['GET', path, undefined, shown(true)],
    ] as const;
    for (const [method, at, body, channels] of steps) {
      const answer = await ask(acme.member.key, method, at, body);
      expect(answer, at).toMatchObject({ status: 200, json: { data: { channels } } });
      expect(answer.text).not.toContain(SECRET);
    }
    const own = await (await client(caller)).call('corvid_configure_notifications', { action: 'list' });
    expect(own.channels).toEqual(shown(true));
    for (let time = 0; time < 2; time += 1)
      expect(await ask(acme.owner.key, 'DELETE', `${path}/slack`)).toMatchObject({
        status: 200,
        json: { data: { channels: [] } },
      });
  });

  test('bad settings name what is wrong, and an address that is not allowed is no offence of the agent', async () => {
    const { acme, agent, client } = bed();
    const { id, caller } = await agent(acme.member.caller);
    const ask = await servedUntilEnd(bed());
    const set = (type: string, body: unknown) =>
      ask(acme.owner.key, 'PUT', `/api/agents/${id}/channels/${type}`, body);
    expect(await set('slack', { config: { channel: 'C1' } })).toMatchObject({
      status: 400,
      text: expect.stringContaining('botToken'),
    });
    expect((await set('slack', { config: SLACK.config, more: 1 })).status).toBe(400);
    expect((await set('pigeon', SLACK)).status).toBe(404);
    const inside = await set('webhook', { config: { url: 'https://10.0.0.1/hook' } });
    expect(inside).toMatchObject({ status: 400, text: expect.stringContaining('config.url') });
    const { components } = await (await client(caller)).call('corvid_check_reputation', {});
    expect(components).toMatchObject({ security: 100 });
    expect((await ask(acme.owner.key, 'POST', `/api/agents/${id}/channels/slack/enable`)).status).toBe(404);
  });

  test('nobody else has a say: not the agent, not another organization, whose answer is that of no agent', async () => {
    const { acme, rival, agent } = bed();
    const { id, key } = await agent(acme.member.caller);
    const ask = await servedUntilEnd(bed());
    const requests = [
      ['GET', '', undefined],
      ['PUT', '/slack', SLACK],
      ['POST', '/slack/enable', undefined],
      ['POST', '/slack/disable', undefined],
      ['DELETE', '/slack', undefined],
    ] as const;
    for (const [method, rest, body] of requests) {
      const at = (agentId: string) => `/api/agents/${agentId}/channels${rest}`;
      expect((await ask(key, method, at(id), body)).status).toBe(403);
      const foreign = await ask(rival.owner.key, method, at(id), body);
      const unknown = await ask(rival.owner.key, method, at(`agt_${'0'.repeat(26)}`), body);
      expect([foreign.status, foreign.json.error]).toEqual([404, unknown.json.error]);
    }
    expect((await ask(acme.owner.key, 'GET', `/api/agents/${id}/channels`)).json.data.channels).toEqual([]);
  });
});
