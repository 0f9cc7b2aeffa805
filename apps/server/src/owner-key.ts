/** The file of the owner key: written whole, closed to others, and never in the place of a key of another database. */
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Identity } from '@parley/identity';
import type { Config } from './config.ts';

/** An owner key is there, and the database that it belongs to is not. */
export class LostDatabaseError extends Error {
  override readonly name = 'LostDatabaseError';
}

/** Where the owner key of a data folder is. */
export function ownerKeyFileOf({ dataDir }: Pick<Config, 'dataDir'>): string {
  return join(dataDir, 'owner.key');
}

/** What is wrong when an owner key stands beside no database; undefined when nothing is. */
export function lostDatabase(config: Config): string | undefined {
  const file = ownerKeyFileOf(config);
  if (config.databaseUrl !== undefined || !existsSync(file)) return undefined;
  const path = join(config.dataDir, 'parley.db');
  const info = statSync(path, { throwIfNoEntry: false });
  if (info === undefined) return textOf(file, `there is no database at ${path}`);
  return info.isFile() && info.size === 0 ? textOf(file, `the database at ${path} is empty`) : undefined;
}

/** Throws when an owner key stands beside no database; before anything is made. */
export function refuseLostDatabase(config: Config): void {
  const text = lostDatabase(config);
  if (text !== undefined) throw new LostDatabaseError(text);
}

/** Makes the first owner of an empty database and keeps their key; an older key is left alone. */
export async function keepFirstOwner(identity: Identity, config: Config): Promise<string> {
  const file = ownerKeyFileOf(config);
  let draft: string | undefined;
  try {
    const isFirst = await identity.bootstrap(async (key) => {
      if (existsSync(file)) throw new LostDatabaseError(textOf(file, 'the database is empty'));
      draft = writeDraft(file, key);
    });
    // Published after the commit: a crash before it leaves no key that the next start would have to trust.
    if (isFirst && draft !== undefined) publish(draft, file);
    else await adoptDraft(identity, file, draft);
  } catch (error) {
    if (draft !== undefined) rmSync(draft, { force: true });
    throw error;
  }
  return file;
}

/** Puts a key into the file, whatever was there and whatever its mode was. */
export function replaceOwnerKey(file: string, key: string): void {
  publish(writeDraft(file, key), file);
}

function textOf(file: string, what: string): string {
  return `There is an owner key at ${file}, but ${what}. Restore parley.db from a backup or name the right database, or move owner.key away to begin anew.`;
}

function writeDraft(file: string, key: string): string {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  writeFileSync(draft, `${key}\n`, { mode: 0o600, flag: 'wx', flush: true });
  return draft;
}

function publish(draft: string, file: string): void {
  try {
    renameSync(draft, file);
  } catch (error) {
    // Another process found the key valid and put it there first.
    if (!existsSync(file)) throw error;
  }
}

/** Finishes what a process did not that ended, or has not yet, between the commit and the rename. */
async function adoptDraft(identity: Identity, file: string, own: string | undefined): Promise<void> {
  if (own !== undefined) rmSync(own, { force: true });
  if (existsSync(file)) return;
  const isDraft = (entry: string) =>
    entry.startsWith(`${basename(file)}.`) && /^[0-9a-f]{12}$/.test(entry.slice(basename(file).length + 1));
  for (const name of readdirSync(dirname(file)).filter(isDraft)) {
    const draft = join(dirname(file), name);
    const key = readIfThere(draft);
    if (key !== undefined && (await identity.keyState(key)) === 'valid') return publish(draft, file);
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
}
