/** Owns the tables about tasks: their limits and the tools of the toolset. */
import type { TaskLimits } from '@parley/tasks';
import { DEFAULT_TASK_LIMITS, tasksToolset } from '@parley/tasks';
import { code, markdownTable, readable } from './markdown.ts';

// Those that a caller or an operator meets; the rest is how the engine does its work.
const LIMITS = [
  ['runningPerOwner', 'tasks of one caller that run at once; the rest wait in turn'],
  ['runningPerOrganization', 'the same for an organization'],
  ['runningPerProcess', 'the same for a process; an organization never has all of it'],
  ['systemPerProcess', 'work of the system itself, such as webhooks, beside the tasks of callers'],
  ['systemPerOrganization', 'the same for an organization'],
  ['waitingPerOwner', 'tasks of one caller that may wait; beyond it `rate_limited`'],
  ['ttlMs', 'how long a task can be read, from its creation, unless its tool says otherwise'],
  ['keepFinishedMs', 'how long a task can be read after its end, at least'],
  ['answerMs', 'how long a question waits; then the tool gets `declined` with the reason `timeout`'],
  ['inputBytes', 'size of the input'],
  ['resultBytes', 'size of the result'],
  ['stepBytes', 'size of what one step returns'],
  ['steps', 'steps, sleeps and questions of one task'],
  ['leaseMs', 'how long a task stays with a process that does not move; then another takes it'],
  ['crashes', 'how often in a row a task may end its process before it is given up'],
  ['graceMs', 'how long a tool may ignore a cancel or a shutdown'],
] as const satisfies readonly (readonly [keyof TaskLimits, string])[];

/** The tables by the name in their markers. */
export const taskTables: Record<string, () => string> = {
  'task-tools': () =>
    markdownTable(
      ['tool', 'effect', 'what it does'],
      tasksToolset.tools.map((tool) => [code(tool.name), code(tool.effect), tool.description]),
    ),
  'task-limits': () =>
    markdownTable(
      ['limit', 'default', 'meaning'],
      LIMITS.map(([name, meaning]) => [code(name), readable(name, DEFAULT_TASK_LIMITS[name]), meaning]),
    ),
};
