/** Other systems that fail, hang up, talk nonsense or say nothing: an adapter says so in words without a secret, and waits for none of them. */
import { createServer } from 'node:http';
import { ToolError } from '@parley/kit';
import { createEgress, EgressError } from '@parley/kit/egress';
import { listening } from '@parley/test-support/listening';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { AskedQuestion, Notice } from './channels/channel.ts';
import { createDiscordChannel } from './channels/discord.ts';
import { createSlackChannel } from './channels/slack.ts';
import { createTelegramChannel } from './channels/telegram.ts';
import { createWebhookChannel } from './channels/webhook.ts';
import { createOctokitGitHub } from './github/octokit.ts';
import { ask, operatorBase } from './outbound.ts';
import { createRemoteAgents } from './remote-agents/remote-agents.ts';
import { createBraveSearch } from './search/brave.ts';

type Mode = 'refuses' | 'talks nonsense' | 'hangs up' | 'breaks off' | 'floods' | 'silent';

const SECRET = 'tok-8d41f0b7e2-secret';
const FLOOD_BYTES = 6 * 1024 * 1024;

let mode: Mode = 'refuses';
const bodies: unknown[] = [];
const server = createServer((req, res) => {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('error', () => undefined);
  res.on('error', () => undefined);
  req.on('end', () => {
    const text = Buffer.concat(chunks).toString();
    bodies.push(text === '' ? undefined : JSON.parse(text));
    // It says back what it was told, as some do.
    const echo = `${req.url} ${JSON.stringify(req.headers)} ${text}`;
    const answers: Record<Mode, () => unknown> = {
      refuses: () =>
        res.writeHead(500, { 'x-echo': SECRET }).end(JSON.stringify({ ok: false, message: echo })),
      'talks nonsense': () => res.writeHead(200, { 'content-type': 'text/html' }).end(`<p>${echo}</p>`),
      'hangs up': () => res.destroy(),
      'breaks off': () => {
        res.writeHead(200, { 'content-length': '1000' });
        res.write('{"ok": tr', () => res.destroy());
      },
      floods: () => res.writeHead(200).end(Buffer.alloc(FLOOD_BYTES, 0x20)),
      silent: () => undefined,
    };
    answers[mode]();
  });
});
const { url, port, ...closing } = await listening(server);
const egress = createEgress({ allow: [`127.0.0.1:${port}`] });
afterAll(async () => {
  await egress.close();
  await closing[Symbol.asyncDispose]();
});
beforeEach(() => {
  bodies.length = 0;
});

const base = operatorBase('url', url);
const now = () => Date.UTC(2030, 0, 1);
const never = new AbortController().signal;
const from = { id: 'notification_1', agent: { id: 'agent-1', name: 'Ada' }, createdAt: now() };
const notice: Notice = { ...from, level: 'info', title: null, message: 'Hello' };
const question: AskedQuestion = {
  ...from,
  id: 'question_1',
  question: 'Which?',
  options: ['red', 'blue'],
  context: null,
  deadlineAt: now() + 60_000,
};
const repo = { owner: 'octo', name: 'hello' };
const github = createOctokitGitHub({ egress, base, token: SECRET, now, retryDelaysMs: [] });
const remote = createRemoteAgents(egress);
const hook = { url: `${url}/in?key=${SECRET}`, secret: SECRET };

