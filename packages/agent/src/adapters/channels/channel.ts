/** What a channel to the owner is, whatever system stands behind it. */
import type * as z from 'zod';

export const CHANNEL_TYPES = ['webhook', 'slack', 'discord', 'telegram', 'github'] as const;

export type ChannelType = (typeof CHANNEL_TYPES)[number];

interface FromAgent {
  readonly id: string;
  readonly agent: { readonly id: string; readonly name: string };
  readonly createdAt: number;
}

export interface Notice extends FromAgent {
  readonly level: string;
  readonly title: string | null;
  readonly message: string;
}

export interface AskedQuestion extends FromAgent {
  readonly question: string;
  readonly options: readonly string[] | null;
  readonly context: string | null;
  readonly deadlineAt: number;
}

/** A question that was sent, and how an answer is known to be one. */
export interface Asked {
  readonly ref: string;
  /** The beginning of its id, which people may write. */
  readonly code: string;
}

/** What somebody wrote about a question. */
export interface Reply {
  readonly ref: string;
  readonly text: string;
  readonly by: string;
}

export interface Looked {
  /** In the order in which they were written. */
  readonly replies: readonly Reply[];
  /** Where to go on. */
  readonly cursor?: number | undefined;
}

/** One type of channel; what fails throws an error whose text may be shown, without a secret in it. */
export interface Channel<Config = unknown> {
  readonly type: ChannelType;
  /** What has to be known to reach somebody; unknown names are refused. */
  readonly config: z.ZodType<Config>;
  /** Refuses a config that could never be used. */
  check?(config: Config): Promise<void>;
  send(config: Config, notice: Notice, signal: AbortSignal): Promise<void>;
  /** Sends a question; returns what answers are found by, where there can be any. */
  ask(config: Config, question: AskedQuestion, signal: AbortSignal): Promise<string | null>;
  /** Looks for answers. Absent: the channel carries none. */
  poll?(
    config: Config,
    asked: readonly Asked[],
    cursor: number | undefined,
    signal: AbortSignal,
  ): Promise<Looked>;
  /** What channels must share for one look to serve all of them. Absent: each is looked at by itself. */
  sharedBy?(config: Config): string;
}

/** A channel with its types forgotten: whoever holds one gives it only what its own schema has read. */
// oxlint-disable-next-line typescript/no-explicit-any -- a heterogeneous list has no common config type
export type AnyChannel = Channel<any>;
