/** Hears of changes in folders, also of those that leave size and time of a file as they were. */
import type { FSWatcher } from 'node:fs';
import { watch } from 'node:fs';
import { join } from 'node:path';

// Each one counts against a limit of the machine; beyond it, size and time of files have to do.
const MOST = 1000;

export class FolderWatch {
  readonly #root: string;
  readonly #watchers = new Map<string, FSWatcher>();
  #news = new Set<string>();

  constructor(root: string) {
    this.#root = root;
  }

  get hasNews(): boolean {
    return this.#news.size > 0;
  }

  /** The paths of folders and files that something happened to since the last time. */
  takeNews(): ReadonlySet<string> {
    const news = this.#news;
    this.#news = new Set();
    return news;
  }

  /** Watches these folders, and no others any more. */
  follow(folders: Iterable<string>): void {
    const wanted = new Set(folders);
    for (const [path, watcher] of this.#watchers) {
      if (wanted.has(path)) continue;
      watcher.close();
      this.#watchers.delete(path);
    }
    for (const path of wanted) {
      if (this.#watchers.size >= MOST) return;
      if (!this.#watchers.has(path)) this.#add(path);
    }
  }

  close(): void {
    this.follow([]);
  }

  #add(path: string): void {
    const base = path === '' ? '' : `${path}/`;
    try {
      const watcher = watch(join(this.#root, path), { persistent: false }, (_event, name) => {
        this.#news.add(path);
        if (name !== null) this.#news.add(`${base}${name}`);
      });
      watcher.on('error', () => {
        watcher.close();
        this.#watchers.delete(path);
      });
      this.#watchers.set(path, watcher);
    } catch {
      // The folder is gone, or the machine has no more of them: size and time still tell.
    }
  }
}
