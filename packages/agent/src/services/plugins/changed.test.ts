/** A package that changes after it was loaded: it does not run, nothing that was granted to it is left, and one load puts it right. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import type { AgentBed } from '../../../test/agent-bed.ts';
import { onBothBeds } from '../../../test/agent-bed.ts';
import { pluginFolder } from '../../../test/plugin-packages.ts';
import { digestOf } from './package-digest.ts';

const folder = pluginFolder();
afterAll(() => folder.remove());
const TIMES = { callMs: 1_000, loadMs: 60_000, graceMs: 200 };
const SOON = { timeout: 20_000 };

/** A plugin with a part in a folder of its own, which it reads when it is loaded. */
function write(name: string, { version = '1.0.0', capabilities = ['agent:read'] } = {}): string {
  folder.write({
    name,
    capabilities,
    before: "import { part } from './parts/part.js';",
    manifest: `version: '${version}'`,
    tools: { say: '() => part', die: '() => process.exit(3)' },
  });
  const path = join(folder.dataDir, 'plugins', name);
  mkdirSync(join(path, 'parts'));
  writeFileSync(join(path, 'parts/part.js'), "export const part = 'said';\n");
  return path;
}

const CHANGES: Readonly<Record<string, (path: string) => void>> = {
  'a byte': (path) => writeFileSync(join(path, 'parts/part.js'), "export const part = 'sald';\n"),
  'a file more': (path) => writeFileSync(join(path, 'parts/more.js'), ''),
  'a file less': (path) => rmSync(join(path, 'parts/part.js')),
  'a name': (path) => renameSync(join(path, 'parts/part.js'), join(path, 'parts/other.js')),
  'a place': (path) => renameSync(join(path, 'parts/part.js'), join(path, 'part.js')),
  'a link more': (path) => symlinkSync('part.js', join(path, 'parts/link.js')),
};

test.each(Object.entries(CHANGES))('%s makes another package', async (_what, change) => {
  const path = write('any');
  const before = await digestOf(path);
  // Neither the time nor the order of its files is part of it.
  write('any');
  expect(await digestOf(path)).toBe(before);
  change(path);
  expect(await digestOf(path)).not.toBe(before);
});

const said = (name: string) => `corvid_plugin_${name.replaceAll('-', '_')}_say`;

/** Calls a tool of a plugin, whose types nobody knows. */
async function calling(bed: AgentBed, as: Parameters<AgentBed['client']>[0]) {
  const client = await bed.client(as);
  return (name: string) => client.attempt(name as never, {} as never);
}

