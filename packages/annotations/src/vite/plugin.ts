/** Owns the plugin's hooks: start here to see what the dev server is asked to do, and when. */
import type { Plugin, ResolvedConfig } from 'vite';
import { devSettings, successLine } from './agent-command.ts';
import { asksForData, isInside } from './data-guard.ts';
import type { DevLink } from './dev-link.ts';
import { openDevLink } from './dev-link.ts';
import type { ParleyOptions, Project } from './options.ts';
import { hostsOf, projectOf } from './options.ts';
import { loadPageModule, PAGE_MODULE, pageModule, pageModuleUrl } from './page-module.ts';
import { devServerSettings } from './dev-server-settings.ts';
import { CLASS_MODULE, CLASS_MODULE_TEXT } from './sources/angular.ts';
import { createSourceMarks } from './sources/source-marks.ts';
import type { SyntaxNode } from './sources/syntax-walk.ts';

/**
 * Shows the overlay in every page of the dev server; a build is left as it is.
 *
 * @example plugins: [react(), parley()]
 */
export function parley(options: ParleyOptions = {}): Plugin[] {
  const sources = createSourceMarks();
  let project: Project;
  let link: DevLink | undefined;
  let isOff = false;

  const page: Plugin = {
    name: 'parley',
    apply: 'serve',
    enforce: 'pre',
    config: (config, { isPreview }) => (isPreview === true ? null : devServerSettings(options, config)),
    configResolved(config) {
      project = projectOf(options, config);
      isOff = runsTests(config);
      if (!isOff) sources.start(config.plugins, project.root);
    },
    configureServer(server) {
      if (isOff) return;
      server.middlewares.use((req, res, next) => {
        if (!asksForData(req.url ?? '/', project)) return next();
        res.writeHead(404).end();
      });
      const { logger } = server.config;
      const tell = () => logger.info(successLine(devSettings(options, project)), { timestamp: true });
      if (options.server === undefined) link = openDevLink(options, project, server, tell);
      else tell();
    },
    transformIndexHtml() {
      if (isOff) return [];
      return [
        { tag: 'script', attrs: { type: 'module', src: pageModuleUrl(project.base) }, injectTo: 'head' },
      ];
    },
    resolveId: (id) => (id === PAGE_MODULE || id === CLASS_MODULE ? id : null),
    async load(id) {
      if (isInside(project.dataDir, id.split('?', 1)[0] ?? id)) {
        throw new Error(`${id} is in Parley's data folder, which no page may read.`);
      }
      if (id === CLASS_MODULE) return CLASS_MODULE_TEXT;
      if (id !== PAGE_MODULE) return null;
      const token = options.token ?? (await link?.token) ?? '';
      return pageModule({
        token,
        hosts: hostsOf(options.allowedOrigins),
        dev: devSettings(options, project),
      });
    },
    transform(code, id) {
      if (isOff) return null;
      if (isViteClient(id)) return { code: code + loadPageModule(project.base), map: null };
      // The tree is walked by name only, so the parser's own types are not needed.
      const parse = (text: string, lang: 'ts' | 'tsx' | 'jsx') =>
        this.parse(text, { lang }) as unknown as SyntaxNode;
      return sources.mark(code, id, parse) ?? null;
    },
    closeBundle: () => link?.close(),
  };

  const classes: Plugin = {
    name: 'parley:classes',
    apply: 'serve',
    enforce: 'post',
    // Compilers that read files themselves drop what was added before them.
    transform: (code, id, options) => (options?.ssr === true ? null : (sources.complete(code, id) ?? null)),
  };

  return [page, classes];
}

// Test runners render components through the same plugins, and marks would change their snapshots.
function runsTests({ plugins }: ResolvedConfig): boolean {
  return plugins.some(({ name }) => name === 'vitest');
}

function isViteClient(id: string): boolean {
  return id.endsWith('/vite/dist/client/client.mjs');
}
