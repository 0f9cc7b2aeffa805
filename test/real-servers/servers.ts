/** The servers that are tried, each with how it is connected, and one call whose answer is known. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startOpenApiService } from '@parley/test-support/openapi-service';
import { startServer } from '@parley/test-support/scripted-server';
import type { SdkConnection } from '../clients/sdk-clients.ts';
import { freePort, INSTALLED, startProgram, versionOf } from './started.ts';

/** What a server is given to run with. */
export interface Ground {
  /** A folder of its own. */
  readonly folder: string;
  /** Put into the environment of every program, so that whatever is left of it is found. */
  readonly mark: Readonly<Record<string, string>>;
}

/** How a server is reached once it runs. */
export interface Reached {
  /** What stands behind `parley connect add NAME`. */
  readonly add: readonly string[];
  close?(): Promise<void>;
}

/** One server of another project. */
export interface RealServer {
  readonly name: string;
  readonly version: () => string;
  readonly by: 'stdio' | 'HTTP' | 'SSE' | 'OpenAPI';
  /** What makes it worth trying. */
  readonly why: string;
  start(ground: Ground): Reached | Promise<Reached>;
  /** True: it wants an authorization before it tells anything. */
  readonly isGuarded?: boolean;
  readonly tool: string;
  readonly arguments: (ground: Ground) => object;
  readonly answer: RegExp;
  /** What else must be true, with a client that is connected. */
  also?(client: SdkConnection): Promise<void>;
}

const CHROMIUM = '/usr/bin/chromium';
const PAGE = 'data:text/html,<title>Parley was here</title><p>A page</p>';
const WORDS = 'What a file says';

function program(ground: Ground, env: Readonly<Record<string, string>>, ...args: string[]): Reached {
  const all = Object.entries({ ...ground.mark, ...env }).map(([name, value]) => `${name}=${value}`);
  const flags = all.flatMap((pair) => ['--env', pair]);
  const [main = '', ...rest] = args;
  return { add: [...flags, '--', process.execPath, join(INSTALLED, main), ...rest] };
}

