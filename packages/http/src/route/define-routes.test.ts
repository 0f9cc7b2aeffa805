/** A set of routes that only declares: everything else comes with it. */
import { onBothEngines } from '@parley/store/testing';
import { identityMigrations } from '@parley/identity';
import type { Caller } from '@parley/kit';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { notesApi, notesMigrations, openNotes } from '../../test/notes-api.ts';
import { openApiOf } from '../openapi/openapi.ts';
import { docsPageOf } from '../openapi/docs-page.ts';
import { nothing } from './answer.ts';
import { defineRouteFor } from './route.ts';

const EVERYTHING = { notes: ['*', 'write_note'] };

onBothEngines(
  'declared routes',
  (open) => {
    test('stand behind the door, whose refusals are in their own form', async () => {
      const api = await openNotes(await open());
      const as = await api.keyWith(EVERYTHING);
      const wrong = await api.call('GET', '/notes', { as, headers: { origin: 'https://evil.example' } });
      expect(wrong.headers.get('x-request-id')).toMatch(/^[\w-]{36}$/);
      expect([wrong.status, JSON.parse(wrong.text)]).toEqual([
        403,
        {
          error: {
            code: 'FORBIDDEN',
            message: 'Requests from that Origin are not accepted. Add it with --allow-origin.',
          },
          message: 'Requests from that Origin are not accepted. Add it with --allow-origin.',
        },
      ]);
      expect((await api.call('GET', '/notes')).status).toBe(401);
      expect((await api.call('GET', '/notes', { as: 'nonsense' })).status).toBe(401);
      expect((await api.call('GET', '/notes', { as })).status).toBe(200);
    });

    test('are loaded once, with the first request', async () => {
      let loads = 0;
      const routes = async () => {
        loads += 1;
        return notesApi.routes();
      };
      const api = await openNotes(await open(), { routes });
      const as = await api.keyWith(EVERYTHING);
      expect(loads).toBe(0);
      const [first, second] = await Promise.all([
        api.call('GET', '/notes', { as }),
        api.call('GET', '/docs', { as }),
      ]);
      expect([first.status, second.status, loads]).toEqual([200, 200, 1]);
    });

    test('that could not be loaded are a fault, and are there when they can be', async () => {
      let isBroken = true;
      const routes = async () => {
        if (isBroken) throw new Error('disk');
        return notesApi.routes();
      };
      const api = await openNotes(await open(), { routes });
      const as = await api.keyWith(EVERYTHING);
      const failed = await api.call('GET', '/notes', { as });
      expect([failed.status, JSON.parse(failed.text).error.code]).toEqual([500, 'INTERNAL_ERROR']);
      expect(api.faults).toEqual([new Error('disk')]);
      // The id of the answer is the one under which the fault is in the log.
      expect(api.places).toEqual([`notes REST, request ${failed.headers.get('x-request-id')}`]);
      isBroken = false;
      expect((await api.call('GET', '/notes', { as })).status).toBe(200);
    });

    test('have limits: bodies, queries, requests per minute', async () => {
      const api = await openNotes(await open(), { limits: { bodyBytes: 100 }, ratePerMinute: 6 });
      const as = await api.keyWith(EVERYTHING);
      const large = await api.call('POST', '/notes', { as, body: { text: 'x'.repeat(200) } });
      expect(large.status).toBe(413);
      expect((await api.call('POST', '/notes', { as, body: { text: 'x', more: 1 } })).status).toBe(400);
      const limit = await api.call('GET', '/notes?limit=x', { as });
      expect([limit.status, JSON.parse(limit.text).error.fields]).toEqual([
        400,
        { limit: expect.any(String) },
      ]);
      expect((await api.call('GET', '/notes?other=1', { as })).status).toBe(400);
      expect((await api.call('PUT', '/notes', { as })).headers.get('allow')).toBe('GET, HEAD, POST');
      expect((await api.call('GET', '/nowhere', { as })).text).toContain('/api/notes/docs');
      const refused = await api.call('GET', '/notes', { as });
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([
        429,
        expect.stringMatching(/^\d+$/),
      ]);
    });

    test('speak to listed pages, and to no others', async () => {
      const api = await openNotes(await open());
      const origin = 'https://app.example';
      const preflight = await api.call('OPTIONS', '/notes', { headers: { origin } });
      expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, origin]);
      expect(preflight.headers.get('access-control-allow-headers')).toContain('idempotency-key');
      const own = await api.call('GET', '/docs');
      expect(own.headers.get('access-control-allow-origin')).toBeNull();
    });

    test('tag what is read, and delete nothing that has changed since', async () => {
      const api = await openNotes(await open());
      const as = await api.keyWith(EVERYTHING);
      const made = await api.call('POST', '/notes', { as, body: { text: 'one' } });
      const location = made.headers.get('location') ?? '';
      expect([made.status, location]).toEqual([201, expect.stringMatching(/^\/api\/notes\/notes\/note_/)]);
      const path = location.slice(notesApi.prefix.length);
      const etag = (await api.call('GET', path, { as })).headers.get('etag') ?? '';
      const same = await api.call('GET', path, { as, headers: { 'if-none-match': etag } });
      expect([same.status, same.text]).toEqual([304, '']);
      const stale = await api.call('DELETE', path, { as, headers: { 'if-match': '"other"' } });
      expect([stale.status, JSON.parse(stale.text).error.code]).toEqual([412, 'PRECONDITION_FAILED']);
      expect((await api.call('DELETE', path, { as, headers: { 'if-match': etag } })).status).toBe(204);
      expect((await api.call('GET', path, { as })).status).toBe(404);
      expect(api.faults).toEqual([]);
    });

    test('have one effect per Idempotency-Key', async () => {
      const api = await openNotes(await open());
      const as = await api.keyWith(EVERYTHING);
      const write = (text: string) =>
        api.call('POST', '/notes', { as, body: { text }, headers: { 'idempotency-key': 'k' } });
      const answers = await Promise.all(Array.from({ length: 5 }, () => write('once')));
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
      expect((await write('twice')).status).toBe(409);
      expect(JSON.parse((await api.call('GET', '/notes', { as })).text).pagination.total).toBe(1);
    });

    test('keep nothing of an Idempotency-Key where anybody may come, or where a route takes none', async () => {
      const store = await open();
      let runs = 0;
      const shared = {
        summary: 'Come in',
        body: z.strictObject({ word: z.string() }),
        answer: nothing,
      } as const;
      const run = async () => {
        runs += 1;
      };
      const routes = async () => [
        ...(await notesApi.routes()),
        defineRouteFor<object>()({ ...shared, method: 'POST', path: '/enter', who: 'anybody', run }),
        defineRouteFor<object>()({
          ...shared,
          method: 'POST',
          path: '/again',
          who: 'team',
          grants: ['list_notes'],
          isRepeatable: false,
          run,
        }),
      ];
      const api = await openNotes(store, { routes });
      const as = await api.keyWith(EVERYTHING);
      const headers = { 'idempotency-key': 'k', origin: new URL(api.url).origin };
      for (const word of ['mine', 'mine', 'of somebody else']) {
        expect((await api.call('POST', '/enter', { body: { word }, headers })).status).toBe(204);
        expect((await api.call('POST', '/again', { as, body: { word }, headers })).status).toBe(204);
      }
      expect(runs).toBe(6);
      const kept = await store
        .db<Record<string, object>>()
        .selectFrom('notes_idempotency')
        .selectAll()
        .execute();
      expect(kept).toEqual([]);
      const { paths } = openApiOf({ ...notesApi, routes: await routes() }) as {
        paths: Record<string, Record<string, { parameters?: { name: string }[] }>>;
      };
      expect(JSON.stringify(paths['/api/notes/enter'] ?? paths['/enter'])).not.toContain('Idempotency-Key');
    });

    test('that show a secret or are sensitive are not for a caller who is gone in minutes', async () => {
      const shared = { method: 'POST', who: 'team', grants: ['list_notes'], answer: nothing } as const;
      const run = async () => undefined;
      const routes = async () => [
        defineRouteFor<object>()({ ...shared, path: '/plain', summary: 'Plain', run }),
        defineRouteFor<object>()({ ...shared, path: '/secret', summary: 'Secret', hasSecret: true, run }),
        defineRouteFor<object>()({ ...shared, path: '/grave', summary: 'Grave', isSensitive: true, run }),
      ];
      let callerOf = (caller: Caller): Caller => caller;
      const api = await openNotes(await open(), {
        routes,
        callerOf: (caller) => callerOf(caller),
      });
      const as = await api.keyWith(EVERYTHING);
      const tried = async () => {
        const answers = ['/plain', '/secret', '/grave'].map((path) => api.call('POST', path, { as }));
        return (await Promise.all(answers)).map(({ status }) => status);
      };
      expect(await tried()).toEqual([204, 204, 204]);
      callerOf = (caller) => ({ ...caller, endsAt: Date.now() + 1000 });
      expect(await tried()).toEqual([204, 403, 403]);
    });

    test('for anybody cannot ask for one', () => {
      const route = {
        summary: 'Come in',
        answer: nothing,
        run: async () => undefined,
        isRepeatable: true,
      } as const;
      const define = defineRouteFor<never>();
      expect(() => define({ ...route, method: 'POST', path: '/enter', who: 'anybody' })).toThrow(
        'known caller',
      );
      expect(() => define({ ...route, method: 'PUT', path: '/enter', who: 'person' })).toThrow('only a POST');
    });

    test('are recorded under their toolset and whole path, with the code of what was refused', async () => {
      const api = await openNotes(await open());
      const as = await api.keyWith(EVERYTHING);
      await api.call('GET', '/notes', { as });
      await api.call('GET', '/notes/nothing', { as });
      await api.call('GET', '/elsewhere', { as });
      const seen = api.records.map(({ toolset, name, outcome, code }) => [toolset, name, outcome, code]);
      expect(seen).toEqual([
        ['notes', 'GET /api/notes/notes', 'ok', null],
        ['notes', 'GET /api/notes/notes/:id', 'error', 'not_found'],
        ['notes', 'unknown route', 'error', 'not_found'],
      ]);
    });

    test('tell listeners what has changed', async () => {
      const api = await openNotes(await open());
      const as = await api.keyWith(EVERYTHING);
      const stream = await fetch(`${api.url}/stream`, { headers: { authorization: `Bearer ${as}` } });
      const chunks = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
      let heard = '';
      const until = async (wanted: string) => {
        while (!heard.includes(wanted)) heard += (await chunks?.read())?.value ?? '';
      };
      await until(': listening');
      await api.call('POST', '/notes', { as, body: { text: 'news' } });
      await until('\n\nevent');
      await until('}\n\n');
      expect(heard).toBe(': listening\n\nevent: notes.notes\ndata: {"noun":"notes"}\n\n');
      await chunks?.cancel();
    });
  },
  [identityMigrations, notesMigrations],
);

describe('the documents of declared routes', () => {
  test('are made from the literals alone', async () => {
    const table = { ...notesApi, routes: await notesApi.routes() };
    const document = openApiOf(table) as {
      paths: Record<string, Record<string, { description: string }>>;
    };
    expect(Object.keys(document.paths)).toEqual([
      '/notes',
      '/notes/{id}',
      '/notes/newest',
      '/file',
      '/stream',
    ]);
    expect(document.paths['/notes/{id}']?.['delete']?.description).toBe(
      'For the team. Needs the grant `notes:delete_note`.',
    );
    const page = docsPageOf(table);
    expect(page).toContain('<h1>Notes</h1>');
    expect(page).toContain('<code>DELETE /notes/:id</code>');
    expect(page).not.toMatch(/feedback/i);
  });

  test('a GET that does more than read is refused where it is defined', () => {
    const define = defineRouteFor<object>();
    const route = {
      method: 'GET',
      path: '/x',
      summary: 'x',
      who: 'team',
      grants: ['x'],
      answer: nothing,
    } as const;
    expect(() => define({ ...route, effect: 'delete', run: async () => undefined })).toThrow(
      'GET /x must only read',
    );
    expect(define({ ...route, run: async () => undefined }).effect).toBe('read');
  });
});
