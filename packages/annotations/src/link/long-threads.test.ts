/** What a page is told of a thread that is longer than a page may be told. */
import { expect, test } from 'vitest';
import { startLink } from '../../test/link.ts';
import { AGENT, writeThread } from '../../test/notes.ts';

test('a huge thread is told by its end, within the bytes of a session, and with the notes beside it', async () => {
  await using server = await startLink();
  const page = await server.hello();
  const row = await server.services.sessions.find(page.ready.sessionToken);
  const [plain, fat] = [await server.note(row), await server.note(row)];
  const words = Array.from({ length: 330 }, (_, index) => `${index + 1}.`.padEnd(9990, '語'));
  await writeThread(server.store, fat.id, words);
  const again = await server.hello(page.ready.sessionToken);
  expect(Buffer.byteLength(JSON.stringify(again.ready))).toBeLessThan(server.services.limits.sessionBytes);
  expect(again.ready.annotations.map(({ id }) => id)).toEqual([plain.id, fat.id]);
  expect(again.ready.annotations[1]).toMatchObject({ repliesBefore: 320 });
  expect(again.ready.annotations[1]?.replies.map(({ message }) => message)).toEqual(words.slice(-10));

  await server.services.agent.acknowledge(AGENT, fat.id);
  const { annotation } = await again.next('annotation:updated', (told) => told.annotation.id === fat.id);
  expect(annotation).toMatchObject({ status: 'acknowledged', repliesBefore: 320 });

  const refused = await again.ask('annotation:reply', { id: fat.id, message: 'One more' });
  expect(refused).toMatchObject({
    type: 'error',
    payload: { code: 'invalid', message: expect.stringContaining('Open a new note') },
  });
  expect((await again.ask('session:ping', {})).type).toBe('ok');
});
