import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parley } from '../../packages/annotations/src/vite/index.ts';
import type { PluginOption } from 'vite';
import { expect, test } from 'vitest';
import { FRAMEWORKS, importVite, pluginsOf, settingsOf } from './dev-server.ts';
import { copySample } from './project.ts';

async function buildWith(
  root: string,
  plugins: PluginOption[],
  outDir: string,
): Promise<Map<string, string>> {
  const { build } = await importVite();
  await build(settingsOf(root, plugins, { build: { outDir, sourcemap: true, emptyOutDir: true } }));
  const folder = join(root, outDir);
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const contents = files.toSorted().map(async (file): Promise<[string, string]> => {
    return [file.slice(folder.length), await readFile(file, 'latin1')];
  });
  return new Map(await Promise.all(contents));
}

test.each(FRAMEWORKS)(
  'a build of the %s sample is the same, byte for byte, with the plugin',
  async (name) => {
    await using project = await copySample(name);
    const without = await buildWith(project.root, await pluginsOf(name), 'without');
    const withPlugin = await buildWith(project.root, [...(await pluginsOf(name)), parley()], 'with');
    expect([...without.keys()].length).toBeGreaterThan(0);
    expect([...withPlugin.keys()]).toEqual([...without.keys()]);
    for (const [file, content] of without) expect(withPlugin.get(file) === content, file).toBe(true);
    expect([...withPlugin.values()].join('')).not.toContain('__parley');
    expect([...withPlugin.values()].join('')).not.toContain('data-parley-src');
  },
);
