/** What the agent tools stand on: one service for each noun, made here in the order in which they need one another. */
import type { AgentPermissions } from '../permissions/permissions.ts';
import { createPermissions } from '../permissions/permissions.ts';
import { publishInboxNotices } from '../resources.ts';
import type { AgentHost } from '../toolset.ts';
import type { CodeServices } from './code-services.ts';
import { createCodeServices } from './code-services.ts';
import type { LaterServices } from './later-services.ts';
import { createLaterServices } from './later-services.ts';
import type { Messages } from './messages/messages.ts';
import { createMessages } from './messages/messages.ts';
import { workByMessage } from './messages/work-by-message.ts';
import type { AgentOptions } from './options.ts';
import type { Outside } from './outside/index.ts';
import { createOutside } from './outside/index.ts';
import type { OwnerLine } from './owner/index.ts';
import { createOwnerLine } from './owner/index.ts';
import type { RecordServices } from './record-services.ts';
import { createRecordServices } from './record-services.ts';
import { sweepOld } from './retention.ts';
import type { RunningServices } from './running-services.ts';
import { createRunningServices } from './running-services.ts';
import { createSessions } from './sessions/sessions.ts';
import type { StandingServices } from './standing-services.ts';
import { createStandingServices } from './standing-services.ts';

export interface AgentServices
  extends
    Pick<StandingServices, 'agents' | 'bundles' | 'callers' | 'plugins' | 'projects' | 'skills'>,
    Omit<RecordServices, 'violation'>,
    RunningServices,
    Pick<CodeServices, 'code' | 'work' | 'health'>,
    LaterServices {
  /** Web search, GitHub, and agents of other servers. */
  readonly outside: Outside;
  /** Questions and notifications to the owner. */
  readonly owner: OwnerLine;
  readonly permissions: AgentPermissions;
  readonly messages: Messages;
  /** Forgets what is old. */
  sweep(): Promise<void>;
}

/** Builds the services over the base of this process. */
export function createAgentServices(host: AgentHost, options: AgentOptions = {}): AgentServices {
  const { store, changes, onFault } = host;
  const { now = () => store.now(), session } = options;
  const { violation, ...record } = createRecordServices(host, now, options);
  const sessions = createSessions({ store, now, onFault });
  const born = [record.chain.born, record.credits.born];
  const { tools, toolNamed, ...standing } = createStandingServices(host, now, { ...options, sessions, born });
  const { agents, callers, plugins, projects } = standing;
  const running = createRunningServices(host, now, { ...options, sessions, callers });
  const { runs } = running;
  const {
    measure,
    close: closeCode,
    ...coding
  } = createCodeServices(host, now, { ...options, projects, runs, violation });
  const { work } = coding;
  const ownWork = options.createWorkTask ?? (work && workByMessage(work));
  const messages = createMessages({
    store,
    now,
    changes,
    onFault,
    agents,
    runs,
    credits: options.messageCredits ?? record.credits,
    createWorkTask: session?.createWorkTask ?? (() => ownWork),
  });
  const owner = createOwnerLine(host, now, record.reputation);
  const outside = createOutside(
    { host, agents, callers, deliver: messages.fromOutside, now },
    {
      recordViolation: ({ organizationId, agentId, kind, detail }) =>
        violation({ organizationId, agentId }, kind, detail),
      ...(runs.runner !== undefined && { runner: runs }),
      ...options.outside,
    },
  );
  const later = createLaterServices(host, now, {
    ...record,
    agents,
    callers,
    messages,
    outside,
    projects,
    runs,
    work,
    measure,
    notifyOwner: options.notifyOwner ?? owner.notifications.tell,
    ...(options.actions && { actions: options.actions }),
  });
  const stopNotices = publishInboxNotices(store, changes);
  host.onStop(async () => {
    stopNotices();
    await runs.close();
    await messages.close();
    await closeCode();
    await plugins.close();
  });
  const services: AgentServices = {
    ...standing,
    ...record,
    ...running,
    ...coding,
    ...later,
    messages,
    outside,
    owner,
    permissions: createPermissions({ store, callers, tools, toolNamed }, () => services),
    sweep: () => sweepOld(host, now()),
  };
  return services;
}
