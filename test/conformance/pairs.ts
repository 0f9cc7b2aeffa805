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

/** The pair whose tasks are tried; all checks of their scenarios have to pass. */
export const TASK_PAIR = { client: '2026-07-28', upstream: '2026' } as const;

/** Why the other pairs have no tasks. */
export const NO_TASKS: Readonly<Record<string, string>> = {
  'any client, 2025 server':
    'Tasks are an extension of 2026-07-28. A server of the 2025 revisions gives none, and refuses to be asked for one: its calls are waited for.',
  '2025-11-25 client, 2026 server':
    'A client of the 2025 revisions cannot say that it follows tasks, so the gateway follows the task of the server and the client gets the result.',
};

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
