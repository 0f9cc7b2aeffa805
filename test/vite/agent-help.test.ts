/** The help panel hands out a client configuration; in each way of running it connects as it stands. */
import { readFile, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PluginOption } from 'vite';
import { parley } from '../../packages/annotations/src/vite/index.ts';
import { describeInBrowser, launchChromium } from '../e2e/chromium.ts';
import type { Browser, Page } from '../e2e/playwright.ts';
import { ensureBuilt, ROOT } from '../product/build.ts';
import { runParley, scratchFolder, startParley } from '../product/parley.ts';
import { connectWith } from './connect-agent.ts';
import { serve, settingsOf } from './dev-server.ts';
import { tokenOf } from './page-client.ts';
import { annotate } from './person.ts';
import { copySample } from './project.ts';

const NOTE = 'Found by whoever pastes it';

/** What the help shows: why there is no agent, and the configuration. */
async function helpOf(page: Page, dot: string | RegExp): Promise<{ reason: string; configuration: string }> {
  await page.getByRole('button', { name: dot }).click();
  await page.getByRole('dialog', { name: 'Agent' }).waitFor();
  const reason = (await page.locator('.panel .warn').textContent()) ?? '';
  const configuration = (await page.locator('.panel .code').allTextContents()).join('');
  return { reason, configuration };
}

describeInBrowser('in a real browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    await ensureBuilt();
    browser = await launchChromium();
  });
  afterAll(() => browser.close());

  async function pasted(url: string): Promise<string> {
    const page = await (await browser.newContext()).newPage();
    await page.goto(url);
    await annotate(page, 'h1', NOTE);
    const { configuration } = await helpOf(page, /^(No agent|Agent is)/);
    await page.close();
    return configuration;
  }

  const serveSample = (root: string, plugins: PluginOption[], base = '/') =>
    serve(settingsOf(root, plugins, { base }));

  test.each(['/', '/shop/'])('a dev server on its own data folder, at %s', async (base) => {
    await using project = await copySample('html');
    await using served = await serveSample(project.root, [parley({ data: 'some notes' })], base);
    const configuration = await pasted(served.url);
    expect(configuration).not.toMatch(/parley_|Bearer/);
    const { tools, pending } = await connectWith(configuration, { cwd: tmpdir() });
    expect(tools).toContain('watch_annotations');
    expect(pending).toEqual([NOTE]);
  });

  test('a dev server in front of a running Parley', async () => {
    using folder = scratchFolder();
    await using server = await startParley(folder.path);
    await using project = await copySample('html');
    const options = { server: `${server.url}/`, token: tokenOf(server.stdout()) };
    await using served = await serveSample(project.root, [parley(options)]);
    const configuration = await pasted(served.url);
    expect(configuration).not.toContain(server.key);
    const { tools, pending } = await connectWith(configuration, { cwd: tmpdir(), key: server.key });
    expect(tools).toContain('watch_annotations');
    expect(pending).toEqual([NOTE]);
  });

  test('a script tag of a running Parley, and one whose link is passed on by somebody else', async () => {
    using folder = scratchFolder();
    await using server = await startParley(folder.path);
    await using project = await copySample('html');
    const token = tokenOf(server.stdout());
    const tagged = (tag: string): PluginOption => ({
      name: 'tagged',
      transformIndexHtml: (html) => html.replace('</body>', `${tag}</body>`),
    });
    const tags = [
      `<script src="${server.url}/__parley/overlay.js" data-token="${token}"></script>`,
      `<script src="/__parley/overlay.js" data-token="${token}" data-mcp="${server.mcp}/annotations"></script>`,
    ];
    const proxy = { '^/__parley/': { target: server.url, ws: true, changeOrigin: true } };
    for (const [index, tag] of tags.entries()) {
      const config = settingsOf(project.root, [tagged(tag)], { server: { proxy } });
      await using served = await serve(config);
      const configuration = await pasted(served.url);
      const { pending } = await connectWith(configuration, { cwd: tmpdir(), key: server.key });
      expect(pending).toHaveLength(index + 1);
    }
  });

  test('a way that is broken is named as what it is, with what to do', async () => {
    await using project = await copySample('html');
    using folder = scratchFolder();
    const server = await startParley(folder.path);
    const page = await (await browser.newContext()).newPage();
    const warnings: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'warning') warnings.push(message.text());
    });
    const options = { server: server.url, token: 'parley_page_wrong' };
    await using served = await serveSample(project.root, [parley(options)]);
    await page.goto(served.url);
    const refused = await helpOf(page, 'Token refused');
    expect(refused.reason).toBe(
      `The server refused this page. Give parley({ token }) in vite.config the token that the Parley at ${server.url} prints when it starts.`,
    );
    await server.stop();
    await page.getByRole('button', { name: 'Close' }).click();
    const gone = await helpOf(page, 'Server not reached');
    expect(gone.reason).toContain(`The Parley at ${server.url} cannot be reached. Start it`);
    expect(warnings.filter((text) => text.startsWith('Parley'))).toEqual([]);
    await page.reload();
    await expect
      .poll(() => warnings)
      .toContain(
        `Parley is off on this page: its overlay does not load from ${server.url}. Start that Parley, then reload.`,
      );
    await page.close();
  });
});

test('what the documentation hands out for a Vite project connects from that project', async () => {
  await ensureBuilt();
  await using project = await copySample('html');
  await using _served = await serve(settingsOf(project.root, [parley()]));
  // The page speaks of a checkout beside the project.
  await symlink(ROOT, join(project.root, 'parley'));
  const docs = await readFile(join(ROOT, 'docs/annotations.md'), 'utf8');
  const [, configuration] = /```json\n([\s\S]*?"mcpServers"[\s\S]*?)```/.exec(docs) ?? [];
  const beside = configuration!.replaceAll('"../parley/', '"./parley/');
  expect(beside).not.toBe(configuration);
  const { tools } = await connectWith(beside, { cwd: project.root });
  expect(tools).toContain('watch_annotations');
});

test('the dev server says in one line that the overlay is on, and its command works as it is', async () => {
  await using project = await copySample('html');
  const lines: string[] = [];
  const said = Promise.withResolvers<void>();
  const keep = (line: string) => {
    lines.push(line);
    if (line.startsWith('Parley')) said.resolve();
  };
  const logger = { info: keep, warn: keep, warnOnce: keep, error: keep, clearScreen: () => undefined };
  const customLogger = { ...logger, hasErrorLogged: () => false, hasWarned: false };
  await using _served = await serve(settingsOf(project.root, [parley()], { customLogger }));
  await said.promise;
  const [line, ...more] = lines.filter((each) => each.startsWith('Parley'));
  expect(more).toEqual([]);
  const [, command] =
    /^Parley: overlay on \(Alt\+Shift\+A\)\. Agents connect with: node (.+)$/.exec(line!) ?? [];
  const [program, ...args] = command!.split(' ');
  const ended = await runParley(args, { program: program!, input: '' });
  expect(ended).toEqual({ code: 0, stdout: '', stderr: '' });
});
