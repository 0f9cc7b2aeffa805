/** What schedules and workflows do their work with, as a test wants it: every deed is written down, and can be held or fail. */
import { ToolError } from '@parley/kit';
import type { ActionServices } from '../src/services/schedules/actions.ts';
import type { OwnerNotice } from '../src/services/schedules/parts.ts';
import type { Acting } from '../src/session.ts';
import type { BedOptions } from './agent-bed.ts';

/** One deed, in words, and who did it. */
export interface Deed {
  readonly what: string;
  readonly acting: Acting;
}

export interface ScriptedActions {
  readonly services: ActionServices;
  readonly deeds: Deed[];
  readonly notices: OwnerNotice[];
  /** What is done in words. */
  said(): string[];
  /** Runs before each deed; throws to let it fail. */
  script: (what: string, signal: AbortSignal) => Promise<void> | void;
}

export function scriptedActions(): ScriptedActions {
  const deeds: Deed[] = [];
  const done = new Set<string>();
  const act = async (acting: Acting, what: string, signal: AbortSignal) => {
    await scripted.script(what, signal);
    deeds.push({ what, acting });
  };
  const scripted: ScriptedActions = {
    deeds,
    notices: [],
    said: () => deeds.map(({ what }) => what),
    script: () => undefined,
    services: {
      github: {
        star: (acting, repo, signal) => act(acting, `star ${repo}`, signal),
        async fork(acting, repo, signal) {
          await act(acting, `fork ${repo}`, signal);
          return `me/${repo.split('/')[1]}`;
        },
      },
      workTasks: {
        async create(acting, { description, key }, signal) {
          // The same key means the same task.
          if (!done.has(key)) await act(acting, `work ${description}`, signal);
          done.add(key);
          return { id: 'work_1' };
        },
        state: async () => ({ status: 'completed', isOver: true, isCompleted: true, text: 'merged' }),
      },
      messages: {
        async send(acting, { to, text, thread = 'thread_1' }, signal) {
          await act(acting, `tell ${thread} ${to} ${text}`, signal);
          return { thread, status: 'replied', reply: `yes from ${to}` };
        },
      },
      runner: {
        async run(acting, { prompt }, signal) {
          await act(acting, `run ${prompt}`, signal);
          return { text: `did ${prompt}`, sessionId: 'ses_1' };
        },
      },
      memory: {
        async maintain(acting, signal) {
          await act(acting, 'memory', signal);
          return 'tidy';
        },
      },
      reputation: {
        async attest(acting, signal) {
          await act(acting, 'attest', signal);
          return 'attested';
        },
      },
    },
  };
  return scripted;
}

/** Fails every deed. */
export function failing(): never {
  throw new ToolError('conflict', 'It did not work.');
}

/** A bed on which tasks and events run, with these actions. */
export function actingBed(actions: ScriptedActions): BedOptions {
  const notifyOwner = async (notice: OwnerNotice) => {
    actions.notices.push(notice);
  };
  return {
    services: { actions: actions.services, notifyOwner },
    events: {},
    // Looks often, so that a turned clock is noticed soon.
    tasks: { takeoverMs: 40 },
  };
}
