/** Owns P9: how fast feedback with many posts is searched, listed and voted on, in the process and over REST. */
import { bundleScript } from './bundle.ts';
import { putOverRest, readOverRest } from './feedback-load.ts';
import { latencyOf, p95Of } from './latency.ts';
import type { Latency } from './latency.ts';
import type { Method } from './machine.ts';
import { inFolder } from './scratch-folder.ts';
import { startServer } from './server-process.ts';
import type { ServerProcess } from './server-process.ts';

/** Times of queries that were made one after another; `cpuMs` is the mean in the process of the services. */
export type QueryTimes = Latency & { p95Ms: number };

/** Figures that both databases have. */
export interface FeedbackSpeed {
  /** Posts that lists show; the others are deleted or hidden. */
  listed: number;
  fillSeconds: number;
  search: QueryTimes & { cpuMs: number };
  /** First pages. */
  list: QueryTimes & { cpuMs: number };
  /** Pages further down, reached by cursors. */
  deep: QueryTimes & { deepest: number };
  votes: { perSecond: number; wrong: number };
  http: { search: QueryTimes; list: QueryTimes; votesPerSecond: number };
}

/** Everything P9 measures. */
export interface FeedbackFigures {
  sqlite: FeedbackSpeed;
  postgres?: FeedbackSpeed;
}

/** How much of each. */
export interface FeedbackSettings {
  posts: number;
  queries: number;
  votes: number;
}

const WARM_UP_SHARE = 0.2;

/** Measures P9 on SQLite, and once more on PostgreSQL where there is one. */
export async function measureFeedback(
  settings: FeedbackSettings,
  { method, databaseUrl }: { method: Method; databaseUrl: string | undefined },
  progress: (line: string) => void,
): Promise<FeedbackFigures> {
  const script = bundleScript('servers/feedback-services.ts');
  const run = { settings, method, progress, script };
  const sqlite = await measureOn(run, 'SQLite', []);
  if (databaseUrl === undefined) return { sqlite };
  return { sqlite, postgres: await measureOn(run, 'PostgreSQL', ['--database-url', databaseUrl]) };
}

interface FeedbackRun {
  settings: FeedbackSettings;
  method: Method;
  progress: (line: string) => void;
  script: string;
}

async function measureOn(
  { settings, method, progress, script }: FeedbackRun,
  label: string,
  databaseFlags: string[],
): Promise<FeedbackSpeed> {
  return inFolder(async (dataDir) => {
    const flags = ['--data', dataDir, ...databaseFlags];
    const server = await startServer(script, flags, method.cores?.server);
    try {
      progress(`feedback: ${settings.posts} posts, ${label}`);
      const filled = await server.ask(`fill ${settings.posts}`);
      progress(`feedback: queries, ${label}`);
      const inside = await measureInside(server, settings);
      progress(`feedback: REST, ${label}`);
      const http = await measureHttp(server, settings);
      return {
        listed: Number(filled['listed']),
        fillSeconds: Number(filled['seconds']),
        ...inside,
        http,
      };
    } finally {
      await server.stop();
    }
  });
}

async function measureInside(server: ServerProcess, { queries, votes }: FeedbackSettings) {
  const warmUp = Math.round(queries * WARM_UP_SHARE);
  await server.ask(`search ${warmUp}`);
  const search = cpuTimesOf(await server.ask(`search ${queries}`));
  await server.ask(`list ${warmUp}`);
  const list = cpuTimesOf(await server.ask(`list ${queries}`));
  const pages = await server.ask(`deep ${Math.round(queries / 2)}`);
  const deep = { ...timesOf(pages), deepest: Number(pages['deepest']) };
  await server.ask(`vote ${Math.round(votes * WARM_UP_SHARE)}`);
  const voted = await server.ask(`vote ${votes}`);
  return {
    search,
    list,
    deep,
    votes: { perSecond: Number(voted['perSecond']), wrong: Number(voted['wrong']) },
  };
}

async function measureHttp(server: ServerProcess, { queries, votes }: FeedbackSettings) {
  const some = Math.round(queries / 2);
  const read = async (command: string) => {
    await readOverRest(server.ready, await pathsOf(server, `${command} ${Math.round(some * WARM_UP_SHARE)}`));
    return spread(await readOverRest(server.ready, await pathsOf(server, `${command} ${some}`)));
  };
  return {
    search: await read('searchPaths'),
    list: await read('listPaths'),
    votesPerSecond: await putOverRest(
      server.ready,
      await pathsOf(server, `votePaths ${Math.round(votes / 2)}`),
    ),
  };
}

async function pathsOf(server: ServerProcess, line: string): Promise<string[]> {
  const { paths } = await server.ask(line);
  return Array.isArray(paths) ? paths.map(String) : [];
}

function timesOf({ timesMs }: Record<string, unknown>): QueryTimes {
  return spread(Array.isArray(timesMs) ? timesMs.map(Number) : []);
}

function cpuTimesOf(answer: Record<string, unknown>): QueryTimes & { cpuMs: number } {
  return { ...timesOf(answer), cpuMs: Number(Number(answer['cpuMs']).toFixed(2)) };
}

function spread(timesMs: readonly number[]): QueryTimes {
  return { ...latencyOf(timesMs), p95Ms: p95Of(timesMs) };
}
