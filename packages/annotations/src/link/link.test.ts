import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { startLink } from '../../test/link.ts';
import { AGENT, asAgentsSee, DIFF, note, ORGANIZATION, ORIGIN, PAGE } from '../../test/notes.ts';
import type { ServerMessage } from './messages.ts';

/** The status of a refused upgrade. */
async function refusedWith(opening: Promise<unknown>): Promise<string> {
  return opening.then(
    () => 'opened',
    (error: unknown) => String(error).replace(/^.*: /, ''),
  );
}

const codeOf = (message: ServerMessage) => (message.type === 'error' ? message.payload.code : message.type);

describe('who may connect', () => {
  test('a page of a loopback host, of the server itself or of a listed origin', async () => {
    await using server = await startLink({
      names: { hosts: ['dev.example'], origins: ['https://app.example', 'null'] },
    });
    const own = `http://dev.example:${server.port}`;
    const allowed: Record<string, string>[] = [
      { origin: 'http://localhost:5173' },
      { origin: 'https://127.0.0.1:8443' },
      { origin: 'http://[::1]:3000' },
      { origin: 'http://shop.localhost' },
      { origin: 'https://app.example' },
      { origin: 'null' },
      { origin: own, host: `dev.example:${server.port}` },
    ];
    for (const headers of allowed) (await server.socket(headers)).ws.close();
    expect(server.faults).toEqual([]);
  });

  test('a foreign, missing, broken or file Origin and a foreign Host are refused', async () => {
    await using server = await startLink();
    const refused: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'http://localhost.evil.example' },
      { origin: 'http://127.0.0.1.evil.example' },
      { origin: 'http://evil.example@localhost' },
      { origin: 'null' },
      { origin: 'file://' },
      { origin: 'localhost:5173' },
      {},
      { origin: ORIGIN, host: 'evil.example' },
    ];
    for (const headers of refused)
      expect(await refusedWith(server.socket(headers)), JSON.stringify(headers)).toBe('403');
    for (const path of ['messages', 'events', 'screenshots']) {
      const method = path === 'events' ? 'GET' : 'POST';
      expect((await server.send(`/__parley/${path}`, { method })).status, path).toBe(403);
      expect(
        (await server.send(`/__parley/${path}`, { method, headers: { origin: 'https://evil.example' } }))
          .status,
      ).toBe(403);
    }
    expect((await server.services.sessions.list(ORGANIZATION)).total).toBe(0);
  });

  test('a bad, revoked or foreign-bound page token closes the link with 4401 and makes no session', async () => {
    await using server = await startLink();
    const { pageTokens } = server.services;
    const { id } = (await pageTokens.find(server.token, ORIGIN))!;
    const attempt = async (token: string) => {
      const page = await server.socket();
      page.ws.send(JSON.stringify({ type: 'hello', payload: { token, ...PAGE, protocol: 1 } }));
      const code = await page.closed;
      expect(JSON.stringify(page.received)).toContain('unauthorized');
      return code;
    };
    expect(await attempt('parley_page_guess')).toBe(4401);
    await pageTokens.allow(ORGANIZATION, id, ['https://app.example']);
    expect(await attempt(server.token)).toBe(4401);
    await pageTokens.allow(ORGANIZATION, id, [ORIGIN]);
    (await server.hello()).ws.close();
    await pageTokens.revoke(ORGANIZATION, id);
    expect(await attempt(server.token)).toBe(4401);
    expect((await server.services.sessions.list(ORGANIZATION)).total).toBe(1);
  });

  test('a page that does not say hello in time, or says something else first, is closed with 4401', async () => {
    await using server = await startLink({ limits: { helloMs: 20 } });
    expect(await (await server.socket()).closed).toBe(4401);
    for (const first of [
      '{"type":"session:ping","payload":{}}',
      'not json',
      '[]',
      '{"type":"hello","payload":{}}',
    ]) {
      const page = await server.socket();
      page.ws.send(first);
      expect(await page.closed, first).toBe(4401);
    }
    expect((await server.services.sessions.list(ORGANIZATION)).total).toBe(0);
  });

  test('a wrong session token opens a new session, never the other one', async () => {
    await using server = await startLink();
    const first = await server.hello();
    const other = await server.hello(`${first.ready.sessionToken}x`);
    expect(other.ready.session.id).not.toBe(first.ready.session.id);
    expect(other.ready.annotations).toEqual([]);
  });
});

