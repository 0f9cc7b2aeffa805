/** What a pass is: the counts that each revision's requirement set must reach. */

/** A revision that the referee has a requirement set for. */
export type Revision = '2025-11-25' | '2026-07-28';

/** The pass bar of one revision. */
export interface Requirement {
  readonly revision: Revision;
  /** Checks over all scored scenarios; fewer means that something was skipped. */
  readonly requiredChecks: number;
  /** Scenarios outside the score that must stay green, with their number of checks. */
  readonly keptGreen: Readonly<Record<string, number>>;
}

/** Both sets; each runs on its own wire, so one does not cover the other. */
export const REQUIREMENTS: readonly Requirement[] = [
  {
    revision: '2025-11-25',
    requiredChecks: 70,
    keptGreen: { 'json-schema-2020-12': 8, 'server-session-lifecycle': 3, 'server-sse-polling': 3 },
  },
  {
    revision: '2026-07-28',
    requiredChecks: 120,
    keptGreen: {
      'json-schema-2020-12': 8,
      'http-header-validation': 14,
      'http-custom-header-server-validation': 10,
    },
  },
];

/** The runnable scenarios of the tasks extension, with their number of checks; no requirement set scores them. */
export const TASK_SCENARIOS: Readonly<Record<string, number>> = {
  'tasks-lifecycle': 9,
  'tasks-capability-negotiation': 5,
  'tasks-wire-fields': 4,
  'tasks-request-state-removal': 3,
  'tasks-mrtr-input': 4,
  'tasks-request-headers': 5,
  'tasks-dispatch-and-envelope': 9,
  'tasks-required-task-error': 3,
  'tasks-mrtr-composition': 2,
};

/** The scenarios that a set scores for servers: the list under `server:` in the referee's own YAML. */
export function scoredScenarios(yaml: string): string[] {
  const lines = yaml.split('\n').map((line) => line.trimEnd());
  const start = lines.indexOf('server:');
  if (start === -1) throw new Error('The requirement file has no "server:" list; look at its new shape.');
  const scenarios: string[] = [];
  for (const line of lines.slice(start + 1)) {
    const item = /^\s+- (\S+)$/.exec(line);
    if (item?.[1] === undefined) break;
    scenarios.push(item[1]);
  }
  return scenarios;
}
