/** Owns the list of engines that are compared. */
import { openDbos } from './adapters/dbos.ts';
import { openGraphileWorker } from './adapters/graphile-worker.ts';
import { openParley } from './adapters/parley.ts';
import { openPgBoss } from './adapters/pg-boss.ts';
import type { OpenOptions, Replica } from './contract.ts';

export const ENGINES = {
  parley: openParley,
  'pg-boss': openPgBoss,
  'graphile-worker': openGraphileWorker,
  dbos: openDbos,
} as const satisfies Record<string, (options: OpenOptions) => Promise<Replica>>;

export type EngineName = keyof typeof ENGINES;

/** All of them, ours first. */
export const ENGINE_NAMES = Object.keys(ENGINES) as EngineName[];

/** The package of an engine that is not ours. */
export const PACKAGES: Readonly<Partial<Record<EngineName, string>>> = {
  'pg-boss': 'pg-boss',
  'graphile-worker': 'graphile-worker',
  dbos: '@dbos-inc/dbos-sdk',
};

/** Those that know jobs, but no steps and no questions. */
export const QUEUES: readonly EngineName[] = ['pg-boss', 'graphile-worker'];
