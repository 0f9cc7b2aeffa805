/** The event log of a session: what can be resumed, what cannot, and how little it keeps. */
import { expect, test } from 'vitest';
import { openStream } from '../../test/event-stream.ts';
import { openSession } from '../../test/session.ts';
import { startGateway } from '../../test/start-gateway.ts';
import { send } from '@parley/test-support/wire';
import { createEventLog } from './event-log.ts';

const notice = (value: number | string) => ({
  jsonrpc: '2.0' as const,
  method: 'notifications/test',
  params: { value },
});

async function replay(log: ReturnType<typeof createEventLog>, after: string): Promise<unknown[]> {
  const sent: unknown[] = [];
  await log.replayEventsAfter(after, {
    send: async (_id, message) => {
      sent.push('params' in message ? message.params?.value : message);
    },
  });
  return sent;
}

test('what came after an event is replayed in order, and only on its own stream', async () => {
  const log = createEventLog();
  const first = await log.storeEvent('a', notice(1));
  await log.storeEvent('b', notice('other'));
  await log.storeEvent('a', notice(2));
  await log.storeEvent('a', notice(3));
  expect(await replay(log, first)).toEqual([2, 3]);
  expect(await log.getStreamIdForEventId?.(first)).toBe('a');
});

test('an event that is not known cannot be resumed after', async () => {
  const log = createEventLog();
  await log.storeEvent('a', notice(1));
  await expect(replay(log, 'a~99')).rejects.toThrow('no longer known');
  expect(await log.getStreamIdForEventId?.('a~99')).toBeUndefined();
});

test('at most a thousand events and four megabytes are kept', async () => {
  const log = createEventLog();
  const first = await log.storeEvent('a', notice(0));
  let last = first;
  for (let value = 1; value <= 1000; value += 1) last = await log.storeEvent('a', notice(value));
  await expect(replay(log, first)).rejects.toThrow('no longer known');
  await log.storeEvent('a', notice('x'.repeat(5 * 1024 * 1024)));
  await expect(replay(log, last)).rejects.toThrow('no longer known');
});

test('a session that lost its stream gets what it missed, and a foreign event id gets nothing', async () => {
  await using gateway = await startGateway();
  const to = { port: gateway.port, key: gateway.ownerKey };
  const session = await openSession(to);
  await session.request('resources/subscribe', { uri: 'lab://note' });
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 5,
    method: 'tools/call',
    params: { name: 'echo', arguments: { text: 'hi' } },
  });
  const called = await send({ ...to, headers: session.headers, body });
  const firstEvent = /^id: (.+)$/m.exec(called.text)?.[1] ?? '';
  const resumed = await openStream({
    ...to,
    method: 'GET',
    headers: { ...session.headers, 'last-event-id': firstEvent },
  });
  expect(await resumed.next()).toMatchObject({ id: 5, result: { structuredContent: { text: 'hi' } } });
  await resumed.close();
  const foreign = await send({
    ...to,
    method: 'GET',
    headers: { ...session.headers, 'last-event-id': 'nowhere~1' },
  });
  expect(foreign.status).toBe(400);
  expect(foreign.text).not.toContain('structuredContent');
});
