/** What programs may take: time for each thing, places, and bytes. */

/** How long things may take; tests have less. */
export interface ProgramTimes {
  /** Silence after which a program is taken for one of the 2025 revisions. */
  readonly probeMs: number;
  /** From the start to the end of the handshake. */
  readonly handshakeMs: number;
  /** Without a call and without anybody who listens. */
  readonly idleMs: number;
  /** From the end of its input to the first signal. */
  readonly quietEndMs: number;
  /** From the first signal to the end by force. */
  readonly termMs: number;
  /** Before a program that crashed is started again; doubled by each crash. */
  readonly backoffMs: number;
  readonly mostBackoffMs: number;
  /** The time in which crashes are counted. */
  readonly crashWindowMs: number;
  /** After a call that ran out of time in silence, the time for a sign of life. */
  readonly signOfLifeMs: number;
  /** How long an era is believed. */
  readonly eraMs: number;
}

export const PROGRAM_TIMES: ProgramTimes = {
  probeMs: 3_000,
  handshakeMs: 10_000,
  idleMs: 300_000,
  quietEndMs: 2_000,
  termMs: 3_000,
  backoffMs: 1_000,
  mostBackoffMs: 60_000,
  crashWindowMs: 300_000,
  signOfLifeMs: 10_000,
  eraMs: 24 * 3_600_000,
};

/** Crashes within the window after which calls fail at once until the next start is due. */
export const MOST_CRASHES = 5;

/** Programs that run at once. */
export const MOST_PROGRAMS = 32;

export const MOST_LINE_BYTES = 10 * 1024 * 1024;

/** What a program may leave unread of its input before it gets no more. */
export const MOST_UNREAD_BYTES = 32 * 1024 * 1024;

export const MOST_STDERR_BYTES = 64 * 1024;

/** Questions of one program that wait for an answer. */
export const MOST_OPEN_QUESTIONS = 32;

/** Depth of what a program sends. */
export const MOST_DEPTH = 64;
