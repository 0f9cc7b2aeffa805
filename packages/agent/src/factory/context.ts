/** The context object: all that a program says about one agent session that it runs itself. */
import type { Store } from '@parley/store';
import type { GitHub } from '../adapters/github/github.ts';
import type { RemoteAgents } from '../adapters/remote-agents/remote-agents.ts';
import type { Runner } from '../adapters/runner/runner.ts';
import type { SearchProvider } from '../adapters/search/search.ts';
import type { PermissionContext } from '../permissions/context-tools.ts';
import type { Agents } from '../services/agents.ts';
import type { Code } from '../services/code/code.ts';
import type { Credits } from '../services/credits/credits.ts';
import type { Messages } from '../services/messages/messages.ts';
import type { OwnerChannels } from '../services/owner/channels.ts';
import type { Notifications } from '../services/owner/notifications.ts';
import type { Questions } from '../services/owner/questions.ts';
import type { ProjectDirectory } from '../services/projects/directory.ts';
import type { Reputation } from '../services/reputation/reputation.ts';
import type { ActionType } from '../services/schedules/schema.ts';
import type { Schedules } from '../services/schedules/schedules.ts';
import type { WorkTasks } from '../services/work/work-tasks.ts';
import type { Workflows } from '../services/workflows/workflows.ts';

/** What an agent tells its owner, as it is broadcast. */
export type OwnerMessage =
  | {
      readonly type: 'notification';
      readonly id: string;
      readonly agentId: string;
      readonly level: string;
      readonly title?: string | undefined;
      readonly message: string;
    }
  | {
      readonly type: 'question';
      readonly id: string;
      readonly agentId: string;
      readonly question: string;
      readonly options?: readonly string[] | undefined;
      readonly context?: string | undefined;
      readonly deadline: string;
    };

/** A service of a session. Absent: the one on the store. Null: switched off, and its tools answer `unavailable`. */
type Given<Service> = Service | null | undefined;

/** Services that a session brings instead of those on its store. */
export interface GivenServices {
  readonly agentMessenger?: Given<Pick<Messages, 'send' | 'follow' | 'reach'>>;
  readonly agentDirectory?: Given<Pick<Agents, 'list'>>;
  readonly accountService?: Given<
    Pick<Credits, 'check' | 'grant' | 'config' | 'configure'> & Partial<Pick<Credits, 'charge' | 'refund'>>
  >;
  readonly schedulerService?: Given<Schedules>;
  readonly workflowService?: Given<Omit<Workflows, 'sweep'>>;
  /** Absent: there are no projects. */
  readonly projectDirectory?: Given<ProjectDirectory>;
  readonly ownerQuestionManager?: Given<Pick<Questions, 'ask' | 'ended' | 'over' | 'withdraw' | 'now'>>;
  readonly notificationService?: Given<Pick<Notifications, 'notify'>>;
  readonly questionDispatcher?: Given<OwnerChannels>;
  readonly reputationScorer?: Given<Pick<Reputation, 'check' | 'levels'>>;
  readonly reputationAttestation?: Given<Pick<Reputation, 'publish'>>;
  readonly reputationVerifier?: Given<Pick<Reputation, 'verify'>>;
}

/** Who acts, where its state lies, and what it works with. Only `agentId` and `store` have to be there. */
export interface McpToolContext extends PermissionContext, GivenServices {
  readonly store: Store;
  /** What the schedule that runs the session does; `log` is told. */
  readonly schedulerActionType?: ActionType | undefined;
  /** Absent: `corvid_create_work_task` is not there. */
  readonly workTaskService?: Pick<WorkTasks, 'create' | 'offered'> | null | undefined;
  /** Absent: `corvid_code_symbols` and `corvid_find_references` are not there. */
  readonly astParserService?: Pick<Code, 'symbols' | 'references'> | null | undefined;
  /** Absent, as with the next two: its tools answer `unavailable`. */
  readonly searchProvider?: SearchProvider | null | undefined;
  readonly github?: GitHub | null | undefined;
  readonly remoteAgents?: RemoteAgents | null | undefined;
  /** Absent: messages lie in inboxes until somebody looks. */
  readonly runner?: Runner | null | undefined;
  /** Moves the end of the session to so many milliseconds from now; false: it is over. Absent: there is no timer. */
  extendTimeout?(ms: number): boolean | Promise<boolean>;
  /** Is told what the agent begins to do. */
  emitStatus?(text: string): void;
  /** Is told what the owner is told, and asked, besides the console and the channels. */
  broadcastOwnerMessage?(message: OwnerMessage): void;
  /** Ends every call. Absent: none is ended. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds since 1970. Absent: the time of the system. */
  clock?(): number;
  /** Is told of faults whose details no client may see. Absent: nobody is. */
  log?(where: string, error: unknown): void;
}
