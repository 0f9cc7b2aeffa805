/** What must pass through the gateway, for each pair of eras; written down, so that nothing shrinks unseen. */
import type { Revision } from './requirements.ts';
import type { UpstreamEra } from './through.ts';

/** A client of one era and a server of another, with the gateway between them. */
export interface Pair {
  readonly client: Revision;
  readonly upstream: UpstreamEra;
  /** Required checks that pass; the rest are the exceptions. */
  readonly passed: number;
  /** Required checks that run; some run only after others have passed. Absent: all of them. */
  readonly total?: number;
  /** Checks that this pair cannot express, by scenario and check, each with its reason. */
  readonly exceptions: Readonly<Record<string, string>>;
}

export const PAIRS: readonly Pair[] = [
  { client: '2025-11-25', upstream: '2025', passed: 70, exceptions: {} },
  { client: '2025-11-25', upstream: '2026', passed: 70, exceptions: {} },
  {
    client: '2026-07-28',
    upstream: '2025',
    passed: 115,
    total: 119,
    exceptions: {
      'server-stateless sep-2575-server-rejects-undeclared-capability':
        'A server of the 2025 revisions asks in the middle of a call. What it will ask is not known before it runs, so the question is declined to it and its own answer is passed on.',
      'server-stateless sep-2575-missing-capability-http-400': 'The same: there is no such refusal.',
      'input-required-result-basic-elicitation sep-2322-elicitation-incomplete':
        'A question of a 2025 server has no key; the gateway gives it one of its own.',
      'input-required-result-ignore-extra-params sep-2322-ignore-unexpected-params':
        'Answers cannot be brought along before a 2025 server has asked: it waits for them in the middle of its call.',
    },
  },
  { client: '2026-07-28', upstream: '2026', passed: 120, exceptions: {} },
];
