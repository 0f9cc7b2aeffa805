/** The line from an agent to its owner: questions, notifications, and the channels that carry them. */
import { createChannels } from '../../adapters/channels/index.ts';
import type { AgentHost } from '../../toolset.ts';
import { deniedBy } from '../outside/github.ts';
import type { Reputation } from '../reputation/reputation.ts';
import type { OwnerChannels } from './channels.ts';
import { createOwnerChannels } from './channels.ts';
import { deliverKind } from './deliver.ts';
import type { Notifications } from './notifications.ts';
import { createNotifications } from './notifications.ts';
import type { OwnerParts } from './parts.ts';
import { pollKind } from './poll.ts';
import type { Questions } from './questions.ts';
import { createQuestions } from './questions.ts';

export interface OwnerLine {
  readonly questions: Questions;
  readonly notifications: Notifications;
  readonly channels: OwnerChannels;
}

type LineHost = Pick<
  AgentHost,
  'store' | 'identity' | 'tasks' | 'events' | 'egress' | 'settings' | 'onFault'
>;

export function createOwnerLine(
  host: LineHost,
  now: () => number,
  conduct: Pick<Reputation, 'recordViolation'>,
): OwnerLine {
  const { store, identity, tasks, events, egress, settings, onFault } = host;
  const parts: OwnerParts = {
    store,
    identity,
    tasks,
    events,
    channels: createChannels(egress, settings, now, deniedBy(settings.githubDeny ?? [])),
    conduct,
    now,
    onFault,
  };
  tasks.register(deliverKind(parts));
  tasks.register(pollKind(parts));
  return {
    questions: createQuestions(parts),
    notifications: createNotifications(parts),
    channels: createOwnerChannels(parts),
  };
}
