/** `parley start --demo`: a feedback that is full and public at the first start, and the same at the next. */
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { ensureBuilt } from './build.ts';
import { scratchFolder, spawnParley, startParley } from './parley.ts';

beforeAll(ensureBuilt);

const pageOf = async (url: string) => {
  const answer = await fetch(url);
  return { status: answer.status, text: await answer.text() };
};

test('the demo is there with the first start, and the next start changes nothing', async () => {
  using folder = scratchFolder();
  const data = join(folder.path, 'data');
  const list = async () => {
    await using server = await startParley(data, { args: ['--demo'] });
    const { pages } = JSON.parse(server.stdout()) as { pages: string };
    expect(pages).toBe(`${server.url}/feedback`);
    const { status, text } = await pageOf(pages);
    expect([status, text]).toEqual([200, expect.stringContaining('What should Harbor be able to do?')]);
    expect(text).not.toContain('Internal');
    const answer = await fetch(`${server.url}/api/v1/posts?limit=100&sort=oldest`, {
      headers: { authorization: `Bearer ${server.key}` },
    });
    const { meta, data: posts } = (await answer.json()) as { meta: unknown; data: unknown[] };
    expect((await server.stop()).stderr).not.toContain('"level":50');
    return { meta, posts };
  };
  const first = await list();
  expect(first.meta).toMatchObject({ pagination: { total: 195 } });
  expect(await list()).toEqual(first);
});

test('without --demo nothing is there and nothing is public; PARLEY_DEMO stands for it, and people are told where to look', async () => {
  using folder = scratchFolder();
  const data = join(folder.path, 'data');
  {
    await using server = await startParley(data);
    expect(JSON.parse(server.stdout())).not.toHaveProperty('pages');
    expect((await pageOf(`${server.url}/feedback`)).status).toBe(404);
  }
  const running = spawnParley(['start', '--port', '0', '--data', data], { env: { PARLEY_DEMO: '1' } });
  const [, pages = ''] = await running.until('stdout', /Feedback {3}(http\S+\/feedback)\n/);
  expect((await pageOf(pages)).status).toBe(200);
  running.child.kill('SIGTERM');
  expect((await running.ended).code).toBe(0);
});
