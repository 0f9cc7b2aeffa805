import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { startLink } from '../../test/link.ts';
import { note, ORGANIZATION, PAGE } from '../../test/notes.ts';

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
