import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { InlineConfig, PluginOption } from 'vite';
import { expect, test } from 'vitest';
import { parley } from '../../packages/annotations/src/vite/index.ts';
import { ensureBuilt } from '../product/build.ts';
import { scratchFolder, startParley } from '../product/parley.ts';
import { ask, importVite, serve, settingsOf } from './dev-server.ts';
import { connectPage, tokenOf } from './page-client.ts';
import { copySample, importTool } from './project.ts';

async function tokenAt(url: string): Promise<string> {
  const { text } = await ask(`${url}@parley/overlay.js`);
  return /dataset\.token = "([^"]*)"/.exec(text)?.[1] ?? '';
}

test('a dev server alone takes notes, and its folder is one that the product opens', async () => {
  await ensureBuilt();
  await using project = await copySample('html');
  const data = join(project.root, '.parley');
  let token = '';
  {
    await using served = await serve(settingsOf(project.root, [parley()], { base: '/shop/' }));
    const { origin } = new URL(served.url);
    token = await tokenAt(served.url);
    expect(token).toMatch(/^parley_page_/);
    expect((await ask(`${origin}/__parley/overlay.js`)).type).toContain('javascript');
    const page = await connectPage(origin, token);
    expect(await page.create('Make it green')).toMatch(/^ann_/);
    page.close();
  }
  expect(await readdir(data)).not.toContain('parley.db-wal');
  await using server = await startParley(data);
  expect(tokenOf(server.stdout())).toBe(token);
  expect(await readdir(data)).toContain('owner.key');
  expect(await readFile(join(data, '.gitignore'), 'utf8')).toBe('*\n');
});

test('pages of a foreign origin are refused', async () => {
  await using project = await copySample('html');
  await using served = await serve(settingsOf(project.root, [parley()]));
  const { origin } = new URL(served.url);
  const body = JSON.stringify({ type: 'hello', payload: {} });
  const answer = await ask(`${origin}/__parley/messages`, {
    method: 'POST',
    headers: { origin: 'https://elsewhere.example', 'content-type': 'application/json' },
    body,
  });
  expect(answer.status).toBe(403);
});

test('an allowed origin may connect and is told to the overlay', async () => {
  await using project = await copySample('html');
  const allowedOrigins = ['https://shop.example:8443'];
  await using served = await serve(settingsOf(project.root, [parley({ allowedOrigins })]));
  const { origin } = new URL(served.url);
  const answer = await ask(`${origin}/__parley/messages`, {
    method: 'POST',
    headers: { origin: allowedOrigins[0]!, 'content-type': 'application/json' },
    body: '{}',
  });
  expect(answer.status).not.toBe(403);
  expect((await ask(`${served.url}@parley/overlay.js`)).text).toContain('"shop.example"');
});

test('a store that does not open is one line, and the pages go on', async () => {
  await using project = await copySample('html');
  await writeFile(join(project.root, '.parley'), 'a file where the folder should be');
  const lines: string[] = [];
  const { createLogger } = await importVite();
  const customLogger = {
    ...createLogger(),
    error: (line: string) => {
      lines.push(line);
    },
  };
  await using served = await serve(settingsOf(project.root, [parley()], { customLogger }));
  expect(await tokenAt(served.url)).toBe('');
  expect((await ask(served.url)).status).toBe(200);
  expect((await ask(`${served.url}__parley/overlay.js`)).status).toBe(503);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^Parley is off in this dev server, everything else goes on: .+$/);
});

test('over https the script comes by HTTP/2 and the link by a secure socket', async () => {
  await using project = await copySample('html');
  const { default: ssl } = await importTool<{ default: () => PluginOption }>('@vitejs/plugin-basic-ssl');
  await using served = await serve(settingsOf(project.root, [ssl(), parley()]));
  const { origin } = new URL(served.url);
  expect(origin).toMatch(/^https:/);
  const session = connect(origin, { rejectUnauthorized: false });
  try {
    const get = (path: string) => getText(session, path);
    const token = /dataset\.token = "([^"]+)"/.exec((await get('/@parley/overlay.js')).text)?.[1] ?? '';
    expect(await get('/__parley/overlay.js')).toMatchObject({ status: 200 });
    const page = await connectPage(origin, token);
    expect(await page.create('Make it green')).toMatch(/^ann_/);
    page.close();
  } finally {
    session.close();
  }
});

function getText(session: ReturnType<typeof connect>, path: string) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const stream = session.request({ ':path': path });
    let status = 0;
    let text = '';
    stream.on('response', (headers) => (status = Number(headers[':status'])));
    stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    stream.on('end', () => resolve({ status, text }));
    stream.on('error', reject);
  });
}

test('in middleware mode the link lives in the server that the project brings', async () => {
  await using project = await copySample('html');
  const { createServer: createVite } = await importVite();
  const host = createServer((req, res) => vite.middlewares(req, res));
  const more: InlineConfig = { appType: 'custom', server: { middlewareMode: { server: host }, ws: false } };
  const vite = await createVite(settingsOf(project.root, [parley()], more));
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  // A listening server has an address with a port.
  const origin = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
  try {
    const page = await connectPage(origin, await tokenAt(`${origin}/`));
    expect(await page.create('Make it green')).toMatch(/^ann_/);
    page.close();
  } finally {
    await vite.close();
    host.closeAllConnections();
    host.close();
  }
});

test('with a server the notes go to the running product, and no folder is made', async () => {
  await ensureBuilt();
  await using project = await copySample('html');
  using folder = scratchFolder();
  await using product = await startParley(folder.path);
  const token = tokenOf(product.stdout());
  await using served = await serve(settingsOf(project.root, [parley({ server: product.url, token })]));
  const { origin } = new URL(served.url);
  expect((await ask(`${origin}/__parley/overlay.js`)).status).toBe(200);
  const page = await connectPage(origin, await tokenAt(served.url));
  expect(await page.create('Make it green')).toMatch(/^ann_/);
  page.close();
  expect(await readdir(project.root)).not.toContain('.parley');
});
