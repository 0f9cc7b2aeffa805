/** Notices that the files of an open database are gone: an open file outlives its name, and what is written then is lost. */
import { stat } from 'node:fs/promises';
import { StoreUnavailableError } from '../errors.ts';

const lookEveryMs = 1_000;
// The log and its index belong to the database: without them another process starts with other ones.
const suffixes = ['', '-wal', '-shm'];

/** What tells one file from another, whatever its name is. */
export interface FileIdentity {
  readonly ino: bigint;
  readonly dev: bigint;
}

/** Looks once a second whether the paths still lead to the open files. */
export class FileGuard {
  readonly #path: string;
  readonly #onError: (error: unknown) => void;
  readonly #known = new Map<string, FileIdentity>();
  #timer: NodeJS.Timeout | undefined;
  #gone: StoreUnavailableError | undefined;
  #isClosed = false;

  constructor(path: string, onError: (error: unknown) => void) {
    this.#path = path;
    this.#onError = onError;
  }

  /** Remembers the files as they are now, right after they were opened, and watches them. */
  async start(): Promise<void> {
    // Windows does not let go of the name of an open file.
    if (process.platform === 'win32') return;
    await this.look();
    this.#timer = setInterval(() => {
      this.look().catch(this.#onError);
    }, lookEveryMs).unref();
  }

  /** Compares now; files that came back as they were count again. */
  async look(): Promise<void> {
    if (process.platform === 'win32') return;
    const moved = await this.#firstMoved();
    // Whoever closes last takes the side files away.
    if (this.#isClosed) return;
    const wasGone = this.#gone !== undefined;
    this.#gone = moved === undefined ? undefined : new StoreUnavailableError('gone', undefined, moved);
    if (this.#gone !== undefined && !wasGone) this.#onError(this.#gone);
  }

  /** Throws while the files are gone. */
  require(): void {
    if (this.#gone !== undefined) throw new StoreUnavailableError('gone', undefined, this.#gone.file);
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
  }

  async #firstMoved(): Promise<string | undefined> {
    for (const suffix of suffixes) {
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

/** What the path leads to; undefined when nothing is there or the device does not say. */
export function identityOf(path: string): Promise<FileIdentity | undefined> {
  return stat(path, { bigint: true }).then(
    ({ ino, dev }) => ({ ino, dev }),
    () => undefined,
  );
}

/** True when both are the same file. */
export function isSameFile(left: FileIdentity | undefined, right: FileIdentity | undefined): boolean {
  return left?.ino === right?.ino && left?.dev === right?.dev;
}