/** A server on a port; `env` and `args` are told the port. */
async function listener(
  { mark }: Ground,
  how: {
    readonly main: string;
    readonly path: string;
    env?(port: number): Record<string, string>;
    args?(port: number): string[];
    readonly flags?: readonly string[];
    /** What ends after it. */
    readonly behind?: AsyncDisposable;
  },
): Promise<Reached> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}${how.path}`;
  const args = [join(INSTALLED, how.main), ...(how.args?.(port) ?? [])];
  const server = await startProgram(args, { env: { ...mark, ...how.env?.(port) }, url });
  return {
    add: [url, ...(how.flags ?? [])],
    async close() {
      await server[Symbol.asyncDispose]();
      await how.behind?.[Symbol.asyncDispose]();
    },
  };
}

function file({ folder }: Ground): string {
  const path = join(folder, 'words.txt');
  writeFileSync(path, WORDS);
  return path;
}

const EVERYTHING = '@modelcontextprotocol/server-everything';
const installed = (folder: string) => () => versionOf(folder);

/** In the order in which they are tried. */
export const SERVERS: readonly RealServer[] = [
  {
    name: '@modelcontextprotocol/server-filesystem',
    version: installed('@modelcontextprotocol/server-filesystem'),
    by: 'stdio',
    why: 'structured results',
    start: (ground) =>
      program(ground, {}, '@modelcontextprotocol/server-filesystem/dist/index.js', ground.folder),
    tool: 'read_text_file',
    arguments: (ground) => ({ path: file(ground) }),
    answer: /^What a file says$/,
  },
  {
    name: '@modelcontextprotocol/server-filesystem, an early version',
    version: installed('filesystem-of-2024'),
    by: 'stdio',
    why: 'knows no revision after 2024-11-05',
    start: (ground) => program(ground, {}, 'filesystem-of-2024/dist/index.js', ground.folder),
    tool: 'read_file',
    arguments: (ground) => ({ path: file(ground) }),
    answer: /^What a file says$/,
  },
  {
    name: '@modelcontextprotocol/server-memory',
    version: installed('@modelcontextprotocol/server-memory'),
    by: 'stdio',
    why: 'keeps what it was told',
    start: (ground) =>
      program(
        ground,
        { MEMORY_FILE_PATH: join(ground.folder, 'memory.jsonl') },
        '@modelcontextprotocol/server-memory/dist/index.js',
      ),
    tool: 'create_entities',
    arguments: () => ({
      entities: [{ name: `Ada ${Date.now()}`, entityType: 'person', observations: ['She counts.'] }],
    }),
    answer: /She counts\./,
    async also(client) {
      const graph = await client.call('read_graph');
      if (!graph.includes('She counts.')) throw new Error(`The graph lost its entity: ${graph}`);
    },
  },
  {
    name: '@modelcontextprotocol/server-sequential-thinking',
    version: installed('@modelcontextprotocol/server-sequential-thinking'),
    by: 'stdio',
    why: 'numbers and truth values as input',
    start: (ground) => program(ground, {}, '@modelcontextprotocol/server-sequential-thinking/dist/index.js'),
    tool: 'sequentialthinking',
    arguments: () => ({ thought: 'One', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 }),
    answer: /"totalThoughts": 1/,
  },
  {
    name: '@playwright/mcp',
    version: installed('@playwright/mcp'),
    by: 'stdio',
    why: 'starts a browser of its own',
    start: (ground) =>
      program(
        ground,
        {},
        '@playwright/mcp/cli.js',
        '--headless',
        '--isolated',
        '--no-sandbox',
        '--executable-path',
        CHROMIUM,
        '--output-dir',
        ground.folder,
      ),
    tool: 'browser_navigate',
    arguments: () => ({ url: PAGE }),
    answer: /Page Title: Parley was here/,
  },
  {
    name: 'chrome-devtools-mcp',
    version: installed('chrome-devtools-mcp'),
    by: 'stdio',
    why: 'starts a browser of its own',
    start: (ground) =>
      program(
        ground,
        {},
        'chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js',
        '--headless',
        '--isolated',
        '--executablePath',
        CHROMIUM,
        '--chromeArg=--no-sandbox',
        '--no-usage-statistics',
      ),
    tool: 'new_page',
    arguments: () => ({ url: PAGE }),
    answer: /Parley was here/,
  },
  {
    name: EVERYTHING,
    version: installed(EVERYTHING),
    by: 'HTTP',
    why: 'sessions of the 2025 revisions',
    start: (ground) =>
      listener(ground, {
        main: `${EVERYTHING}/dist/index.js`,
        path: '/mcp',
        env: (port) => ({ PORT: String(port) }),
        args: () => ['streamableHttp'],
      }),
    tool: 'get-sum',
    arguments: () => ({ a: 2, b: 40 }),
    answer: /42/,
  },
  {
    name: `${EVERYTHING}, over SSE`,
    version: installed(EVERYTHING),
    by: 'SSE',
    why: 'HTTP with SSE of 2024',
    start: (ground) =>
      listener(ground, {
        main: `${EVERYTHING}/dist/index.js`,
        path: '/sse',
        env: (port) => ({ PORT: String(port) }),
        args: () => ['sse'],
        flags: ['--type', 'sse'],
      }),
    tool: 'echo',
    arguments: () => ({ message: WORDS }),
    answer: /What a file says/,
  },
  {
    name: '@upstash/context7-mcp',
    version: installed('@upstash/context7-mcp'),
    by: 'HTTP',
    why: 'speaks 2026-07-28 by itself; its own service is played',
    async start(ground) {
      const service = await startServer((_request, response) => {
        const found = { id: '/parley/docs', title: 'Parley', description: WORDS, totalSnippets: 3 };
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ results: [found] }));
      });
      return listener(ground, {
        main: '@upstash/context7-mcp/dist/index.js',
        path: '/mcp',
        env: () => ({ CONTEXT7_API_URL: `${service.origin}/api` }),
        args: (port) => ['--transport', 'http', '--port', String(port)],
        behind: service,
      });
    },
    tool: 'resolve-library-id',
    arguments: () => ({ libraryName: 'parley', query: 'what it is' }),
    answer: /\/parley\/docs[^]*What a file says/,
  },
  {
    name: '@modelcontextprotocol/server-basic-vanillajs',
    version: installed('@modelcontextprotocol/server-basic-vanillajs'),
    by: 'HTTP',
    why: 'MCP Apps: the page behind its tool is read; no sessions',
    start: (ground) =>
      listener(ground, {
        main: '@modelcontextprotocol/server-basic-vanillajs/dist/index.js',
        path: '/mcp',
        env: (port) => ({ PORT: String(port) }),
      }),
    tool: 'get-time',
    arguments: () => ({}),
    answer: /^\d{4}-\d\d-\d\dT/,
    async also(client) {
      const [tool] = await client.definitions();
      const ui = tool?._meta?.['ui'] as { resourceUri?: string } | undefined;
      const page = await client.read(ui?.resourceUri ?? 'ui://none');
      if (!page.includes('<html')) throw new Error(`Its app is no page: ${page.slice(0, 100)}`);
    },
  },
  {
    name: '@modelcontextprotocol/sdk, its example with OAuth',
    version: installed('@modelcontextprotocol/sdk'),
    by: 'HTTP',
    why: 'wants OAuth, from a provider at another address',
    isGuarded: true,
    async start(ground) {
      const auth = await freePort();
      const { add, ...rest } = await listener(ground, {
        main: '@modelcontextprotocol/sdk/dist/esm/examples/server/simpleStreamableHttp.js',
        path: '/mcp',
        env: (port) => ({ MCP_PORT: String(port), MCP_AUTH_PORT: String(auth) }),
        args: () => ['--oauth', '--oauth-strict'],
      });
      // It knows itself by this name, and tokens are for the name.
      return { ...rest, add: add.map((word) => word.replace('127.0.0.1', 'localhost')) };
    },
    tool: 'greet',
    arguments: () => ({ name: 'Ada' }),
    answer: /Hello, Ada!/,
  },
  {
    name: 'a service with an OpenAPI document',
    version: () => '3.1.0',
    by: 'OpenAPI',
    why: 'no MCP at all; its operations become tools',
    async start() {
      const service = await startOpenApiService();
      return {
        add: [`${service.origin}/openapi.json`, '--type', 'openapi'],
        close: () => Promise.resolve(service[Symbol.asyncDispose]()),
      };
    },
    tool: 'getPet',
    arguments: () => ({ petId: '7' }),
    answer: /Tom/,
  },
];
