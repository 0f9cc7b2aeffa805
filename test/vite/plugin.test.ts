import { mkdir, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parley } from '../../packages/annotations/src/vite/index.ts';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { ask, importVite, serve, settingsOf, UNPREPARED } from './dev-server.ts';
import { copySample } from './project.ts';

const scriptOf = (html: string) => [...html.matchAll(/<script[^>]*@parley[^>]*>/g)].map(([tag]) => tag);

async function textOf(url: string): Promise<string> {
  return (await ask(url, { headers: { accept: 'text/html,*/*' } })).text;
}

test('a page gets exactly one module script', async () => {
  await using project = await copySample('html');
  await using served = await serve(settingsOf(project.root, [parley()]));
  expect(scriptOf(await textOf(served.url))).toEqual(['<script type="module" src="/@parley/overlay.js">']);
  expect(await textOf(`${served.url}@parley/overlay.js`)).toContain('/__parley/overlay.js');
});

test('a base is kept before the module, and the client of every page brings it too', async () => {
  await using project = await copySample('html');
  await using served = await serve(settingsOf(project.root, [parley()], { base: '/shop/' }));
  expect(served.url).toMatch(/\/shop\/$/);
  expect(scriptOf(await textOf(served.url))[0]).toContain('src="/shop/@parley/overlay.js"');
  expect(await textOf(`${served.url}@parley/overlay.js`)).toContain('dataset.token');
  expect(await textOf(`${served.url}@vite/client`)).toContain('"/shop/@parley/overlay.js"');
});

test('a server that renders its own pages gets the script through the HTML hook', async () => {
  await using project = await copySample('html');
  const { createServer: createVite } = await importVite();
  const more = { appType: 'custom', server: { middlewareMode: true, ws: false } } as const;
  const vite = await createVite(settingsOf(project.root, [parley()], more));
  try {
    const html = await vite.transformIndexHtml('/any', '<html><head></head><body>rendered</body></html>');
    expect(scriptOf(html)).toHaveLength(1);
  } finally {
    await vite.close();
  }
});

test('nothing of the data folder is served', async () => {
  await using project = await copySample('html');
  await mkdir(join(project.root, '.parley'), { recursive: true });
  await writeFile(join(project.root, '.parley/owner.txt'), 'a secret');
  await using served = await serve(settingsOf(project.root, [parley()]));
  for (const path of [
    '.parley/owner.txt',
    '.parley/owner.txt?raw',
    `@fs${project.root}/.parley/owner.txt?raw`,
  ]) {
    const answer = await ask(served.url + path);
    expect(answer.text, path).not.toContain('a secret');
    expect(answer.status, path).toBe(404);
  }
  await expect(served.server.transformRequest('/.parley/owner.txt?raw')).rejects.toThrow('data folder');
});

test('a test runner sees no mark, no script and no store', async () => {
  await using project = await copySample('react');
  const runner = { name: 'vitest' };
  await using served = await serve(settingsOf(project.root, [runner, parley()], UNPREPARED));
  expect(await textOf(`${served.url}src/card.tsx`)).not.toContain('data-parley-src');
  expect(scriptOf(await textOf(served.url))).toEqual([]);
});

test('a preview of a build has no way to a Parley', async () => {
  await using project = await copySample('html');
  const { preview, build } = await importVite();
  await build(settingsOf(project.root, []));
  const plugins = [parley({ server: 'http://127.0.0.1:9' })];
  const previewed = await preview(
    settingsOf(project.root, plugins, { preview: { host: '127.0.0.1', port: 0 } }),
  );
  try {
    const url = previewed.resolvedUrls!.local[0]!;
    expect(scriptOf(await textOf(url))).toEqual([]);
    expect((await ask(`${url}__parley/overlay.js`, { headers: { accept: '*/*' } })).status).not.toBe(500);
  } finally {
    await previewed.close();
  }
});

test('with a server, requests and sockets go there with its own host and the page’s origin', async () => {
  const seen: IncomingMessage[] = [];
  const upstream = createServer((req, res) => {
    seen.push(req);
    res.end('from upstream');
  });
  upstream.on('upgrade', (req, socket) => {
    seen.push(req);
    socket.end('HTTP/1.1 401 Unauthorized\r\nconnection: close\r\n\r\n');
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  // A listening server has an address with a port.
  const host = `127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  await using project = await copySample('html');
  const plugins = [parley({ server: `http://${host}`, token: 'page_token' })];
  await using served = await serve(settingsOf(project.root, plugins, { base: '/shop/' }));
  const { origin } = new URL(served.url);
  try {
    expect(await textOf(`${origin}/__parley/overlay.js`)).toBe('from upstream');
    const socket = new WebSocket(`${origin.replace('http', 'ws')}/__parley/socket`, { origin });
    await new Promise((resolve) => socket.once('error', resolve));
    expect(seen.map(({ url }) => url)).toEqual(['/__parley/overlay.js', '/__parley/socket']);
    expect(seen.map(({ headers }) => headers.host)).toEqual([host, host]);
    expect(seen[1]?.headers.origin).toBe(origin);
    expect(await textOf(`${served.url}@parley/overlay.js`)).toContain('"page_token"');
  } finally {
    upstream.close();
  }
});
