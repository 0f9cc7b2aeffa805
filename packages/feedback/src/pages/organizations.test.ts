/** The public pages of several organizations on one server: each has its host name, and shows nothing of the others. */
import http from 'node:http';
import { expect, test } from 'vitest';
import { servePages } from '../../test/serve-pages.ts';
import { onBothEngines } from '../testing/engines.ts';
import { openFeedback } from '../testing/fixture.ts';
import { createSites } from './sites.ts';

interface Asked {
  readonly status: number;
  readonly text: string;
  readonly cookie: string | undefined;
}

/** A request that names the host itself, which `fetch` does not let one do. */
function ask(
  url: string,
  host: string,
  { form, cookie = '' }: { form?: Record<string, string>; cookie?: string | undefined } = {},
): Promise<Asked> {
  const body = form && new URLSearchParams(form).toString();
  const headers = {
    host,
    cookie,
    ...(body && { origin: `http://${host}`, 'content-type': 'application/x-www-form-urlencoded' }),
  };
  return new Promise((resolve, reject) => {
    const req = http.request(url, { method: body ? 'POST' : 'GET', headers }, (res) => {
      let text = '';
      res.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      res.on('error', reject).on('end', () => {
        const [set] = res.headers['set-cookie'] ?? [];
        resolve({ status: res.statusCode ?? 0, text, cookie: set?.split(';')[0] });
      });
    });
    req.on('error', reject).end(body);
  });
}

const PATHS = [
  '/feedback',
  '/feedback/changelog',
  '/changelog.xml',
  '/api/public/posts',
  '/api/public/boards',
];

onBothEngines('the pages of two organizations', (open) => {
  test('are at two host names, each with its own posts and visitors', async () => {
    const store = await open();
    const first = await openFeedback(store);
    const second = await openFeedback(store, { slug: 'beta' });
    const ours = await first.post({ title: 'Ours alone' });
    const theirs = await second.post({ title: 'Theirs alone' });
    await using site = await servePages(first.services, {
      organizationHosts: ['beta=beta.example', 'gone=gone.example'],
    });
    const port = new URL(site.url).port;
    const see = (path: string, host: string, more = {}) => ask(site.url + path, `${host}:${port}`, more);

    await first.services.settings.update(first.admin, { isPublished: true });
    for (const path of PATHS) expect((await see(path, 'beta.example')).status, path).toBe(404);

    await second.services.settings.update(second.admin, { isPublished: true });
    for (const path of PATHS) {
      expect((await see(path, 'beta.example')).status, path).toBe(200);
      expect((await see(path, 'gone.example')).status, path).toBe(404);
      expect((await see(path, 'evil.example')).status, path).toBe(403);
    }
    const posts = { ours: `/feedback/posts/${ours}`, theirs: `/feedback/posts/${theirs}` };
    expect((await see(posts.theirs, 'BETA.example')).text).toContain('Theirs alone');
    expect((await see(posts.ours, 'localhost')).text).toContain('Ours alone');
    expect((await see(posts.ours, 'beta.example')).status).toBe(404);
    expect((await see(posts.theirs, 'localhost')).status).toBe(404);
    const listed = (await see('/api/public/posts', 'beta.example')).text;
    expect(listed).toContain('Theirs alone');
    expect(listed).not.toContain('Ours alone');
    // Links of the feed lead back to the name that was asked for.
    expect((await see('/changelog.xml', 'beta.example')).text).toContain(
      `http://beta.example:${port}/feedback`,
    );

    const signIn = { form: { name: 'Vera Visitor' } };
    const visitor = await see('/feedback/sign-in', 'beta.example', signIn);
    expect(visitor.status).toBe(303);
    const namesOf = async ({ identity, organizationId }: typeof first) =>
      (await identity.listMembers(organizationId)).map(({ name }) => name);
    expect(await namesOf(second)).toContain('Vera Visitor');
    expect(await namesOf(first)).not.toContain('Vera Visitor');
    const { cookie } = visitor;
    expect((await see('/feedback', 'beta.example', { cookie })).text).toContain('Vera Visitor');
    expect((await see('/feedback', 'localhost', { cookie })).text).not.toContain('Vera Visitor');
  });
});

test('a pair that is none is refused in words', () => {
  const names = { hosts: [], origins: [] };
  for (const pair of ['beta', '=host', 'beta=', 'beta=http://x', 'be ta=x'])
    expect(() => createSites({ names, organizationHosts: [pair] })).toThrow(/is not SLUG=HOST/);
});

test('behind a proxy that speaks https, links of every name do so too', () => {
  const names = { hosts: [], origins: [] };
  const publicUrl = 'https://feedback.example';
  const sites = createSites({ names, publicUrl, organizationHosts: ['beta=beta.example'] });
  const siteOf = (host: string) => sites.of({ headers: { host } } as http.IncomingMessage);
  expect(siteOf('beta.example')).toEqual({ slug: 'beta', publicUrl: 'https://beta.example' });
  expect(siteOf('feedback.example')).toEqual({ publicUrl });
});
