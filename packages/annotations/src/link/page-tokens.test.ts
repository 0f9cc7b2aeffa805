import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { startLink } from '../../test/link.ts';
import { note, ORGANIZATION, ORIGIN, PAGE } from '../../test/notes.ts';
import { createAnnotationServices } from '../services/index.ts';

describe('a token that a page sends as content', () => {
  test('is struck out of every field of a note and of the session before it is stored', async () => {
    await using server = await startLink();
    const page = await server.hello();
    const tab = page.ready.sessionToken;
    const secrets = [server.token, tab, server.token.slice(0, 30)];
    const leak = `a ${secrets.join(' b ')} c`;
    const made = await page.ask(
      'annotation:create',
      note({
        clientId: randomUUID(),
        annotationText: leak,
        url: `${PAGE.url}&t=${server.token}`,
        title: leak,
        element: leak,
        nearbyText: leak,
        selectionText: leak,
        domSnapshot: `<script data-token="${server.token}"></script>`,
        inputs: { list: [{ leak }] },
        targets: [
          {
            selector: leak,
            elementPath: leak,
            boundingBox: { x: 0, y: 0, width: 1, height: 1, fixed: false },
          },
        ],
      }),
    );
    await page.ask('session:update', { url: `${PAGE.url}&t=${tab}`, title: leak });
    const { sessions } = await server.services.sessions.list(ORGANIZATION);
    const { annotations } = await server.services.notes.list({ organizationId: ORGANIZATION });
    expect(annotations[0]).toMatchObject({
      annotationText: 'a *** b *** b *** c',
      domSnapshot: '<script data-token="***"></script>',
      inputs: { list: [{ leak: 'a *** b *** b *** c' }] },
    });
    expect(sessions[0]?.title).toBe('a *** b *** b *** c');
    expect(JSON.stringify([made, sessions, annotations])).not.toMatch(/parley_(page|tab)_/);
  });
});

describe('a token that is taken back', () => {
  // The sweep that looks every few seconds must not be what closes the links.
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const hello = (token: string) =>
    JSON.stringify({ type: 'hello', payload: { token, ...PAGE, protocol: 1 } });
  const json = (authorization: string) => ({
    origin: ORIGIN,
    'content-type': 'application/json',
    ...(authorization !== '' && { authorization: `Bearer ${authorization}` }),
  });
  const ping = JSON.stringify({ type: 'session:ping', payload: {} });

  const changes = [
    ['revoked', undefined],
    ['bound to other origins', ['https://app.example']],
  ] as const;

  test.each(changes)(
    'closes every live link at once when it is %s by another process',
    async (_name, origins) => {
      await using server = await startLink();
      // Another process has its own services on the same database.
      const other = createAnnotationServices({ store: server.store });
      const socket = await server.hello();
      const posted = await server.send('/__parley/messages', {
        method: 'POST',
        headers: json(''),
        body: hello(server.token),
      });
      const { sessionToken } = (JSON.parse(posted.body) as { payload: { sessionToken: string } }).payload;
      const stream = await fetch(`http://127.0.0.1:${server.port}/__parley/events`, {
        headers: json(sessionToken),
      });
      const reader = stream.body!.getReader();
      expect(new TextDecoder().decode((await reader.read()).value)).toContain('annotations:sync');
      const asked = () =>
        server.send('/__parley/messages', { method: 'POST', headers: json(sessionToken), body: ping });
      expect((await asked()).status).toBe(200);
      const [{ id } = { id: '' }] = await other.pageTokens.list(ORGANIZATION, 1);
      if (origins === undefined) await other.pageTokens.revoke(ORGANIZATION, id);
      else await other.pageTokens.allow(ORGANIZATION, id, origins);
      expect(await socket.closed).toBe(4401);
      while (!(await reader.read()).done);
      expect((await asked()).status).toBe(401);
      expect((await server.send('/__parley/events', { headers: json(sessionToken) })).status).toBe(401);
      expect(server.faults).toEqual([]);
      await other.close();
    },
  );

  test('a page of an origin that stays allowed is left alone', async () => {
    await using server = await startLink();
    const page = await server.hello();
    const [{ id } = { id: '' }] = await server.services.pageTokens.list(ORGANIZATION, 1);
    await server.services.pageTokens.allow(ORGANIZATION, id, [ORIGIN, 'https://app.example']);
    expect(await page.ask('session:ping', {})).toMatchObject({ type: 'ok' });
    expect(page.ws.readyState).toBe(page.ws.OPEN);
  });
});
