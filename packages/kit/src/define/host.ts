/** The host: the one object that the program which serves toolsets offers to each of them. */
import type { Observer } from '../call/record.ts';
import type { ChangeBus } from '../changes.ts';

/**
 * What a toolset is built from. `Parts` are the packages below it that it stands on, such as `{ store: Store }`;
 * `Values` are those of the settings that it declares.
 */
export type Host<Parts = unknown, Values = unknown> = Parts & {
  readonly changes: ChangeBus;
  /** Told of every call that does not go through the engine, such as one over REST. */
  readonly observe: Observer;
  readonly onFault: (error: unknown, where: string) => void;
  /** Runs when the program begins to stop, before running calls are waited for. */
  onStop(work: () => Promise<void>): void;
  /** Hosts, and origins of pages, that are accepted besides the loopback ones. */
  readonly names: { readonly hosts: readonly string[]; readonly origins: readonly string[] };
  /** How the world reaches the program, where a proxy stands before it. */
  readonly web: { readonly publicUrl: string | undefined; readonly trustedProxies: readonly string[] };
  readonly settings: Values;
};

/** What a toolset says once the program is ready. */
export interface StartNotice {
  /** Fields of the line that programs read. */
  readonly json?: Readonly<Record<string, string>>;
  /** A line of the summary for people. */
  readonly line?: { readonly label: string; readonly text: string };
  /** What people are told first of all, right after the summary. */
  readonly lead?: string;
  /** What people are told after it. */
  readonly paragraph?: string;
}
