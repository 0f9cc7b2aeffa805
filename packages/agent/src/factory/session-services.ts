/** The services of one session: those on its store, with what the session brings in their place. */
import { ToolError } from '@parley/kit';
import type { AgentServices } from '../services/index.ts';
import type { OwnerLine } from '../services/owner/index.ts';
import { createOutside } from '../services/outside/index.ts';
import type { Sessions } from '../services/sessions/sessions.ts';
import { clampMinutes, noTimer, sessionOver } from '../services/sessions/sessions.ts';
import type { McpToolContext } from './context.ts';
import { sessionNow } from './current.ts';
import type { OnStore } from './on-store.ts';
import { servicesOn } from './on-store.ts';

const MINUTE_MS = 60_000;
const made = new WeakMap<McpToolContext, { readonly on: OnStore; readonly services: AgentServices }>();

/** Made once for each context, and again when what its store had was closed. */
export function sessionServices(ctx: McpToolContext): AgentServices {
  const on = servicesOn(ctx.store);
  const known = made.get(ctx);
  if (known?.on === on) return known.services;
  const services = build(ctx, on);
  made.set(ctx, { on, services });
  return services;
}

function build(ctx: McpToolContext, { services: own, host }: OnStore): AgentServices {
  const { store } = ctx;
  const scorer = instead(own.reputation, ctx.reputationScorer, 'reputationScorer', ['check', 'levels']);
  const attesting = instead(scorer, ctx.reputationAttestation, 'reputationAttestation', ['publish']);
  const { agents, callers, messages } = own;
  return {
    ...own,
    work: ctx.workTaskService ? only(ctx.workTaskService) : undefined,
    code: ctx.astParserService ? only(ctx.astParserService) : undefined,
    messages: instead(messages, ctx.agentMessenger, 'agentMessenger', ['send', 'follow', 'reach']),
    agents: instead(agents, ctx.agentDirectory, 'agentDirectory', ['list']),
    credits: instead(own.credits, ctx.accountService, 'accountService', [
      'check',
      'grant',
      'config',
      'configure',
    ]),
    schedules: instead(own.schedules, ctx.schedulerService, 'schedulerService'),
    workflows: instead(own.workflows, ctx.workflowService, 'workflowService'),
    reputation: instead(attesting, ctx.reputationVerifier, 'reputationVerifier', ['verify']),
    outside: createOutside(
      {
        host: { ...host, settings: { remoteAgents: ctx.remoteAgents ? 'on' : 'off' } },
        agents,
        callers,
        deliver: messages.fromOutside,
        now: sessionNow,
      },
      {
        recordViolation: ({ agentId, kind, detail }) =>
          store.transaction((tx) => own.reputation.recordViolation(tx, agentId, kind, detail)),
        ...(ctx.searchProvider && { searchProvider: ctx.searchProvider }),
        ...(ctx.github && { github: ctx.github }),
        ...(ctx.remoteAgents && { remoteAgents: ctx.remoteAgents }),
      },
    ),
    owner: told(ctx, {
      questions: instead(own.owner.questions, ctx.ownerQuestionManager, 'ownerQuestionManager', [
        'ask',
        'ended',
        'over',
        'withdraw',
        'now',
      ]),
      notifications: instead(own.owner.notifications, ctx.notificationService, 'notificationService', [
        'notify',
      ]),
      channels: instead(own.owner.channels, ctx.questionDispatcher, 'questionDispatcher'),
    }),
    sessions: { ...own.sessions, extend: extending(ctx) },
  };
}

/** A service that has no more than what it was given; conditions of tools ask only whether it is there. */
function only<Service extends object>(given: object): Service {
  // The tools call nothing else of it, which is what the type of the context asks for.
  return given as Service;
}

/** The service with the methods of the one that was given; null: those that it would have brought are refused. */
function instead<Service extends object>(
  own: Service,
  given: Partial<Service> | null | undefined,
  name: string,
  methods: readonly (keyof Service & string)[] = [],
): Service {
  if (given === undefined) return own;
  return new Proxy(own, {
    get(target, property) {
      if (given === null) {
        const isRefused = methods.length === 0 || methods.some((method) => method === property);
        if (isRefused) return () => refuse(name);
      } else if (property in given) return bound(given, property);
      return bound(target, property);
    },
  });
}

function bound(from: object, property: PropertyKey): unknown {
  const value: unknown = Reflect.get(from, property);
  return typeof value === 'function' ? value.bind(from) : value;
}

function refuse(name: string): never {
  throw new ToolError('unavailable', `This session has no ${name}: it is switched off.`);
}

/** The line to the owner; the program that runs the session hears what goes over it. */
function told({ broadcastOwnerMessage: tell }: McpToolContext, line: OwnerLine): OwnerLine {
  if (tell === undefined) return line;
  const { questions, notifications } = line;
  return {
    ...line,
    questions: instead(
      questions,
      {
        async ask(of, asked) {
          const open = await questions.ask(of, asked);
          const { question, options, context } = asked;
          const deadline = new Date(open.deadlineAt).toISOString();
          tell({ type: 'question', id: open.id, agentId: of.agentId, question, options, context, deadline });
          return open;
        },
      },
      'ownerQuestionManager',
    ),
    notifications: instead(
      notifications,
      {
        async notify(of, notice) {
          const sent = await notifications.notify(of, notice);
          const { level, title, message } = notice;
          tell({ type: 'notification', id: sent.id, agentId: of.agentId, level, title, message });
          return sent;
        },
      },
      'notificationService',
    ),
  };
}

/** The timer of the program that runs the session. */
function extending({ extendTimeout }: McpToolContext): Sessions['extend'] {
  return async (_acting, minutes) => {
    if (extendTimeout === undefined) throw noTimer();
    const granted = clampMinutes(minutes);
    if (!(await extendTimeout(granted * MINUTE_MS))) throw sessionOver();
    return {
      granted_minutes: granted,
      ends_at: new Date(sessionNow() + granted * MINUTE_MS).toISOString(),
    };
  };
}
