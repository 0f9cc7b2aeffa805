/** Owns P13: how fast a collection with very many rows answers a list with a filter. */
import { bundleScript } from './bundle.ts';
import { latencyOf } from './latency.ts';
import type { Latency } from './latency.ts';
import type { Method } from './machine.ts';
import { inFolder } from './scratch-folder.ts';
import { startServer } from './server-process.ts';

/** What is measured on one database. */
export interface ListSpeed {
  rows: number;
  fillSeconds: number;
  /** A page and its total count, by the kind of the filter. */
  byFilter: Record<string, Latency>;
}

/** Everything P13 measures. */
export interface ListFigures {
  sqlite: ListSpeed;
  postgres?: ListSpeed;
}

export interface ListSettings {
  rows: number;
  /** Of each kind. */
  queries: number;
}

/** Measures P13 on SQLite, and once more on PostgreSQL where there is one. */
export async function measureLists(
  settings: ListSettings,
  { method, databaseUrl }: { method: Method; databaseUrl: string | undefined },
  progress: (line: string) => void,
): Promise<ListFigures> {
  const script = bundleScript('servers/collection-lists.ts');
  progress(`lists: ${settings.rows} connections, SQLite`);
  const sqlite = await measureOn(script, [], settings, method);
  if (databaseUrl === undefined) return { sqlite };
  progress(`lists: ${settings.rows} connections, PostgreSQL`);
  return { sqlite, postgres: await measureOn(script, ['--database-url', databaseUrl], settings, method) };
}

async function measureOn(
  script: string,
  databaseFlags: string[],
  { rows, queries }: ListSettings,
  method: Method,
): Promise<ListSpeed> {
  return inFolder(async (dataDir) => {
    const server = await startServer(script, ['--data', dataDir, ...databaseFlags], method.cores?.server);
    try {
      const { seconds } = await server.ask(`fill ${rows}`);
      const { kinds } = await server.ask('kinds');
      if (!Array.isArray(kinds)) throw new Error('The process names no filters.');
      const byFilter: Record<string, Latency> = {};
      for (const kind of kinds.map(String)) {
        await server.ask(`list ${kind}:${Math.ceil(queries / 5)}`);
        const { timesMs } = await server.ask(`list ${kind}:${queries}`);
        byFilter[kind] = latencyOf(Array.isArray(timesMs) ? timesMs.map(Number) : []);
      }
      return { rows, fillSeconds: Number(seconds), byFilter };
    } finally {
      await server.stop();
    }
  });
}
