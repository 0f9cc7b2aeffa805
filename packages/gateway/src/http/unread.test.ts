/** Streams that nobody reads, that are reset, or whose rights cannot be looked up: they end, and everybody else is served. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '@parley/test-support/eventually';
import type { EventStream } from '../../test/event-stream.ts';
import { openStream } from '../../test/event-stream.ts';
import { chatterToolset, labToolset } from '../../test/lab-tools.ts';
import { openSession } from '../../test/session.ts';
import type { TestGateway } from '../../test/start-gateway.ts';
import { startGateway } from '../../test/start-gateway.ts';
import { openUnread } from '../../test/unread.ts';
import type { Sending } from '@parley/test-support/wire';
import { modern, modernCall, modernHeaders, sendModern } from '@parley/test-support/wire';

// Long, so that few notices are many bytes.
const URIS = Array.from({ length: 200 }, (_, at) => `lab://pages/${at}-${'x'.repeat(1800)}`);
const MARK = 'lab://note';
const MAX_ROUNDS = 150;

let gateway: TestGateway;
let key: string;

beforeEach(async () => {
  gateway = await startGateway({
    toolsets: [labToolset, chatterToolset],
    limits: { streamsPerCaller: 1 },
  });
  ({ text: key } = await gateway.key({ lab: ['*'], chatter: ['*'] }));
});

afterEach(async () => {
  await gateway[Symbol.asyncDispose]();
});

function listening(as: string, notifications: Record<string, unknown>): Sending {
  const message = modern('subscriptions/listen', { notifications });
  return { port: gateway.port, key: as, headers: modernHeaders(message), body: JSON.stringify(message) };
}

async function sessionStream(uris: readonly string[]): Promise<Sending> {
  const to = { port: gateway.port, key };
  const session = await openSession(to);
  for (const uri of uris) await session.request('resources/subscribe', { uri });
  const { 'content-type': _none, ...headers } = session.headers;
  return { ...to, method: 'GET', headers };
}

/** The streams that stay open, each asking for the same documents. */
const KINDS: Record<string, (uris: readonly string[]) => Promise<Sending>> = {
  'a listen stream': async (uris) => listening(key, { resourceSubscriptions: uris }),
  'the stream of a 2025 session': sessionStream,
};

/** Tells that all of the documents have changed, and returns when somebody who reads has heard of it. */
async function publishRound(reader: EventStream): Promise<void> {
  for (const uri of [...URIS, MARK]) gateway.changes.publish({ kind: 'resource', uri });
  await reader.next();
}

async function openReader(): Promise<EventStream> {
  const reader = await openStream(listening(gateway.ownerKey, { resourceSubscriptions: [MARK] }));
  await reader.next();
  return reader;
}

/** A caller here has one place, so whoever gets one proves that the stream before is gone. */
async function hasPlace(sending: Sending): Promise<boolean> {
  const stream = await openStream(sending);
  const isOpen = stream.headers['content-type'] === 'text/event-stream';
  await stream.close();
  return isOpen;
}

const lab = () => sendModern({ port: gateway.port, key }, modernCall('echo', { text: 'hi' }));

describe.each(Object.entries(KINDS))('%s', (name, kind) => {
  test('that nobody reads is cut before it holds much, while others are told', async () => {
    const sending = await kind(URIS);
    expect((await openUnread(sending)).status).toBe(200);
    const reader = await openReader();
    let rounds = 0;
    do {
      await publishRound(reader);
      rounds += 1;
    } while (rounds < MAX_ROUNDS && !(await hasPlace(sending)));
    expect(rounds).toBeLessThan(MAX_ROUNDS);
    expect((await lab()).status).toBe(200);
    expect(gateway.faults).toEqual([]);
  });

  test('that is reset in the middle gives its place back', async () => {
    const sending = await kind([MARK]);
    const stream = await openUnread(sending);
    expect(stream.status).toBe(200);
    gateway.changes.publish({ kind: 'resource', uri: MARK });
    stream.reset();
    gateway.changes.publish({ kind: 'resource', uri: MARK });
    await eventually(async () => expect(await hasPlace(sending)).toBe(true));
    expect(gateway.faults).toEqual([]);
  });

  test('keeps its notice while rights cannot be looked up, and tells nothing unchecked', async () => {
    const stream = await openStream(await kind([MARK]));
    const method = async () => (await stream.next())?.method;
    if (name === 'a listen stream') expect(await method()).toContain('acknowledged');
    gateway.lookUps.isFailing = true;
    for (let at = 0; at < 3; at += 1) gateway.changes.publish({ kind: 'resource', uri: MARK });
    await eventually(async () => expect(gateway.faults).toHaveLength(1));
    expect((await lab()).status).toBe(200);
    gateway.lookUps.isFailing = false;
    expect(await method()).toBe('notifications/resources/updated');
    await stream.close();
    expect(gateway.faults.splice(0)).toHaveLength(1);
  });
});

test('a call with progress that nobody reads is cut, and its tool is told', async () => {
  expect((await openUnread(chatterCall())).status).toBe(200);
  await eventually(async () => expect(gateway.lab.ran).toEqual(['cut']));
  expect((await lab()).status).toBe(200);
});

test('a call of a 2025 session that nobody reads is cut, and ends for whoever resumes it', async () => {
  const stream = await openUnread(await chatterInSession());
  await eventually(async () => expect(gateway.lab.ran).toEqual(['all said']));
  // The tool said 100 MB; the networks between may hold some of what left before the cut.
  expect(await stream.restBytes()).toBeLessThan(40_000_000);
  expect((await lab()).status).toBe(200);
});

function chatterCall(): Sending {
  const message = modernCall('chatter', {}, { meta: { progressToken: 1 } });
  return { port: gateway.port, key, headers: modernHeaders(message), body: JSON.stringify(message) };
}

async function chatterInSession(): Promise<Sending> {
  const to = { port: gateway.port, key };
  const { headers } = await openSession(to);
  const params = { name: 'chatter', arguments: {}, _meta: { progressToken: 1 } };
  return { ...to, headers, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }) };
}