/** One call of each adapter. */
const CALLS: Record<string, (signal: AbortSignal) => Promise<unknown>> = {
  'a message on Telegram': (signal) =>
    createTelegramChannel(egress, base).send({ botToken: SECRET, chatId: '1' }, notice, signal),
  'a look at Telegram': (signal) =>
    createTelegramChannel(egress, base).poll!({ botToken: SECRET, chatId: '1' }, [], undefined, signal),
  'a message on Slack': (signal) =>
    createSlackChannel(egress, base).send({ botToken: SECRET, channel: '#a' }, notice, signal),
  'a message on Discord': (signal) =>
    createDiscordChannel(egress, base).send({ webhookUrl: `${url}/${SECRET}` }, notice, signal),
  'a webhook': (signal) => createWebhookChannel(egress, now).send(hook, notice, signal),
  'a read of GitHub': (signal) => github.info(repo, signal),
  'a write to GitHub': (signal) => github.createIssue(repo, { title: 'x', body: 'y', labels: [] }, signal),
  'a search': (signal) =>
    createBraveSearch({ egress, base, key: SECRET }).search('x', { count: 1, freshness: undefined, signal }),
  'a card': (signal) => remote.card(`${url}/${SECRET}`, signal),
  'a remote task': (signal) => remote.send(url, { message: SECRET, timeoutMs: 1000, depth: 1 }, signal),
};

/** What a call ends with. */
async function endOf(call: (signal: AbortSignal) => Promise<unknown>, signal = never) {
  const error: unknown = await call(signal).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error === undefined) return 'done';
  if (!(error instanceof ToolError || error instanceof EgressError))
    throw new Error('This is no failure of another system.', { cause: error });
  expect(`${error.message} ${JSON.stringify(error)} ${String(error.cause)}`).not.toContain(SECRET);
  return error.code;
}

describe.each(Object.entries(CALLS))('%s', (name, call) => {
  const isCard = name === 'a card';
  // Whoever takes messages alone says nothing that could be wrong.
  const isTaken = name === 'a webhook' || name === 'a message on Discord';

  test.each<[Mode, RegExp]>([
    ['refuses', isCard ? /^done$/ : /^(?:unavailable|provider_failed|remote_failed)$/],
    ['talks nonsense', isTaken ? /^done$/ : /^(?:unavailable|provider_failed|remote_failed|invalid_card)$/],
    ['hangs up', /^(?:unavailable|unreachable|remote_failed)$/],
    ['breaks off', name === 'a webhook' ? /^done$/ : /^(?:unavailable|unreachable|remote_failed)$/],
    ['floods', name === 'a webhook' ? /^done$/ : /^(?:unavailable|too_large|remote_failed|invalid_card)$/],
  ])('of a server that %s ends, and no secret is told', async (given, code) => {
    mode = given;
    expect(await endOf(call)).toMatch(code);
    expect(bodies.length).toBeGreaterThan(0);
  });

  test('of a server that says nothing ends with whoever waits', async () => {
    mode = 'silent';
    const stop = new AbortController();
    const work = call(stop.signal);
    await expect.poll(() => bodies.length).toBeGreaterThan(0);
    stop.abort(new Error('It was stopped.'));
    await expect(work).rejects.toThrow(/stopped|abort/i);
  });
});

test('a server that says nothing is waited for as long as was said', async () => {
  mode = 'silent';
  const asked = ask(egress, url, { signal: never, allow: base.allow, timeoutMs: 50 });
  await expect(asked).rejects.toMatchObject({ code: 'timeout', message: expect.stringContaining('in time') });
});

test('a question by a webhook or on Discord tells where it is answered, and carries no answer back', async () => {
  mode = 'talks nonsense';
  expect(await createWebhookChannel(egress, now).ask(hook, question, never)).toBeNull();
  expect(bodies.at(-1)).toEqual({
    type: 'question',
    id: 'question_1',
    agent: { id: 'agent-1', name: 'Ada' },
    question: 'Which?',
    options: ['red', 'blue'],
    context: null,
    created_at: '2030-01-01T00:00:00.000Z',
    deadline: '2030-01-01T00:01:00.000Z',
    answer: '/api/questions/question_1/answer',
  });
  const discord = createDiscordChannel(egress, base);
  expect(await discord.ask({ webhookUrl: url }, question, never)).toBeNull();
  expect(JSON.stringify(bodies.at(-1))).toContain('replies here are not read');
});
