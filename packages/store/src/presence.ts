/** Presence: who among the processes of one database is there, as every engine offers it. */

/** Tells the death of a process sooner than a lease that runs out. */
export interface Presence {
  /** Says that somebody of this process is there, until `leave`, or until the process or its connection ends. */
  hold(id: string): Promise<void>;
  leave(id: string): Promise<void>;
  /**
   * Those whom nobody has held for some seconds; nobody where that cannot be told, as on SQLite, where leases do it.
   * Somebody who was never held is gone too, so ask only for ids that are held as long as they live.
   */
  gone(ids: readonly string[]): Promise<string[]>;
}

/** Where every process is on one machine, a lease is enough. */
export const noPresence: Presence = {
  async hold() {},
  async leave() {},
  gone: async () => [],
};
