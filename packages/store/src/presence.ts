/** Presence: who among the processes of one database is there, as every engine offers it. */

/** Tells the death of a process sooner than a lease that runs out. */
export interface Presence {
  /** False where nobody can tell: on SQLite, where leases do it, and behind a pooler, where no session is anybody's own. */
  readonly isKept: boolean;
  /** Somebody is gone who was not held for so long. */
  readonly graceMs: number;
  /** Says that somebody of this process is there, until `leave`, or until the process or its connection ends. */
  hold(id: string): Promise<void>;
  leave(id: string): Promise<void>;
  /**
   * Those whom nobody has held for the grace; nobody where that cannot be told. It counts from look to look, so ask about
   * every second. Somebody who was never held is gone too, so ask only for ids that are held as long as they live.
   */
  gone(ids: readonly string[]): Promise<string[]>;
  /**
   * How long this process has not held what it holds while others may have looked; 0 while it does, and while the
   * database is away for everybody.
   */
  missedMs(): number;
}

/** Where nobody can tell, a lease is enough. */
export const noPresence: Presence = {
  isKept: false,
  graceMs: 0,
  async hold() {},
  async leave() {},
  gone: async () => [],
  missedMs: () => 0,
};
