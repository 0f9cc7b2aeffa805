/** The typed errors of the store; their texts are fixed and never carry SQL, paths or driver words. */

/** Why the database cannot serve right now. */
export type UnavailableReason = 'busy' | 'full' | 'lost' | 'readonly' | 'gone' | 'damaged';

const unavailableTexts: Record<UnavailableReason, string> = {
  busy: 'The database is busy. Try again in a moment.',
  full: 'The disk of the database is full. Free some space, then try again.',
  lost: 'The database cannot be reached. Check that it runs and that its address is right, then try again.',
  readonly: 'The database takes no writes. Make it writable again, or name one that is, then try again.',
  gone: 'The files of the database were moved or deleted while they were in use. Put the same files back, or restore a backup and start the server again.',
  damaged:
    'The file of the database is damaged. Stop every server that uses it, delete the files ending in -wal and -shm beside it, then put the file of a backup in its place.',
};

/** The database cannot serve right now; the same request may work later. The driver's error is the `cause`. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
  readonly reason: UnavailableReason;
  /** The file that is meant, where there is one; for logs and commands, since clients are told no paths. */
  readonly file: string | undefined;

  constructor(reason: UnavailableReason, cause?: unknown, file?: string) {
    super(unavailableTexts[reason], { cause });
    this.reason = reason;
    this.file = file;
  }
}

/**
 * The database refused a statement: a key that exists, a value that does not fit, a column that is not there. It has the
 * text and the code of the driver's error, which is the `cause`; neither is for clients.
 */
export class StatementError extends Error {
  override readonly name = 'StatementError';
  readonly code: string;

  constructor(cause: Error, code: string) {
    super(cause.message, { cause });
    this.code = code;
  }
}

/** True for whatever comes from the database or the way to it, and not from the code that asked. */
export function isDatabaseError(error: unknown): error is StoreUnavailableError | StatementError {
  return error instanceof StoreUnavailableError || error instanceof StatementError;
}

/** The database and the program do not fit together, for example after a downgrade. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

/** A stored secret cannot be opened: it was changed, moved to another row, or sealed under an absent key. */
export class SecretOpenError extends Error {
  override readonly name = 'SecretOpenError';

  constructor(cause?: unknown) {
    super(
      'This secret cannot be opened with the present key. Put back the secret.key that the data was made with, or set PARLEY_SECRET_KEY to it.',
      {
        cause,
      },
    );
  }
}

/** The secret key that was given, or the key file, is not usable. */
export class SecretKeyError extends Error {
  override readonly name = 'SecretKeyError';
  /** The file that is missing, where one is; for commands. */
  readonly file: string | undefined;

  constructor(message: string, { cause, file }: { cause?: unknown; file?: string } = {}) {
    super(message, { cause });
    this.file = file;
  }
}

/** A backup cannot be made as asked. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
  /** The file that could not be written, where there is one. */
  readonly file: string | undefined;

  constructor(message: string, { cause, file }: { cause?: unknown; file?: string } = {}) {
    super(message, { cause });
    this.file = file;
  }
}

function driverCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}

/** True when a write failed because a unique or primary key exists already, on either engine. */
export function isUniqueViolation(error: unknown): boolean {
  return ['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY', '23505'].includes(driverCode(error));
}

/** True when a write failed because the row it refers to is absent, on either engine. */
export function isForeignKeyViolation(error: unknown): boolean {
  return ['SQLITE_CONSTRAINT_FOREIGNKEY', '23503'].includes(driverCode(error));
}

/** True when the database cannot keep a text as it is: U+0000, or half of a surrogate pair. SQLite keeps any. */
export function isUnkeepableText(error: unknown): boolean {
  return ['22021', '22P05'].includes(driverCode(error));
}
