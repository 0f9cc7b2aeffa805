/** What commands without a port share: the host, and the caller behind the key they act with. */
import { readFileSync } from 'node:fs';
import type { Caller, CallSource } from '@parley/kit';
import { detach, isGranted, mayAdminister, unionGrants } from '@parley/kit';
import type { ServedToolset } from '../start/served-toolset.ts';
import type { Base, KnownTool } from '../start/base.ts';
import type { Config } from '../config.ts';
import { commandWord, UsageError } from '../config.ts';
import type { Host } from '../start/host.ts';
import { errorText } from './error-text.ts';
import { requireInstallation } from './installation.ts';

/** An open host and a way to ask who is acting. */
export interface Session {
  readonly host: Host;
  /** The caller as it stands now; undefined once the key is no longer valid. */
  caller(): Promise<Caller | undefined>;
}

/** Opens the data folder and finds the key to act with. */
export async function openSession(
  config: Config,
  toolsets: readonly ServedToolset[],
  source: CallSource,
): Promise<Session> {
  requireInstallation(config);
  const { openHost } = await import('../start/host.ts');
  const host = await openHost({ config, toolsets, onFault: tellFault });
  try {
    return { host, caller: await callerOn(host, config, source) };
  } catch (error) {
    await host.close();
    throw error;
  }
}

/** A way to ask who is acting; throws when the key is not valid here. `load` brings the code that knows agents. */
export async function callerOn(
  base: Base,
  config: Config,
  source: CallSource,
  load: () => Promise<unknown> = async () => undefined,
): Promise<Session['caller']> {
  const key = config.key ?? readKey(base.ownerKeyFile);
  const caller = async () => await base.identity.authenticate(key, source);
  if ((await caller()) !== undefined) return caller;
  if ((await base.identity.keyState(key)) === 'valid') {
    await load();
    if ((await caller()) !== undefined) return caller;
  }
  throw new UsageError(
    `The key is not valid here. Give another with --key or PARLEY_KEY; "${commandWord()} doctor" tells more, and "${commandWord()} keys recover" makes a new owner key.`,
  );
}

/**
 * The same caller, with the names of tools that even an owner's wildcard does not give. Only a person who could
 * name them in a key of their own gets them this way.
 */
export function withExtendedTools(caller: Caller, tools: Iterable<KnownTool>): Caller {
  if (!mayAdminister(caller)) return caller;
  const names = [...tools].filter(
    ({ privileged, toolset, name }) => privileged === 'by-name' && isGranted(caller.grants, toolset, name),
  );
  const grants = names.map(({ toolset, name }) => ({ [toolset]: [name] }));
  return { ...caller, grants: unionGrants([caller.grants, ...grants]) };
}

/** Runs work as the caller of a session and closes the host after it. */
export async function withCaller<T>(
  config: Config,
  toolsets: readonly ServedToolset[],
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

function readKey(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    throw new UsageError(`There is no owner key at ${file}. Give a key with --key or PARLEY_KEY.`);
  }
}

/** A fault beside the work of one command: a sentence for whoever sits at the terminal. */
export function tellFault(error: unknown, where: string): void {
  process.stderr.write(`parley: ${where}: ${errorText(error)}\n`);
}

/** Faults of a process that serves go to stderr as structured lines; the logger is loaded only when there is one. */
export function reportFault(error: unknown, where: string): void {
  const write = async () => {
    const { createLog } = await import('../log.ts');
    createLog({ logLevel: 'error' }).error({ err: error, where }, 'fault');
  };
  // Without a logger there is nothing left to say it with.
  detach(write, () => undefined);
}
