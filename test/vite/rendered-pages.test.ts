import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { ViteDevServer } from 'vite';
import { detach } from '@parley/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parley } from '../../packages/annotations/src/vite/index.ts';
import { describeInBrowser, launchChromium } from '../e2e/chromium.ts';
import type { Browser, Context } from '../e2e/playwright.ts';
import { ensureBuilt } from '../product/build.ts';
import { runParley } from '../product/parley.ts';
import { importVite, settingsOf } from './dev-server.ts';
import { annotate, collectNotes } from './person.ts';
import { copySample } from './project.ts';

const POLICY = `script-src 'nonce-abc' 'strict-dynamic'; object-src 'none'; base-uri 'none'`;

interface Row {
  readonly promise: string;
  readonly headers?: Record<string, string>;
  render(vite: ViteDevServer): Promise<string>;
}

const html = (head: string) =>
  `<!doctype html><html><head>${head}</head><body><button id="target">Buy</button></body></html>`;

const rows: Row[] = [
  {
    promise: 'a page that goes through the HTML hook',
    render: (vite) => vite.transformIndexHtml('/', html('')),
  },
  {
    promise: 'a page whose framework only adds the client of Vite',
    render: async () => html('<script type="module" src="/@vite/client"></script>'),
  },
  {
    promise: 'a page with a strict policy and a nonce',
    headers: { 'content-security-policy': POLICY },
    render: (vite) => vite.transformIndexHtml('/', html('')),
  },
];

async function pendingIn(data: string): Promise<string> {
  return (await runParley(['call', 'get_all_pending', '{}', '--data', data])).stdout;
}

describeInBrowser('pages of a server that renders them itself', () => {
  let browser: Browser;
  let context: Context;
  beforeAll(async () => {
    await ensureBuilt();
    browser = await launchChromium();
    context = await browser.newContext();
  });
  afterAll(() => browser.close());

  // Without the project's HTTP server Vite cannot take a socket, so that this is the link's way without one.
  test.each(rows)('$promise takes notes without a socket', async ({ headers = {}, render }) => {
    await using project = await copySample('html');
    const { createServer: createVite } = await importVite();
    const vite = await createVite(
      settingsOf(project.root, [parley()], {
        appType: 'custom',
        html: { cspNonce: 'abc' },
        server: { middlewareMode: true, ws: false },
      }),
    );
    const host = createServer((req, res) => {
      vite.middlewares(req, res, () => {
        const answering = render(vite).then((text) =>
          res.writeHead(200, { 'content-type': 'text/html', ...headers }).end(text),
        );
        detach(answering, (error) => res.destroy(error as Error));
      });
    });
    await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
    try {
      const page = await context.newPage();
      const sent = collectNotes(page);
      // A listening server has an address with a port.
      await page.goto(`http://127.0.0.1:${(host.address() as AddressInfo).port}/`);
      await annotate(page, '#target', 'Make it green');
      expect(sent).toEqual([]);
      // Each look starts a process, which takes its time on a busy machine.
      const pending = () => pendingIn(join(project.root, '.parley'));
      await expect.poll(pending).toContain('"Make it green"');
      await page.close();
    } finally {
      await vite.close();
      host.closeAllConnections();
      host.close();
    }
  });
});
