/** Packages of plugins for tests: a data folder, and what is put into it. */
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A plugin, as the text of a package. */
export interface WrittenPlugin {
  readonly name: string;
  readonly capabilities?: readonly string[];
  /** Handlers by the name of their tool, as code. */
  readonly tools: Readonly<Record<string, string>>;
  /** Fields that stand in place of those of every tool, as code. */
  readonly tool?: string;
  /** Fields that stand in place of those of the manifest, as code. */
  readonly manifest?: string;
  /** Code before the plugin. */
  readonly before?: string;
  /** Further fields of the plugin, as code. */
  readonly more?: string;
}

export interface PluginFolder {
  readonly dataDir: string;
  /** Writes a package; it is called like its plugin unless said otherwise. */
  write(plugin: WrittenPlugin, packageName?: string): string;
  /** A file besides those of the package. */
  file(packageName: string, name: string, text: string): void;
  link(packageName: string, name: string, target: string): void;
  module(name: string, plugin: WrittenPlugin): void;
  /** Copies a folder there. */
  copy(from: string, packageName: string): void;
  remove(): void;
}

export function pluginFolder(): PluginFolder {
  const dataDir = realpathSync(mkdtempSync(join(tmpdir(), 'parley-plugins-')));
  const put = (folder: string, plugin: WrittenPlugin) => {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{ "type": "module", "main": "index.js" }');
    writeFileSync(join(folder, 'index.js'), textOf(plugin));
  };
  return {
    dataDir,
    write(plugin, packageName = plugin.name) {
      put(join(dataDir, 'plugins', packageName), plugin);
      return packageName;
    },
    file: (packageName, name, text) => writeFileSync(join(dataDir, 'plugins', packageName, name), text),
    link: (packageName, name, target) => symlinkSync(target, join(dataDir, 'plugins', packageName, name)),
    module: (name, plugin) => put(join(dataDir, 'node_modules', name), plugin),
    copy: (from, packageName) => cpSync(from, join(dataDir, 'plugins', packageName), { recursive: true }),
    remove: () => rmSync(dataDir, { recursive: true, force: true }),
  };
}

function textOf({
  name,
  capabilities = [],
  tools,
  tool = '',
  manifest = '',
  before = '',
  more = '',
}: WrittenPlugin) {
  const written = Object.entries(tools).map(
    ([tool_, handler]) => `{
      name: '${tool_}', description: 'Does ${tool_}.', effect: 'read',
      inputSchema: { type: 'object', properties: { x: { type: 'string' } }, additionalProperties: false },
      handler: ${handler}, ${tool}
    }`,
  );
  return `${before}
export const plugin = {
  manifest: { name: '${name}', version: '1.0.0', description: 'A test.', author: 'Somebody',
    capabilities: ${JSON.stringify(capabilities)}, ${manifest} },
  tools: [${written.join(',')}],
  ${more}
};
`;
}