describe('what a page says', () => {
  test('every message does what it says, and the page is told', async () => {
    await using server = await startLink();
    const page = await server.hello();
    const created = await page.ask('annotation:create', note());
    expect(created).toMatchObject({ type: 'ok', payload: { annotation: { number: 1, status: 'pending' } } });
    const { annotation } = await page.next('annotation:created');
    const { id } = annotation;
    expect(await page.ask('annotation:edit', { id, severity: 'blocking' })).toMatchObject({ type: 'ok' });
    await server.services.diffs.propose(AGENT, id, DIFF);
    const proposed = await page.next(
      'annotation:updated',
      (update) => update.annotation.status === 'diff_proposed',
    );
    expect(proposed.annotation).toMatchObject({ diff: DIFF, severity: 'blocking' });
    expect(codeOf(await page.ask('diff:approve', { id, revision: 7 }))).toBe('conflict');
    expect(await page.ask('diff:reject', { id, revision: 1, message: 'Darker' })).toMatchObject({
      type: 'ok',
    });
    expect(await server.services.words.take(AGENT, id)).toEqual(['Darker']);
    await server.services.agent.resolve(AGENT, id, 'Done');
    expect(codeOf(await page.ask('annotation:edit', { id, intent: 'fix' }))).toBe('conflict');
    expect(await page.ask('annotation:reply', { id, message: 'No', reopen: true })).toMatchObject({
      payload: { annotation: { status: 'pending' } },
    });
    expect(codeOf(await page.ask('annotation:reopen', { id }))).toBe('conflict');
    expect(await page.ask('annotation:delete', { id })).toMatchObject({
      payload: { annotation: { status: 'dismissed', resolvedBy: 'user' } },
    });
    await page.ask('annotation:create', note());
    expect(await page.ask('annotations:clear', {})).toMatchObject({ payload: { cleared: 1 } });
    expect(await page.ask('session:ping', { url: `${ORIGIN}/next` })).toMatchObject({ type: 'ok' });
    await page.ask('session:update', { title: 'Next', autoApprove: true });
    expect(await server.services.sessions.get(ORGANIZATION, page.ready.session.id)).toMatchObject({
      url: `${ORIGIN}/next`,
      title: 'Next',
      autoApprove: true,
    });
    const numbered = page.received.flatMap(({ payload }) => ('seq' in payload ? [payload.seq] : []));
    expect(numbered).toEqual(numbered.map((_, index) => index));
  });

  test('a note that is sent again after a reconnect is made once', async () => {
    await using server = await startLink();
    const page = await server.hello();
    const sent = note();
    const first = await page.ask('annotation:create', sent);
    page.ws.close();
    const again = await server.hello(page.ready.sessionToken);
    expect(await again.ask('annotation:create', sent)).toMatchObject({ payload: first.payload });
    expect(again.ready.annotations).toHaveLength(1);
  });

  test("another session's note is answered like an unknown one, and stays as it is", async () => {
    await using server = await startLink();
    const [mine, other] = [await server.hello(), await server.hello()];
    await other.ask('annotation:create', note());
    const { annotation } = await other.next('annotation:created');
    const attempts = (id: string) =>
      [
        ['annotation:edit', { id, annotationText: 'Mine' }],
        ['annotation:reply', { id, message: 'Mine' }],
        ['annotation:reopen', { id }],
        ['annotation:delete', { id }],
        ['annotations:clear', { ids: [id] }],
        ['diff:approve', { id, revision: 1 }],
      ] as const;
    const unknown = `ann_${'0'.repeat(26)}`;
    const textsFor = async (wanted: string) => {
      const texts = [];
      for (const [type, payload] of attempts(wanted))
        texts.push(JSON.stringify((await mine.ask(type, payload)).payload).replace(wanted, 'ID'));
      return texts;
    };
    expect(await textsFor(annotation.id)).toEqual(await textsFor(unknown));
    expect(await server.services.notes.get(ORGANIZATION, annotation.id)).toEqual(asAgentsSee(annotation));
    expect(mine.received.filter(({ type }) => type.startsWith('annotation'))).toEqual([]);
  });

  test('unknown types, broken JSON and bad payloads are answered and change nothing', async () => {
    await using server = await startLink({ limits: { messagesPerSecond: 1e6, messageBurst: 1e6 } });
    const page = await server.hello();
    const bad = [
      'nonsense',
      '{"type":"drop:all","id":"x"}',
      '{"type":"__proto__"}',
      '{"type":"annotation:create","payload":{}}',
      JSON.stringify({ type: 'annotation:create', payload: note({ annotationText: '   ' }) }),
      JSON.stringify({ type: 'annotation:create', payload: note({ domSnapshot: 'x'.repeat(5001) }) }),
      JSON.stringify({ type: 'annotation:create', payload: note({ clientId: 'not-a-uuid' }) }),
      JSON.stringify({ type: 'annotation:create', payload: note({ inputs: { a: { b: { c: { d: 1 } } } } }) }),
      JSON.stringify({ type: 'annotation:create', payload: note({ inputs: { a: 'x'.repeat(4100) } }) }),
      JSON.stringify({ type: 'hello', payload: { token: server.token, ...PAGE, protocol: 1 } }),
    ];
    for (const text of bad) page.ws.send(text);
    page.ws.send(Buffer.from('binary'), { binary: true });
    expect(codeOf(await page.ask('session:ping', {}))).toBe('ok');
    const errors = page.received.filter(({ type }) => type === 'error');
    expect(errors.map(codeOf)).toEqual(Array.from({ length: bad.length + 1 }, () => 'invalid'));
    expect((await server.services.notes.list({ organizationId: ORGANIZATION })).total).toBe(0);
    expect(server.faults).toEqual([]);
  });

  test('10,000 random messages leave the store as it was and the server alive', async () => {
    await using server = await startLink({ limits: { messagesPerSecond: 1e9, messageBurst: 1e9 } });
    const page = await server.hello();
    await page.ask('annotation:create', note());
    const before = await server.services.notes.list({ organizationId: ORGANIZATION });
    const seed = Date.now();
    let state = seed;
    const random = (below: number) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state % below;
    };
    const types = [
      'annotation:create',
      'annotation:edit',
      'annotation:reply',
      'diff:approve',
      'annotations:clear',
      'x',
    ];
    const values = [
      null,
      1,
      -1,
      '',
      '\u0000',
      [],
      {},
      { id: 'ann_x' },
      { ids: ['a'] },
      { id: randomUUID(), message: '' },
    ];
    for (let count = 0; count < 10_000; count += 1) {
      const payload = values[random(values.length)];
      const text = JSON.stringify({ type: types[random(types.length)], payload });
      // An empty payload of clear is a valid message that clears; everything else here is not valid.
      const isClear = text.includes('annotations:clear') && !text.includes('"ids"');
      page.ws.send(isClear || random(5) === 0 ? text.slice(0, random(text.length)) : text);
    }
    expect(codeOf(await page.ask('session:ping', {})), `seed ${seed}`).toBe('ok');
    expect(await server.services.notes.list({ organizationId: ORGANIZATION }), `seed ${seed}`).toEqual(
      before,
    );
    expect(server.faults, `seed ${seed}`).toEqual([]);
  });
});

