/** Files that routes answer with: whole or visibly cut, bounded in number, and gone with their reader. */
import { get } from 'node:http';
import { identityMigrations } from '@parley/identity';
import { onBothEngines } from '@parley/store/testing';
import { expect, test } from 'vitest';
import { notesMigrations, openNotes, PIECE } from '../../test/notes-api.ts';

const ALL = { notes: ['*'] };
// More than any socket buffers, so that the writer has to wait.
const MANY = 400;

onBothEngines(
  'downloads',
  (open) => {
    test('come whole, with a safe name, and as headers alone for HEAD', async () => {
      const api = await openNotes(await open());
      const as = await api.keyWith(ALL);
      const { status, text, headers } = await api.call('GET', '/file?pieces=3', { as });
      expect([status, text.length]).toEqual([200, 3 * PIECE]);
      expect(headers.get('content-disposition')).toBe('attachment; filename="all _notes___.txt"');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect((await api.call('HEAD', '/file?pieces=3', { as })).text).toBe('');
      expect((await api.call('GET', '/file?pieces=3')).status).toBe(401);
      expect(api.records.map(({ name, outcome }) => [name, outcome])).toEqual([
        ['GET /api/notes/file', 'ok'],
        ['GET /api/notes/file', 'ok'],
      ]);
    });

    test('are cut off when writing them fails, so that half a file is not taken for a whole one', async () => {
      const api = await openNotes(await open());
      const as = await api.keyWith(ALL);
      await expect(api.call('GET', '/file?pieces=2&fault=disk', { as })).rejects.toThrow('terminated');
      expect(api.faults).toEqual([new Error('disk')]);
    });

    test('have places, which are free again when their readers leave', async () => {
      const api = await openNotes(await open());
      const as = await api.keyWith(ALL);
      const reading = async () => {
        const req = get(`${api.url}/file?pieces=${MANY}`, { headers: { authorization: `Bearer ${as}` } });
        req.on('error', () => undefined);
        await new Promise((resolve) => {
          req.once('response', resolve);
        });
        return req;
      };
      const readers = [await reading(), await reading()];
      const third = await api.call('GET', '/file?pieces=1', { as });
      expect([third.status, third.headers.get('retry-after')]).toEqual([429, '10']);
      for (const req of readers) req.destroy();
      await expect.poll(async () => (await api.call('GET', '/file?pieces=1', { as })).status).toBe(200);
      expect(api.faults).toEqual([]);
    });

    test('do not wait for readers that stand still', async () => {
      const api = await openNotes(await open(), { downloads: { patienceMs: 20, perOrganization: 1 } });
      const as = await api.keyWith(ALL);
      const req = get(`${api.url}/file?pieces=${MANY}`, { headers: { authorization: `Bearer ${as}` } });
      req.on('error', () => undefined);
      await new Promise((resolve) => {
        req.once('response', resolve);
      });
      await expect.poll(async () => (await api.call('GET', '/file?pieces=1', { as })).status).toBe(200);
      req.destroy();
      expect(api.faults).toEqual([]);
    });
  },
  [identityMigrations, notesMigrations],
);
