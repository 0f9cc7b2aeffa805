/** What commands without a port share: the host, and the caller behind the key they act with. */
import { readFile } from 'node:fs/promises';
import type { AnyToolset, Caller, Source } from '@parley/kit';
import type { Config } from '../config.ts';
import { UsageError } from '../config.ts';
import type { Host } from '../host.ts';
import { openHost } from '../host.ts';

/** An open host and a way to ask who is acting. */
export interface Session {
  readonly host: Host;
  /** The caller as it stands now; undefined once the key is no longer valid. */
  caller(): Promise<Caller | undefined>;
}

/** Opens the data folder and finds the key to act with. */
export async function openSession(
  config: Config,
  toolsets: readonly AnyToolset[],
  source: Source,
): Promise<Session> {
  const host = await openHost({ config, toolsets, onFault: reportFault });
  try {
    const key = config.key ?? (await readKey(host.ownerKeyFile));
    const caller = async () => host.identity.authenticate(key, source);
    if ((await caller()) !== undefined) return { host, caller };
    throw new UsageError(
      'The key is not valid here. Give another with --key or PARLEY_KEY; "parley doctor" tells more.',
    );
  } catch (error) {
    await host.close();
    throw error;
  }
}

/** Runs work as the caller of a session and closes the host after it. */
export async function withCaller<T>(
  config: Config,
  toolsets: readonly AnyToolset[],
  work: (host: Host, caller: Caller) => Promise<T>,
): Promise<T> {
  const { host, caller } = await openSession(config, toolsets, 'cli');
  try {
    const found = await caller();
    if (found === undefined) throw new UsageError('The key is no longer valid.');
    return await work(host, found);
  } finally {
    await host.close();
  }
}

async function readKey(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch {
    throw new UsageError(`There is no owner key at ${file}. Give a key with --key or PARLEY_KEY.`);
  }
}

/** Faults go to stderr as structured lines; the logger is loaded only when there is one. */
export function reportFault(error: unknown, where: string): void {
  void import('../log.ts').then(({ createLog }) =>
    createLog({ logLevel: 'error' }).error({ err: error, where }, 'fault'),
  );
}
