/** Feeds: a client that reads slowly misses nothing, one that does not read is cut, and access that cannot be checked ends. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { detach } from '@parley/kit';
import { scratchStore } from '@parley/store/testing';
import { eventually } from '@parley/test-support/eventually';
import { expect, onTestFinished, test } from 'vitest';
import type { Feed, FeedLimits, Listener } from './feed-streams.ts';
import { createFeedStreams } from './feed-streams.ts';

/** A feed of so many messages of a size. */
const feedOf = (count: number, sizeBytes: number): Feed => ({
  begin: async (lastEventId = '0') => lastEventId,
  async next(cursor) {
    const last = Math.min(Number(cursor) + 10, count);
    const messages = Array.from({ length: last - Number(cursor) }, (_, index) => ({
      cursor: String(Number(cursor) + index + 1),
      data: 'x'.repeat(sizeBytes),
    }));
    return { messages, cursor: String(last), hasMore: last < count };
  },
  concerns: () => false,
});

async function serve(feed: Feed, limits: Partial<FeedLimits>, mayStay: Listener['mayStay']) {
  const store = await scratchStore();
  const faults: unknown[] = [];
  const streams = createFeedStreams({ signal: store.signal, onFault: (error) => faults.push(error) }, limits);
  const ended: string[] = [];
  const server = createServer((_req, res) => {
    res.once('close', () => ended.push(res.writableFinished ? 'ended' : 'cut'));
    const open = async () => {
      const lastEventId = undefined;
      const opened = await streams.open({ res, organizationId: 'org_1', lastEventId, feed, mayStay });
      res.writeHead(200, opened.headers).write(opened.body);
    };
    detach(open(), () => res.writeHead(429).end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    streams.close();
    server.closeAllConnections();
    server.close();
    await store[Symbol.asyncDispose]();
  });
  const { port } = server.address() as AddressInfo; // a listening TCP server has a port
  return { url: `http://127.0.0.1:${port}/`, ended, faults };
}

const always = async () => true;

test('far more than fits into the buffers arrives in order, each message once', async () => {
  const { url, faults } = await serve(feedOf(60, 50_000), { unreadBytes: 1000 }, always);
  const stop = new AbortController();
  const answer = await fetch(url, { signal: stop.signal });
  let text = '';
  const whole = 60 * 50_000;
  for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if (text.length > whole && text.endsWith('x\n\n')) break;
  }
  const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
  expect(ids).toEqual(Array.from({ length: 60 }, (_, index) => index + 1));
  expect(faults).toEqual([]);
  stop.abort();
});

test('a client that does not read is cut off, and its place is free again', async () => {
  const limits = { unreadBytes: 1000, patienceMs: 50, perProcess: 1 };
  const feed = feedOf(1000, 1_000_000);
  const { promise: refused, resolve } = Promise.withResolvers<void>();
  const held: Feed = { ...feed, next: async (...args) => refused.then(() => feed.next(...args)) };
  const { url, ended } = await serve(held, limits, always);
  const unread = await fetch(url);
  expect((await fetch(url)).status).toBe(429);
  resolve();
  await eventually(() => expect(ended).toContain('cut'));
  const again = await fetch(url);
  expect(again.status).toBe(200);
  await expect(unread.text()).rejects.toThrow('terminated');
  await again.body?.cancel();
});

test.each([
  ['is gone', async () => false],
  ['cannot be checked', () => Promise.reject(new Error('lost'))],
])('a stream whose access %s ends', async (_name, mayStay) => {
  const { url, ended } = await serve(feedOf(0, 0), { checkMs: 20 }, mayStay);
  expect(await (await fetch(url)).text()).toMatch(/^: listening/);
  await eventually(() => expect(ended).toEqual(['ended']));
});
