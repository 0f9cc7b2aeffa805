/** Owns P14: how fast an agent recalls memories among very many. */
import { bundleScript } from './bundle.ts';
import { latencyOf } from './latency.ts';
import type { Latency } from './latency.ts';
import type { Method } from './machine.ts';
import { inFolder } from './scratch-folder.ts';
import { startServer } from './server-process.ts';

/** What is measured on one database. */
export interface RecallSpeed {
  memories: number;
  fillSeconds: number;
  /** Recalling, signatures included, by the kind of the query. */
  byKind: Record<string, Latency>;
}

/** Everything P14 measures. */
export interface RecallFigures {
  sqlite: RecallSpeed;
  postgres?: RecallSpeed;
}

export interface RecallSettings {
  memories: number;
  /** Of each kind. */
  queries: number;
}

/** Measures P14 on SQLite, and once more on PostgreSQL where there is one. */
export async function measureRecall(
  settings: RecallSettings,
  { method, databaseUrl }: { method: Method; databaseUrl: string | undefined },
  progress: (line: string) => void,
): Promise<RecallFigures> {
  const script = bundleScript('servers/recall-services.ts');
  progress(`recall: ${settings.memories} memories, SQLite`);
  const sqlite = await measureOn(script, [], settings, method);
  if (databaseUrl === undefined) return { sqlite };
  progress(`recall: ${settings.memories} memories, PostgreSQL`);
  return { sqlite, postgres: await measureOn(script, ['--database-url', databaseUrl], settings, method) };
}

async function measureOn(
  script: string,
  databaseFlags: string[],
  { memories, queries }: RecallSettings,
  method: Method,
): Promise<RecallSpeed> {
  return inFolder(async (dataDir) => {
    const server = await startServer(script, ['--data', dataDir, ...databaseFlags], method.cores?.server);
    try {
      const { seconds } = await server.ask(`fill ${memories}`);
      const { kinds } = await server.ask('kinds');
      if (!Array.isArray(kinds)) throw new Error('The process names no kinds of queries.');
      const byKind: Record<string, Latency> = {};
      for (const kind of kinds.map(String)) {
        await server.ask(`recall ${kind}:${Math.ceil(queries / 5)}`);
        const { timesMs } = await server.ask(`recall ${kind}:${queries}`);
        byKind[kind] = latencyOf(Array.isArray(timesMs) ? timesMs.map(Number) : []);
      }
      return { memories, fillSeconds: Number(seconds), byKind };
    } finally {
      await server.stop();
    }
  });
}
