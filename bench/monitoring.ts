/** Owns P12: what recording costs a call, and how fast figures over very many records are told. */
import { bundleScript } from './bundle.ts';
import type { Latency } from './latency.ts';
import { latencyOf } from './latency.ts';
import type { Method } from './machine.ts';
import { inFolder } from './scratch-folder.ts';
import { startServer } from './server-process.ts';

/** Figures that both databases have. */
export interface MonitoringSpeed {
  records: number;
  fillSeconds: number;
  /** MONITORING_STATS over all of them. */
  stats: Latency;
  /** CPU of the server per call that is recorded with input and output, everything included. */
  recordingUs: number;
  beside: SteadyRecords;
}

/** 6,000 records a second, while old ones are deleted. */
export interface SteadyRecords {
  offered: number;
  stored: number;
  deleted: number;
  /** Most that waited in memory, where 65,536 have room. */
  mostWaiting: number;
}

/** Everything P12 measures. */
export interface MonitoringFigures {
  sqlite: MonitoringSpeed;
  postgres?: MonitoringSpeed;
}

/** How much of each. */
export interface MonitoringSettings {
  records: number;
  queries: number;
  calls: number;
  besideSeconds: number;
}

/** Measures P12 on SQLite, and once more on PostgreSQL where there is one. */
export async function measureMonitoring(
  settings: MonitoringSettings,
  { method, databaseUrl }: { method: Method; databaseUrl: string | undefined },
  progress: (line: string) => void,
): Promise<MonitoringFigures> {
  const script = bundleScript('servers/monitoring-services.ts');
  progress('monitoring: SQLite');
  const sqlite = await measureOn(script, [], settings, method);
  if (databaseUrl === undefined) return { sqlite };
  progress('monitoring: PostgreSQL');
  return { sqlite, postgres: await measureOn(script, ['--database-url', databaseUrl], settings, method) };
}

async function measureOn(
  script: string,
  databaseFlags: string[],
  { records, queries, calls, besideSeconds }: MonitoringSettings,
  method: Method,
): Promise<MonitoringSpeed> {
  return inFolder(async (dataDir) => {
    const server = await startServer(script, ['--data', dataDir, ...databaseFlags], method.cores?.server);
    try {
      const { perCallUs } = await server.ask(`record ${calls}`);
      const { seconds } = await server.ask(`fill ${records}`);
      const { timesMs, totalCalls } = await server.ask(`stats ${queries}`);
      if (!Array.isArray(timesMs) || Number(totalCalls) < records)
        throw new Error(`The figures count ${String(totalCalls)} of ${records} records.`);
      const { offered, stored, deleted, mostWaiting } = await server.ask(`beside ${besideSeconds}`);
      return {
        beside: {
          offered: Number(offered),
          stored: Number(stored),
          deleted: Number(deleted),
          mostWaiting: Number(mostWaiting),
        },
        records,
        fillSeconds: Number(seconds),
        stats: latencyOf(timesMs.map(Number)),
        recordingUs: Number(perCallUs),
      };
    } finally {
      await server.stop();
    }
  });
}
