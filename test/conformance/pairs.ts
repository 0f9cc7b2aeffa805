/** What must pass through the gateway, for each pair of eras; written down, so that nothing shrinks unseen. */
import type { Revision } from './requirements.ts';
import type { UpstreamEra } from './through.ts';

/** A client of one era and a server of another, with the gateway between them. */
export interface Pair {
  readonly client: Revision;
  readonly upstream: UpstreamEra;
  /** Required checks that pass; the rest are the exceptions. */
  readonly passed: number;
  /** Checks that this pair cannot express, by scenario and check, each with its reason. */
  readonly exceptions: Readonly<Record<string, string>>;
}

export const PAIRS: readonly Pair[] = [
  { client: '2025-11-25', upstream: '2025', passed: 70, exceptions: {} },
  { client: '2025-11-25', upstream: '2026', passed: 70, exceptions: {} },
  { client: '2026-07-28', upstream: '2025', passed: 120, exceptions: {} },
  { client: '2026-07-28', upstream: '2026', passed: 120, exceptions: {} },
];