describe('how much a page may say', () => {
  test('a message of 257 kB is refused, the link stays, and the third in a minute closes it with 4429', async () => {
    await using server = await startLink();
    const page = await server.hello();
    const large = JSON.stringify({ type: 'session:update', payload: { title: 'x'.repeat(257 * 1024) } });
    page.ws.send(large);
    expect((await page.next('error')).code).toBe('invalid');
    expect(codeOf(await page.ask('session:ping', {}))).toBe('ok');
    page.ws.send(large);
    page.ws.send(large);
    expect(await page.closed).toBe(4429);
    expect(await server.services.sessions.get(ORGANIZATION, page.ready.session.id)).toMatchObject({
      title: 'Cart',
    });
  });

  test('a page that floods is told, then closed with 4429', async () => {
    await using server = await startLink({ limits: { messagesPerSecond: 1, messageBurst: 5 } });
    const page = await server.hello();
    for (let count = 0; count < 20; count += 1) page.ws.send('{"type":"session:ping","payload":{}}');
    expect(await page.closed).toBe(4429);
    expect(page.received.some((message) => codeOf(message) === 'rate_limited')).toBe(true);
  });
});

describe('coming back', () => {
  test('a reload keeps the session and its notes, and what was resolved meanwhile is resolved', async () => {
    await using server = await startLink();
    const page = await server.hello();
    await page.ask('annotation:create', note());
    const { annotation } = await page.next('annotation:created');
    page.ws.terminate();
    await server.services.agent.resolve(AGENT, annotation.id);
    const again = await server.hello(page.ready.sessionToken);
    expect(again.ready.session.id).toBe(page.ready.session.id);
    expect(again.ready.annotations).toMatchObject([{ id: annotation.id, status: 'resolved' }]);
  });

  test('closing an old socket does not end a session that has a newer one', async () => {
    let now = Date.now();
    await using server = await startLink({ now: () => now });
    const old = await server.hello();
    const newer = await server.hello(old.ready.sessionToken);
    old.ws.close();
    await old.closed;
    await newer.ask('session:ping', {});
    now += 20_000;
    expect((await server.services.sessions.get(ORGANIZATION, old.ready.session.id)).active).toBe(true);
    newer.ws.close();
  });

  test('two tabs of one session see the same', async () => {
    await using server = await startLink();
    const left = await server.hello();
    const right = await server.hello(left.ready.sessionToken);
    await left.ask('annotation:create', note());
    const { annotation } = await right.next('annotation:created');
    await server.services.agent.acknowledge(AGENT, annotation.id, 'On it');
    for (const page of [left, right]) {
      const update = await page.next('annotation:updated');
      expect(update.annotation).toMatchObject({ status: 'acknowledged', replies: [{ message: 'On it' }] });
    }
  });

  test('a page that may have missed something gets everything in one sync', async () => {
    await using server = await startLink();
    const page = await server.hello();
    await page.ask('annotation:create', note());
    await page.next('annotation:created');
    server.store.signal.isBroken = () => true;
    server.services.changes.retellWhenBroken();
    const sync = await page.next('annotations:sync');
    expect(sync).toMatchObject({ annotations: [{ number: 1 }], seq: 2 });
  });

  test('presence reaches the page', async () => {
    await using server = await startLink();
    const page = await server.hello();
    expect(page.ready.presence).toEqual({ state: 'none', agents: [] });
    server.services.presence.stamp(AGENT, 'claude');
    expect(await page.next('presence')).toMatchObject({ state: 'watching', agents: [{ name: 'Agent' }] });
  });

  test('a server that stops closes its pages, and a new one on the same data takes them up', async () => {
    await using server = await startLink();
    const page = await server.hello();
    await server.routes.close();
    expect(await page.closed).toBe(1001);
    expect(await refusedWith(server.socket())).not.toBe('opened');
  });
});
