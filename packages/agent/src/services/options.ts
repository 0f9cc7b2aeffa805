/** What a test, or a session of one process, may choose instead of what the settings say. */
import type { Runner } from '../adapters/runner/runner.ts';
import type { ProjectExists } from './agents.ts';
import type { CodeLimits } from './code/code-process.ts';
import type { CreateWorkTask, MessageCredits } from './messages/seams.ts';
import type { OutsideOptions } from './outside/index.ts';
import type { PluginsParts } from './plugins/plugins.ts';
import type { AgentCounts } from './reputation/counts.ts';
import type { ActionServices } from './schedules/actions.ts';
import type { NotifyOwner } from './schedules/parts.ts';
import type { RecordViolation } from './violations.ts';

/** What sessions of one process may each have of their own. */
export interface SessionParts {
  runner(): Runner | undefined;
  createWorkTask(): CreateWorkTask | undefined;
}

export interface AgentOptions {
  readonly now?: () => number;
  readonly outside?: OutsideOptions;
  /** Absent: there are no projects. */
  readonly projectExists?: ProjectExists;
  /** Runs agents instead of what the settings say. */
  readonly runner?: Runner;
  /** What messages cost, instead of what the accounts say. */
  readonly messageCredits?: MessageCredits;
  readonly createWorkTask?: CreateWorkTask;
  /** What the session brings whose call is under way, instead of what the settings say. */
  readonly session?: SessionParts;
  /** What work and sessions count for reputation. */
  readonly counts?: AgentCounts;
  /** What schedules and workflows do their work with. */
  readonly actions?: ActionServices;
  readonly notifyOwner?: NotifyOwner;
  readonly recordViolation?: RecordViolation;
  readonly codeLimits?: CodeLimits;
  readonly pluginTimes?: PluginsParts['times'];
  /** The folder of the project that an agent works on, instead of where its code lies. */
  readonly projectRootOf?: PluginsParts['projectRootOf'];
}
