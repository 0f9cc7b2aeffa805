/** Owns dev servers and builds of the sample apps, with the plugins that each framework asks for. */
import { join } from 'node:path';
import type * as vite from 'vite';
import type { InlineConfig, PluginOption, ViteDevServer } from 'vite';
import { importTool } from './project.ts';

/** The sample apps. */
export const FRAMEWORKS = ['react', 'vue', 'svelte', 'angular', 'html'] as const;

/** One of the sample apps. */
export type FrameworkName = (typeof FRAMEWORKS)[number];

type Vite = typeof vite;
type MakePlugin = () => PluginOption;

/** The framework's own plugins; Angular compiles itself in the page. */
export async function pluginsOf(framework: FrameworkName): Promise<PluginOption[]> {
  switch (framework) {
    case 'react':
      return [(await importTool<{ default: MakePlugin }>('@vitejs/plugin-react')).default()];
    case 'vue':
      return [(await importTool<{ default: MakePlugin }>('@vitejs/plugin-vue')).default()];
    case 'svelte':
      return [(await importTool<{ svelte: MakePlugin }>('@sveltejs/vite-plugin-svelte')).svelte()];
    case 'angular':
    case 'html':
      return [];
  }
}

/** Vite itself, as the samples have it. */
export function importVite(): Promise<Vite> {
  return importTool<Vite>('vite');
}

/** Settings that keep a sample quiet and to itself. */
export function settingsOf(root: string, plugins: PluginOption[], more: InlineConfig = {}): InlineConfig {
  return {
    root,
    plugins,
    configFile: false,
    logLevel: 'error',
    ...more,
    cacheDir: join(root, '.vite'),
    server: {
      host: '127.0.0.1',
      port: 0,
      fs: { allow: [root, join(import.meta.dirname, '../tools')] },
      ...more.server,
    },
  };
}

/** For servers whose pages nobody opens: preparing their packages would outlive the test. */
export const UNPREPARED: InlineConfig = { optimizeDeps: { noDiscovery: true } };

/** A dev server that listens. */
export interface Served extends AsyncDisposable {
  readonly url: string;
  readonly server: ViteDevServer;
}

/** Starts a dev server on a free port. */
export async function serve(config: InlineConfig): Promise<Served> {
  const { createServer } = await importVite();
  const server = await createServer(config);
  await server.listen();
  const url = server.resolvedUrls?.local[0];
  if (url === undefined) throw new Error('The dev server tells no local URL.');
  return { url, server, [Symbol.asyncDispose]: () => server.close() };
}

/** Asks a server and reads the whole answer. */
export async function ask(
  url: string,
  request: RequestInit = {},
): Promise<{ status: number; type: string; text: string }> {
  const answer = await fetch(url, request);
  return { status: answer.status, type: answer.headers.get('content-type') ?? '', text: await answer.text() };
}
