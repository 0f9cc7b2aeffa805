/** Channels to the owner against servers that speak the real APIs: settings, deliveries, answers, and secrets that stay secret. */
import { createHmac } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEgress } from '@parley/kit/egress';
import { eventually } from '@parley/test-support/eventually';
import { afterAll, beforeEach, expect, test } from 'vitest';
import type { AgentClient, BedAgent } from '../../../test/agent-bed.ts';
import { onBothBeds } from '../../../test/agent-bed.ts';
import { ISSUES_TOKEN, startIssuesApi } from '../../../test/servers/issues-api.ts';
import { startRecordingServer } from '../../../test/servers/recording-server.ts';
import { SLACK_TOKEN, startSlackApi } from '../../../test/servers/slack-api.ts';
import { startTelegramApi, TELEGRAM_TOKEN } from '../../../test/servers/telegram-api.ts';
import { clientWith } from '../../../test/with-settings.ts';

const slack = await startSlackApi();
const telegram = await startTelegramApi();
const issues = await startIssuesApi();
const discord = await startRecordingServer(() => ({ status: 204 }));
const hook = await startRecordingServer(() => ({ status: 200, body: 'thanks' }));
const servers = [slack, telegram, issues, discord, hook];
// Nothing but the one receiver is listed: the other servers are reached because the operator set their addresses.
const egress = createEgress({ allow: [`127.0.0.1:${hook.port}`] });
afterAll(async () => {
  for (const server of servers) await server.close();
  await egress.close();
});
beforeEach(() => {
  for (const server of servers) server.clear();
});

const SET = 'corvid_configure_notifications';
const NOTIFY = 'corvid_notify_owner';
const ASK = 'corvid_ask_owner';
const HOOK_SECRET = 'hook-secret-of-the-owner';
const CONFIGS = {
  webhook: { url: `${hook.url}/in?key=hook-url-secret`, secret: HOOK_SECRET },
  slack: { botToken: SLACK_TOKEN, channel: '#team' },
  discord: { webhookUrl: `${discord.url}/api/webhooks/1/discord-secret` },
  telegram: { botToken: TELEGRAM_TOKEN, chatId: 77 },
  github: { repo: 'octo/hello', labels: ['agent'] },
} as const;
const SECRETS = [HOOK_SECRET, 'hook-url-secret', SLACK_TOKEN, 'discord-secret', TELEGRAM_TOKEN];
const TYPES = ['webhook', 'slack', 'discord', 'telegram', 'github'] as const;
const settings = {
  slackUrl: slack.url,
  discordUrl: discord.url,
  telegramUrl: telegram.url,
  githubToken: ISSUES_TOKEN,
  githubApiUrl: issues.url,
  githubDeny: ['octo/secret'],
};

