/** Reads the header of a database file past its log, without letting go of the locks that SQLite holds on the file. */
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';

const HEADER_BYTES = 100;

/** Marks a copy that `backup` made and nobody has opened since; "Prly" in the field that names the program. */
export const COPY_MARK = 0x50726c79;

/** What the first page of the main file says, whatever stands in the log. */
export interface FileHeader {
  /** A copy of `backup` that was not opened yet, so that a log beside it belongs to another database. */
  readonly isFreshCopy: boolean;
  /** The bytes that the file has to have by its own account. */
  readonly wantedBytes: number;
}

interface Held {
  readonly fd: number;
  users: number;
}

// Of the process, as the locks are: closing any descriptor of a file drops every lock that the process has on it.
const heldFiles = new Map<string, Held>();

/** A file that stays open until its last user in this process has closed its connections. */
export class HeldFile {
  readonly #key: string;
  readonly #held: Held;
  #isReleased = false;

  constructor(path: string) {
    const { dev, ino } = statSync(path, { bigint: true });
    this.#key = `${dev}:${ino}`;
    this.#held = heldFiles.get(this.#key) ?? { fd: openSync(path, 'r'), users: 0 };
    this.#held.users += 1;
    heldFiles.set(this.#key, this.#held);
  }

  /** Undefined for what is no database of SQLite; the driver says what it is when it opens it. */
  header(): FileHeader | undefined {
    const bytes = Buffer.alloc(HEADER_BYTES);
    try {
      if (this.#isReleased || readSync(this.#held.fd, bytes, 0, HEADER_BYTES, 0) < HEADER_BYTES)
        return undefined;
    } catch {
      return undefined;
    }
    if (!bytes.toString('latin1').startsWith('SQLite format 3\0')) return undefined;
    const pageBytes = bytes.readUInt16BE(16);
    return {
      // Every version changes a copy to the mode with a log before it uses it.
      isFreshCopy: bytes.readUInt32BE(68) === COPY_MARK && bytes[18] === 1,
      wantedBytes: (pageBytes === 1 ? 65_536 : pageBytes) * bytes.readUInt32BE(28),
    };
  }

  sizeBytes(): number {
    return fstatSync(this.#held.fd).size;
  }

  /** To be called after the connections of the user are closed. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#held.users -= 1;
    if (this.#held.users > 0) return;
    heldFiles.delete(this.#key);
    closeSync(this.#held.fd);
  }
}