onBothBeds(
  'packages that change',
  (bed, replica, once) => {
    const owner = () => bed().acme.owner.caller;
    const plugins = () => bed().services.plugins;
    /** The server as it starts again, for as long as the test takes. */
    const restarted = async () => {
      const next = await replica();
      onTestFinished(() => next.services.plugins.close());
      await next.services.plugins.start();
      return next;
    };
    const agentWith = (...tools: string[]) => bed().agent(owner(), { tools });
    const shown = async (name: string) =>
      (await plugins().all(bed().acme.id)).find((each) => each.name === name);

    test('a new version waits after a restart until it is loaded again, once, and begins without grants', async () => {
      const SAY = said('turned');
      write('turned');
      await plugins().load(owner(), 'turned', { autoGrant: true });
      const attempt = await calling(bed(), (await agentWith(SAY)).caller);
      expect(await attempt(SAY)).toMatchObject({ ok: true, text: 'said' });
      write('turned', { version: '1.1.0', capabilities: ['agent:read', 'db:read'] });

      const next = await restarted();
      expect(next.services.plugins.names(bed().acme.id)).toEqual([]);
      expect(next.faults.splice(0).map(String)).toEqual([
        expect.stringContaining('changed since it was loaded'),
      ]);
      expect(await shown('turned')).toMatchObject({
        status: 'changed',
        version: '1.0.0',
        capabilities: [{ capability: 'agent:read', granted: false }],
        note: expect.stringContaining('parley plugins load turned'),
      });
      // Nor is it there where it ran before.
      await expect.poll(() => plugins().names(bed().acme.id), SOON).toEqual([]);
      await expect(attempt(SAY)).rejects.toThrow(/unknown tool/i);
      await expect(plugins().grant(owner(), 'turned', 'agent:read')).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('parley plugins load turned'),
      });

      expect(await plugins().load(owner(), 'turned')).toMatchObject({
        status: 'active',
        version: '1.1.0',
        note: null,
        capabilities: [
          { capability: 'agent:read', granted: false },
          { capability: 'db:read', granted: false },
        ],
      });
      await expect.poll(() => next.services.plugins.names(bed().acme.id), SOON).toContain(SAY);
      expect(await attempt(SAY)).toMatchObject({
        code: 'forbidden',
        message: expect.stringContaining('db:read'),
      });
      for (const capability of ['agent:read', 'db:read'])
        await plugins().grant(owner(), 'turned', capability);
      expect(await attempt(SAY)).toMatchObject({ ok: true });
      await plugins().unload(owner(), 'turned');
    });

    once(
      'a byte, or a link that leads out, keeps a package from running again; one that is as it was does',
      async () => {
        const path = write('leading');
        const flipped = write('flipped');
        write('nothing');
        for (const name of ['leading', 'flipped', 'nothing'])
          await plugins().load(owner(), name, { autoGrant: true });
        CHANGES['a byte']?.(flipped);
        symlinkSync('/etc/hostname', join(path, 'parts/out.js'));
        const next = await restarted();
        expect(next.services.plugins.names(bed().acme.id)).toEqual([
          said('nothing'),
          'corvid_plugin_nothing_die',
        ]);
        expect(next.faults.splice(0)).toHaveLength(2);
        for (const name of ['leading', 'flipped'])
          expect(await shown(name)).toMatchObject({ status: 'changed' });
        expect(await shown('nothing')).toMatchObject({ status: 'active', note: null });
        await plugins().unload(owner(), 'nothing');
      },
    );

    test('a process that begins again looks at its package first', async () => {
      const SAY = said('again');
      const path = write('again');
      await plugins().load(owner(), 'again', { autoGrant: true });
      const attempt = await calling(bed(), (await agentWith(SAY, 'corvid_plugin_again_die')).caller);
      expect(await attempt('corvid_plugin_again_die')).toMatchObject({ code: 'plugin_failed' });
      expect(await attempt(SAY)).toMatchObject({ ok: true });
      CHANGES['a byte']?.(path);
      // The process that runs has what was loaded, and a list tells what comes.
      expect(await attempt(SAY)).toMatchObject({ ok: true, text: 'said' });
      expect(await shown('again')).toMatchObject({
        status: 'active',
        note: expect.stringContaining('what runs now is as it was. Load it again'),
      });
      await attempt('corvid_plugin_again_die');
      expect(await attempt(SAY)).toMatchObject({ ok: false, code: 'unavailable' });
      expect(await shown('again')).toMatchObject({ status: 'changed' });
      await expect.poll(() => plugins().names(bed().acme.id), SOON).toEqual([]);
      await expect(attempt(SAY)).rejects.toThrow(/unknown tool/i);
    });

    once('what runs reads and imports what was loaded, however late', async () => {
      folder.write({
        name: 'late',
        tools: {
          take: `async ({ x }) => (await import(x)).part`,
          read: `async ({ x }) => (await import('node:fs')).readFileSync(x, 'utf8')`,
          where: '() => import.meta.dirname',
        },
      });
      const path = join(folder.dataDir, 'plugins/late');
      writeFileSync(join(path, 'part.js'), "export const part = 'old';\n");
      writeFileSync(join(path, 'unread.js'), "export const part = 'old';\n");
      symlinkSync(join(path, 'part.js'), join(path, 'link.js'));
      await plugins().load(owner(), 'late');
      const [take, read, where] = ['take', 'read', 'where'].map((tool) => `corvid_plugin_late_${tool}`);
      const client = await bed().client((await agentWith(take ?? '', read ?? '', where ?? '')).caller);
      // Nobody knows the types of a plugin.
      const ask = (tool = '', x = '') => client.attempt(tool as never, { x } as never);
      expect(await ask(take, './part.js')).toMatchObject({ text: 'old' });
      for (const name of ['part.js', 'unread.js', 'new.js'])
        writeFileSync(join(path, name), "export const part = 'new';\n");
      for (const [tool, x, text] of [
        [take, './unread.js', 'old'],
        [take, './part.js?2', 'old'],
        [take, './link.js?3', 'old'],
        [read, 'part.js', "export const part = 'old';\n"],
        [read, 'link.js', "export const part = 'old';\n"],
      ] as const)
        expect([x, await ask(tool, x)]).toMatchObject([x, { ok: true, text }]);
      for (const [tool, x] of [
        [take, './new.js'],
        [take, join(path, 'new.js')],
        [take, join(path, 'part.js')],
        [read, 'new.js'],
        [read, join(path, 'part.js')],
        [read, '..'],
      ] as const)
        expect([x, await ask(tool, x)]).toMatchObject([x, { ok: false, code: 'plugin_failed' }]);
      const asked = await ask(where);
      const copy = asked.ok ? asked.text : '';
      expect(copy).toContain(join(folder.dataDir, 'plugin-copies'));
      expect(existsSync(copy)).toBe(true);
      await plugins().unload(owner(), 'late');
      expect(existsSync(copy)).toBe(false);
    });

    once('a copy that is missing or was changed is made again, and one that nobody needs goes', async () => {
      const SAY = said('copied');
      const digest = await digestOf(write('copied'));
      const copy = join(folder.dataDir, 'plugin-copies', digest);
      const part = join(copy, 'parts/part.js');
      await plugins().load(owner(), 'copied', { autoGrant: true });
      const attempt = await calling(bed(), (await agentWith(SAY, 'corvid_plugin_copied_die')).caller);
      expect(await digestOf(copy)).toBe(digest);
      rmSync(part);
      writeFileSync(part, "export const part = 'sald';\n");
      await attempt('corvid_plugin_copied_die');
      expect(await attempt(SAY)).toMatchObject({ text: 'said' });
      rmSync(copy, { recursive: true });
      await attempt('corvid_plugin_copied_die');
      expect(await attempt(SAY)).toMatchObject({ text: 'said' });

      const left = join(folder.dataDir, 'plugin-copies', 'f'.repeat(64));
      mkdirSync(left);
      utimesSync(left, 0, 0);
      await restarted();
      expect([existsSync(left), existsSync(copy)]).toEqual([false, true]);
      await plugins().unload(owner(), 'copied');
    });

    once('what runs is replaced by a load where its files changed, and only there', async () => {
      const SAY = said('twice');
      const path = write('twice');
      await plugins().load(owner(), 'twice', { autoGrant: true });
      await expect(plugins().load(owner(), 'twice')).rejects.toMatchObject({ code: 'conflict' });
      folder.write({ name: 'twice', tools: { other: '() => ""' } }, 'impostor');
      await expect(plugins().load(owner(), 'impostor')).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('from the package "twice"'),
      });
      const attempt = await calling(bed(), (await agentWith(SAY)).caller);
      expect(await attempt(SAY)).toMatchObject({ text: 'said' });
      CHANGES['a byte']?.(path);
      await plugins().load(owner(), 'twice');
      expect(await attempt(SAY)).toMatchObject({ code: 'forbidden' });
      await plugins().grant(owner(), 'twice', 'agent:read');
      expect(await attempt(SAY)).toMatchObject({ text: 'sald' });
      expect(plugins().names(bed().acme.id)).toHaveLength(2);
      await plugins().unload(owner(), 'twice');
    });

    once('a package that is too large, or has more than files and folders, is refused', async () => {
      const large = write('large');
      writeFileSync(join(large, 'parts/large.bin'), '');
      truncateSync(join(large, 'parts/large.bin'), 65 * 1024 * 1024);
      execFileSync('mkfifo', [join(write('piped'), 'parts/pipe')]);
      for (const [name, words] of [
        ['large', 'more than 67108864 bytes'],
        ['piped', 'neither a file nor a folder'],
      ] as const)
        await expect(plugins().load(owner(), name)).rejects.toMatchObject({
          code: 'invalid',
          message: expect.stringContaining(words),
        });
      expect(await shown('large')).toBeUndefined();
    });
  },
  () => ({ parts: { dataDir: folder.dataDir }, services: { pluginTimes: TIMES } }),
);