onBothBeds(
  'channels to the owner',
  (bed, _replica, once) => {
    const withChannels = async (...types: readonly (typeof TYPES)[number][]) => {
      const agent = await bed().agent(bed().acme.owner.caller);
      const client = await bed().client(agent.caller);
      for (const type of types)
        await client.call(SET, { action: 'set', channel_type: type, config: CONFIGS[type] });
      return { agent, client };
    };
    test('a channel on GitHub is set only by an agent that may open issues there and then', async () => {
      const { acme, agent, client, services } = bed();
      const set = async (caller: BedAgent['caller'], type: (typeof TYPES)[number]) => {
        const given = { action: 'set', channel_type: type, config: CONFIGS[type] } as const;
        const outcome = await (await client(caller)).attempt(SET, given);
        return outcome.ok ? 'set' : outcome.code;
      };
      const whole = await agent(acme.owner.caller);
      const narrow = await agent(acme.owner.caller, { tools: [SET, NOTIFY] });
      const how = { organizationId: acme.id, agentId: whole.id, depth: 1, unattended: true } as const;
      const alone = await services.callers.acting({ ...how, source: 'schedule', sessionSource: 'schedule' });
      expect(await set(narrow.caller, 'github')).toBe('forbidden');
      expect(await set(alone ?? expect.unreachable(), 'github')).toBe('forbidden');
      expect(await set(narrow.caller, 'webhook')).toBe('set');
      expect(await set(whole.caller, 'github')).toBe('set');
    });

    const turn = (ms: number) => {
      bed().clock.nowMs += ms;
    };
    const notified = async (client: AgentClient, input = { message: 'Hello <!channel> & all' }) => {
      const { notification_id: id } = await client.call(NOTIFY, input);
      return async () => {
        const list = await bed().services.owner.notifications.list(bed().acme.id, { limit: 100 });
        return list.find((each) => each.id === id)?.channels ?? [];
      };
    };
    const statesOf = async (
      channels: () => Promise<readonly { type: string; status: string; attempts: number }[]>,
    ) => (await channels()).map(({ type, status, attempts }) => `${type} ${status} ${attempts}`);
    const asked = async (agent: BedAgent) => {
      const open = await bed().services.owner.questions.list(bed().acme.id, { limit: 100, status: 'open' });
      return open.find((each) => each.agent.id === agent.id);
    };
    /** Lets channels be looked at until something is so; slowly, since a question waits for ten minutes only. */
    const polling = (check: () => void | Promise<void>) =>
      eventually(async () => {
        turn(15_000);
        await check();
      }, 250);
    const isOver = async (agent: BedAgent) => expect(await asked(agent)).toBeUndefined();
    const sentOf = (agent: BedAgent) =>
      eventually(async () => {
        const question = await asked(agent);
        expect(question?.channels.map(({ status }) => status)).not.toContain('queued');
        if (question === undefined) throw new Error('Nothing is asked yet.');
        return question;
      });

    test('a channel is set, listed by the names of its settings, switched and removed', async () => {
      const { agent, client } = await withChannels('slack', 'webhook');
      const list = async () => (await client.call(SET, { action: 'list' })).channels;
      const id = expect.stringMatching(/^channel_/);
      expect(await list()).toEqual([
        { type: 'slack', id, enabled: true, config_keys: ['botToken', 'channel'] },
        { type: 'webhook', id, enabled: true, config_keys: ['url', 'secret'] },
      ]);
      const before = await list();
      await client.call(SET, { action: 'disable', channel_type: 'slack' });
      const again = await client.call(SET, { action: 'disable', channel_type: 'slack' });
      expect(again.channels.map(({ enabled }) => enabled)).toEqual([false, true]);
      const config = { ...CONFIGS.slack, channel: 'C0TEAM' };
      const set = await client.call(SET, { action: 'set', channel_type: 'slack', config });
      expect(set.channels).toEqual(before);
      await client.call(SET, { action: 'remove', channel_type: 'slack' });
      const removed = await client.call(SET, { action: 'remove', channel_type: 'slack' });
      expect(removed.channels.map(({ type }) => type)).toEqual(['webhook']);
      const missing = await client.attempt(SET, { action: 'enable', channel_type: 'slack' });
      expect(missing).toMatchObject({ ok: false, code: 'not_found' });
      const other = await bed().client((await bed().agent(bed().acme.owner.caller)).caller);
      expect(await other.call(SET, { action: 'list' })).toEqual({ channels: [] });
      const { tools } = await other.raw.listTools();
      const schema = tools.find(({ name }) => name === SET)?.inputSchema.properties?.['config'];
      // Which keeps it out of what is recorded of calls.
      expect(schema).toMatchObject({ writeOnly: true });
      expect(agent.id).not.toBe('');
    });

    test.each([
      [{ action: 'set' }, 'invalid', 'channel_type'],
      [{ action: 'set', channel_type: 'fax', config: {} }, 'invalid', 'channel_type'],
      [{ action: 'set', channel_type: 'slack' }, 'invalid', 'config'],
      [{ action: 'list', config: {} }, 'invalid', 'config'],
      [{ action: 'set', channel_type: 'slack', config: { botToken: 'x' } }, 'invalid', 'channel'],
      [{ action: 'set', channel_type: 'slack', config: { ...CONFIGS.slack, more: 1 } }, 'invalid', 'more'],
      [
        { action: 'set', channel_type: 'telegram', config: { botToken: '1/../2', chatId: 1 } },
        'invalid',
        'botToken',
      ],
      [
        { action: 'set', channel_type: 'telegram', config: { botToken: '1:a', chatId: '1 2' } },
        'invalid',
        'chatId',
      ],
      [{ action: 'set', channel_type: 'github', config: { repo: 'octo/..' } }, 'invalid', 'repo'],
      [{ action: 'set', channel_type: 'github', config: { repo: 'octo/secret' } }, 'forbidden', 'repository'],
      [{ action: 'set', channel_type: 'github', config: { repo: 'octo/secret.git' } }, 'invalid', 'repo'],
      [{ action: 'set', channel_type: 'github', config: { repo: 'octo/Secret.GIT ' } }, 'invalid', 'repo'],
      [
        { action: 'set', channel_type: 'webhook', config: { url: 'ftp://x.example' } },
        'blocked_address',
        'url',
      ],
      [{ action: 'set', channel_type: 'webhook', config: { url: 'no url' } }, 'invalid', 'url'],
      [{ action: 'set', channel_type: 'webhook', config: { url: slack.url } }, 'blocked_address', 'url'],
      [
        { action: 'set', channel_type: 'webhook', config: { url: 'http://[::1]/' } },
        'blocked_address',
        'url',
      ],
      [
        {
          action: 'set',
          channel_type: 'discord',
          config: { webhookUrl: hook.url.replace('127.0.0.1', '127.0.0.2') },
        },
        'blocked_address',
        'webhookUrl',
      ],
      [{ action: 'enable', channel_type: 'github' }, 'not_found', 'github'],
    ])('%o is refused', async (input, code, field) => {
      const { client } = await withChannels();
      const refused = await client.attempt(SET, input as never);
      expect(refused).toMatchObject({ ok: false, code, message: expect.stringContaining(field) });
      expect(await client.call(SET, { action: 'list' })).toEqual({ channels: [] });
      const { events } = await client.call('corvid_check_reputation', {});
      expect(JSON.stringify(events).includes('blocked_address')).toBe(code === 'blocked_address');
    });

    once('without a token GitHub is unavailable, and the setting is named', async () => {
      const { agent } = await withChannels();
      const { host, clock } = bed();
      // Its tasks are left to the server that has the channels.
      const tasks = { ...host.tasks, register: () => undefined };
      const client = await clientWith({ host: { ...host, tasks }, clock }, agent.caller, {});
      const config = CONFIGS.github;
      expect(await client.attempt(SET, { action: 'set', channel_type: 'github', config })).toMatchObject({
        ok: false,
        code: 'unavailable',
        message: expect.stringContaining('PARLEY_GITHUB_TOKEN'),
      });
    });

    once('a notification reaches every channel that is on, in its own words', async () => {
      const { agent, client } = await withChannels(...TYPES);
      const channels = await notified(client);
      const all = ['discord', 'github', 'slack', 'telegram', 'webhook'];
      await eventually(async () =>
        expect(await statesOf(channels)).toEqual(all.map((type) => `${type} sent 1`)),
      );
      expect(slack.seen[0]).toMatchObject({
        path: '/api/chat.postMessage',
        body: { channel: '#team', text: expect.stringContaining('Hello &lt;!channel&gt; &amp; all') },
      });
      expect(telegram.seen[0]).toMatchObject({
        body: { chat_id: '77', text: expect.stringContaining('<!channel>') },
      });
      expect(discord.seen[0]).toMatchObject({
        path: '/api/webhooks/1/discord-secret',
        body: {
          allowed_mentions: { parse: [] },
          embeds: [{ description: expect.stringContaining(agent.name) }],
        },
      });
      expect(issues.seen[0]).toMatchObject({
        path: '/repos/octo/hello/issues',
        body: { labels: ['agent'], body: expect.stringContaining('Hello') },
      });
      const { headers, body } = hook.seen[0]!;
      expect(body).toMatchObject({ type: 'notification', level: 'info', agent: { id: agent.id } });
      const signed = `${headers['webhook-id'] as string}.${headers['webhook-timestamp'] as string}.${JSON.stringify(body)}`;
      const signature = createHmac('sha256', HOOK_SECRET).update(signed).digest('base64');
      expect(headers['webhook-signature']).toBe(`v1,${signature}`);
    });

    test('a delivery is tried three times, a minute apart, and then given up', async () => {
      const { client } = await withChannels('webhook');
      hook.next({ status: 500 }, { status: 302, headers: { location: slack.url } }, { status: 503 });
      const channels = await notified(client);
      for (const state of ['queued 1', 'queued 2', 'failed 3']) {
        await eventually(async () => expect(await statesOf(channels)).toEqual([`webhook ${state}`]));
        turn(60_000);
      }
      expect((await channels())[0]?.error).toContain('503');
      expect(hook.seen).toHaveLength(3);
      hook.next({ status: 500 });
      const second = await notified(client);
      await eventually(async () => expect(await statesOf(second)).toEqual(['webhook queued 1']));
      turn(60_000);
      await eventually(async () => expect(await statesOf(second)).toEqual(['webhook sent 2']));
    });

    test('what waits for a channel that is switched off meanwhile is not sent', async () => {
      const { client } = await withChannels('slack');
      slack.next({ body: { ok: false, error: 'ratelimited' } });
      const channels = await notified(client);
      await eventually(async () => expect(await statesOf(channels)).toEqual(['slack queued 1']));
      expect((await channels())[0]?.error).toContain('ratelimited');
      await client.call(SET, { action: 'disable', channel_type: 'slack' });
      turn(60_000);
      await eventually(async () => expect(await statesOf(channels)).toEqual(['slack failed 2']));
      expect(slack.seen).toHaveLength(1);
    });

    test('check 48: an answer in a thread of Slack is one; those of bots are none', async () => {
      const { agent, client } = await withChannels('slack', 'discord');
      const answer = client.call(ASK, { question: 'Ship it?', options: ['Yes', 'No'], timeout_minutes: 10 });
      const { id } = await sentOf(agent);
      slack.reply('1', { bot_id: 'B1' });
      slack.reply('joined', { subtype: 'channel_join' });
      slack.reply(' 2 ');
      slack.reply('1');
      await polling(() => isOver(agent));
      expect(await answer).toEqual({
        question_id: id,
        answered: true,
        answer: 'No',
        option_index: 2,
        answered_by: 'slack:U7OWNER',
        timed_out: false,
      });
      expect(JSON.stringify(discord.seen[0]?.body)).toContain(id.slice(0, 8));
    });

    test('check 48: Telegram carries answers as replies or with the code, from the right chat only', async () => {
      const { agent, client } = await withChannels('telegram');
      const answer = client.attempt(ASK, { question: 'Delete it?', timeout_minutes: 10 });
      const { id } = await sentOf(agent);
      telegram.write('not about this', {});
      telegram.write(`${id.slice(0, 8)} from elsewhere`, { chat: { id: 78, type: 'private' } });
      telegram.write('by a bot', { from: { id: 9, is_bot: true } });
      const polls = () => telegram.seen.filter(({ path }) => path.endsWith('/getUpdates'));
      await polling(() => expect(polls().length).toBeGreaterThan(0));
      await polling(() => expect(polls().length).toBeGreaterThan(1));
      expect(polls()[1]?.body).toMatchObject({ offset: expect.any(Number) });
      telegram.write(`${id.slice(0, 8)}: decline`, {});
      await polling(() => isOver(agent));
      expect(await answer).toMatchObject({
        ok: false,
        code: 'declined',
        data: { answered_by: 'telegram:ada' },
      });
    });

    test('check 48: GitHub carries answers of the team; of two channels that answer at once one wins', async () => {
      const { agent, client } = await withChannels('github', 'slack');
      const answer = client.call(ASK, { question: 'Merge?', context: 'It is green.', timeout_minutes: 10 });
      await sentOf(agent);
      issues.comment('let me in', 'stranger', 'NONE');
      const looks = () => issues.seen.filter(({ method }) => method === 'GET').length;
      await polling(() => expect(looks()).toBeGreaterThan(1));
      expect(await asked(agent)).toBeDefined();
      issues.comment('from github', 'mona', 'MEMBER');
      slack.reply('from slack');
      await polling(() => isOver(agent));
      const given = await answer;
      const words = { 'github:mona': 'from github', 'slack:U7OWNER': 'from slack' };
      expect(given.answer).toBe(words[given.answered_by as keyof typeof words]);
      const { events } = bed().host;
      const all = await events.history.events(bed().acme.id, {
        after: 0,
        types: ['question.answered'],
        limit: 100,
      });
      expect(all.filter(({ subject }) => subject === given.question_id)).toHaveLength(1);
    });

    test('check 49: a token of a channel is in no list, event, audit entry, or row of the database', async () => {
      const { client } = await withChannels(...TYPES);
      const channels = await notified(client);
      await eventually(async () => expect((await statesOf(channels)).join()).not.toContain('queued'));
      const { store } = bed();
      const shown = [JSON.stringify(await client.call(SET, { action: 'list' }))];
      for (const { name } of await store.db<Record<string, object>>().introspection.getTables())
        shown.push(
          JSON.stringify(await store.db<Record<string, object>>().selectFrom(name).selectAll().execute()),
        );
      expect(shown.join()).toContain('notification_channel.set');
      if (store.engine === 'sqlite') {
        const folder = mkdtempSync(join(tmpdir(), 'parley-owner-'));
        await store.backup(folder);
        for (const file of readdirSync(folder)) shown.push(readFileSync(join(folder, file), 'latin1'));
        rmSync(folder, { recursive: true });
      }
      for (const secret of SECRETS) expect([secret, shown.join().includes(secret)]).toEqual([secret, false]);
    });
  },
  () => ({ parts: { egress, settings }, events: {}, tasks: { takeoverMs: 20 } }),
);
