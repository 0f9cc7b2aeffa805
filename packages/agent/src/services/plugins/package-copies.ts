/** Private copies of packages: what a plugin runs from, so that files that change later are never read by it. */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, realpath, rename, rm, stat, utimes } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Store } from '@parley/store';
import { copyPackage, digestOf } from './package-digest.ts';
import type { PackageFolder } from './package-folder.ts';
import { PluginChanged } from './running.ts';
import type { PluginTables } from './schema.ts';

/** Below the data folder. */
const COPIES = 'plugin-copies';
// Longer than a load takes: another process may be about to write down what it copied.
const UNKNOWN_KEPT_MS = 10 * 60_000;

/** The copy of a package that was looked at, made where there is none that holds; throws where the package changed meanwhile. */
export async function copyOf(dataDir: string, source: PackageFolder): Promise<PackageFolder> {
  const parent = join(dataDir, COPIES);
  await mkdir(parent, { recursive: true, mode: 0o700 });
  const path = join(await realpath(parent), source.digest);
  if (!(await holds(path, source.digest))) await copyTo(path, source);
  const now = new Date();
  await utimes(path, now, now);
  return { folder: path, entry: join(path, relative(source.folder, source.entry)), digest: source.digest };
}

/** Whether a folder is the package with this digest. */
async function holds(folder: string, digest: string): Promise<boolean> {
  // Whatever is wrong with it, it is made again.
  return (await digestOf(folder).catch(() => undefined)) === digest;
}

async function copyTo(path: string, { folder, digest }: PackageFolder): Promise<void> {
  const beside = `${path}.${randomUUID()}`;
  try {
    await copyPackage(folder, beside);
    if (!(await holds(beside, digest))) throw new PluginChanged();
    await rename(beside, path).catch(async () => {
      // Another one was first, or something else lies there.
      if (await holds(path, digest)) return;
      await rm(path, { recursive: true, force: true });
      await rename(beside, path);
    });
  } finally {
    await rm(beside, { recursive: true, force: true });
  }
}

/** The copies that this process uses, and the end of those that nobody does. */
export class PackageCopies {
  readonly #dataDir: string;
  readonly #store: Store;
  readonly #uses = new Map<string, number>();

  constructor(dataDir: string, store: Store) {
    this.#dataDir = dataDir;
    this.#store = store;
  }

  of(source: PackageFolder): Promise<PackageFolder> {
    return copyOf(this.#dataDir, source);
  }

  /** Keeps a copy until it is let go as often. */
  hold(digest: string): void {
    this.#uses.set(digest, (this.#uses.get(digest) ?? 0) + 1);
  }

  /** Removes the copy where nothing here uses it and no plugin that is loaded has it. */
  async letGo(digest: string): Promise<void> {
    const left = (this.#uses.get(digest) ?? 1) - 1;
    if (left > 0) this.#uses.set(digest, left);
    else this.#uses.delete(digest);
    if (left <= 0) await this.#removeUnless(await this.#active(), digest);
  }

  /** Removes what earlier processes left. */
  async tidy(): Promise<void> {
    const parent = join(this.#dataDir, COPIES);
    // There is no such folder until something is loaded.
    const names = await readdir(parent).catch(() => []);
    if (names.length === 0) return;
    const active = await this.#active();
    for (const name of names) {
      // What is gone meanwhile needs no removal.
      const mtimeMs = (await stat(join(parent, name)).catch(() => undefined))?.mtimeMs ?? Infinity;
      if (mtimeMs < Date.now() - UNKNOWN_KEPT_MS) await this.#removeUnless(active, name);
    }
  }

  async #active(): Promise<ReadonlySet<string>> {
    const query = this.#store.db<PluginTables>().selectFrom('plugins').select('digest').distinct();
    const rows = await query.where('status', '=', 'active').execute();
    return new Set(rows.map(({ digest }) => digest));
  }

  async #removeUnless(active: ReadonlySet<string>, name: string): Promise<void> {
    // A plugin from before there were digests has none, and no copy.
    if (name === '' || active.has(name) || this.#uses.has(name)) return;
    await rm(join(this.#dataDir, COPIES, name), { recursive: true, force: true });
  }
}
