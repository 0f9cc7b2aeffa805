/** Notices that the files of an open database are gone or cut short: what is written then is lost. */
import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { detach } from '../detach.ts';
import { StoreUnavailableError } from '../errors.ts';
import type { HeldFile } from './held-file.ts';
import { isDamaged, toStoreError } from './errors.ts';

const LOOK_EVERY_MS = 1_000;
// The smallest page there is.
const SMALLEST_BYTES = 512;
// The log and its index belong to the database: without them another process starts with other ones.
const SUFFIXES = ['', '-wal', '-shm'];

/** What tells one file from another, whatever its name is. */
export interface FileIdentity {
  readonly ino: bigint;
  readonly dev: bigint;
}

/** The main file, and a look through all of its pages. */
export interface OpenFile {
  readonly held: HeldFile;
  readonly passesCheck: () => boolean;
}

interface Suspicion {
  readonly sizeBytes: number;
  readonly wantedBytes: number;
  readonly since: number;
  isCleared: boolean;
}

/** Looks once a second whether the paths still lead to the open files. */
export class FileGuard {
  readonly #path: string;
  readonly #onError: (error: unknown) => void;
  readonly #known = new Map<string, FileIdentity>();
  #timer: NodeJS.Timeout | undefined;
  #file: OpenFile | undefined;
  #lost: StoreUnavailableError | undefined;
  #suspicion: Suspicion | undefined;
  #isClosed = false;

  constructor(path: string, onError: (error: unknown) => void) {
    this.#path = path;
    this.#onError = onError;
  }

  /** Remembers the files as they are now, right after they were opened, and watches them. */
  async start(file: OpenFile): Promise<void> {
    this.#file = file;
    // Windows does not let go of the name of an open file.
    if (process.platform === 'win32') return;
    await this.look();
    this.#timer = setInterval(() => {
      detach(this.look(), this.#onError);
    }, LOOK_EVERY_MS).unref();
  }

  /** Compares now; files that came back as they were count again, and a damaged one never does. */
  async look(): Promise<void> {
    if (process.platform === 'win32') return;
    const moved = await this.#firstMoved();
    // The last connection to close takes the side files away.
    if (this.#isClosed || this.#lost?.reason === 'damaged') return;
    const before = this.#lost?.reason;
    if (moved !== undefined) this.#lost = new StoreUnavailableError('gone', undefined, moved);
    else this.#lost = this.#isCutShort() ? this.#damaged() : undefined;
    if (this.#lost !== undefined && this.#lost.reason !== before) this.#onError(this.#lost);
  }

  /** Throws while what is written would be lost. */
  require(): void {
    if (this.#lost !== undefined)
      throw new StoreUnavailableError(this.#lost.reason, undefined, this.#lost.file);
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
  }

  #damaged(): StoreUnavailableError {
    return new StoreUnavailableError('damaged', undefined, this.#path);
  }

  /** True when the file is smaller than its first page says, stays so, and the log does not have what is missing. */
  #isCutShort(): boolean {
    if (this.#file === undefined) return false;
    const sizeBytes = this.#file.held.sizeBytes();
    // SQLite deletes the log of an empty file that it opens, so nobody is asked about one.
    if (sizeBytes < SMALLEST_BYTES) return true;
    const wantedBytes = this.#file.held.header()?.wantedBytes ?? Infinity;
    if (wantedBytes <= sizeBytes) {
      this.#suspicion = undefined;
      return false;
    }
    const known = this.#suspicion;
    if (known?.sizeBytes !== sizeBytes || known.wantedBytes !== wantedBytes) {
      this.#suspicion = { sizeBytes, wantedBytes, since: performance.now(), isCleared: false };
      return false;
    }
    // A checkpoint writes the first page first; one that was killed leaves the rest in the log.
    if (known.isCleared || performance.now() - known.since < LOOK_EVERY_MS) return false;
    known.isCleared = isWhole(this.#file, this.#path);
    return !known.isCleared;
  }

  async #firstMoved(): Promise<string | undefined> {
    for (const suffix of SUFFIXES) {
      const path = `${this.#path}${suffix}`;
      const known = this.#known.get(suffix);
      const found = await identityOf(path);
      // The side files come with the first use.
      if (known === undefined && found !== undefined) this.#known.set(suffix, found);
      else if (!isSameFile(found, known)) return path;
    }
    return undefined;
  }
}

function isWhole({ passesCheck }: OpenFile, path: string): boolean {
  try {
    return passesCheck();
  } catch (error) {
    return !isDamaged(toStoreError(error, path));
  }
}

/** What the path leads to; undefined when nothing is there or the device does not say. */
export function identityOf(path: string): Promise<FileIdentity | undefined> {
  return stat(path, { bigint: true }).then(
    ({ ino, dev }) => ({ ino, dev }),
    // Not there, or not to be seen: both mean that it is not the file we know.
    () => undefined,
  );
}

/** The same at once, for whoever writes to that file at once too. */
export function identityNow(path: string): FileIdentity | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    // Not to be seen: as above.
    return undefined;
  }
}

/** True when both are the same file. */
export function isSameFile(left: FileIdentity | undefined, right: FileIdentity | undefined): boolean {
  return left?.ino === right?.ino && left?.dev === right?.dev;
}
