/** What the set of all links promises: one for whoever may share it, none for whoever may not, and an end. */
import { serveWire } from '@parley/test-support/wire-upstream';
import { describe, expect, test } from 'vitest';
import { callOf, faultOf, linksBed, targetOf } from '../../test/links-bed.ts';
import type { Link, Links } from './link.ts';
import { HOPS_HEADER } from '@parley/kit';
import { createHops } from './wire/hops.ts';

describe('a link', () => {
  test('is the same for the same target, until its connection is forgotten', async () => {
    const { links } = linksBed();
    const target = targetOf('http://127.0.0.1:1/');
    const first = links.of(target);
    expect(links.of(target)).toBe(first);
    await links.forget('conn_other');
    expect(links.of(target)).toBe(first);
    await links.forget('conn_test');
    expect(links.of(target)).not.toBe(first);
  });

  test('that was forgotten opens nothing any more', async () => {
    const server = await serveWire({ era: '2025' });
    const { links } = linksBed();
    const link = links.of(targetOf(server.url, { era: 'legacy' }));
    expect(await link.request(callOf())).toMatchObject({ content: [{ type: 'text' }] });
    await links.forget('conn_test');
    const gone = { kind: 'unreachable', wasSent: false };
    expect(await faultOf(link.request(callOf()))).toMatchObject(gone);
    expect(await faultOf(link.watch(() => undefined))).toMatchObject(gone);
    expect([...server.sessions]).toEqual([]);
  });

  test('to a program or a document is that of the part that has them', async () => {
    const asked: string[] = [];
    const link: Link = {
      facts: () => Promise.reject(new Error('not asked')),
      request: async () => ({ from: 'elsewhere' }),
      watch: () => Promise.reject(new Error('not asked')),
    };
    const part = (name: string): Links => ({
      of: () => link,
      async forget(id) {
        asked.push(`${name} forgets ${id}`);
      },
      async close() {
        asked.push(`${name} ends`);
      },
    });
    const { links } = linksBed({ stdio: part('stdio'), openapi: part('openapi') });
    for (const type of ['STDIO', 'OPENAPI'] as const)
      expect(await links.of(targetOf(null, { type })).request(callOf())).toEqual({ from: 'elsewhere' });
    await links.forget('conn_test');
    await links.close();
    expect(asked.slice(0, 4)).toEqual([
      'stdio forgets conn_test',
      'openapi forgets conn_test',
      'stdio ends',
      'openapi ends',
    ]);
  });
});

describe('the era of a server', () => {
  test('that is believed is not asked for; one that is over is, and told though it is the same', async () => {
    const server = await serveWire({ era: '2025' });
    const believed = linksBed();
    const soon = { era: 'legacy', eraUntil: Date.now() + 600_000 } as const;
    await believed.link(server.url, soon).request(callOf());
    expect([server.of('server/discover'), believed.eras]).toEqual([[], []]);
    const old = linksBed();
    await old.link(server.url, { era: 'legacy', eraUntil: Date.now() - 1 }).request(callOf());
    expect(server.of('server/discover')).toHaveLength(1);
    expect(old.eras).toEqual(['conn_test legacy']);
  });

  test('is found out again after a day, and told once', async () => {
    let nowMs = 0;
    const server = await serveWire({ era: '2025' });
    const { link, eras } = linksBed({ now: () => nowMs });
    const target = targetOf(server.url);
    const call = () => link(target.url).request(callOf());
    await call();
    await call();
    expect([server.of('server/discover').length, eras.length]).toEqual([1, 1]);
    nowMs = 24 * 60 * 60_000;
    await call();
    expect([server.of('server/discover').length, eras]).toEqual([
      2,
      ['conn_test legacy', 'conn_test legacy'],
    ]);
  });
});

test('a call that goes in circles is refused before it leaves', async () => {
  const server = await serveWire({ era: '2026' });
  const hopKey = 'the key of all replicas';
  const next = createHops(hopKey);
  const { link } = linksBed({ hopKey });
  let hops: string | undefined;
  for (let count = 0; count < 5; count += 1) {
    await link(server.url, { era: 'modern' }).request(callOf({}, { hops }));
    hops = String(server.heard.at(-1)?.headers[HOPS_HEADER]);
    expect(hops).toMatch(new RegExp(`^${count + 1}\\.`));
  }
  expect(() => next(hops)).toThrow('5 times');
  const fault = await faultOf(link(server.url, { era: 'modern' }).request(callOf({}, { hops })));
  expect(fault).toMatchObject({ kind: 'not_allowed', wasSent: false });
  expect(server.of('tools/call')).toHaveLength(5);
});
