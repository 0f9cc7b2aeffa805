/** Feedback over a fresh database, with a team and a visitor in it, for the tests of this package. */
import type { CloudEvent, Events } from '@parley/events';
import type { Egress } from '@parley/kit/egress';
import { createEvents, eventMigrations } from '@parley/events';
import { createEgress } from '@parley/kit/egress';
import type { Identity, Rank } from '@parley/identity';
import { createIdentity, identityMigrations, roleDefaultsOf } from '@parley/identity';
import type { Caller, ChangeBus } from '@parley/kit';
import { ALL_GRANTS, createChangeBus, ToolError, typeId } from '@parley/kit';
import { testCaller } from '@parley/kit/testing';
import type { Store } from '@parley/store';
import { fromJson } from '@parley/store';
import type { TaskEngine, TaskLimits } from '@parley/tasks';
import { createTaskEngine, taskMigrations } from '@parley/tasks';
import type { Actor } from '../actor.ts';
import { fromIdentityId } from '../ids.ts';
import { feedbackMigrations } from '../migrations/index.ts';
import { FEEDBACK_EVENTS } from '../events.ts';
import type { FeedbackTables } from '../schema.ts';
import type { FeedbackServices } from '../services/index.ts';
import { createFeedbackServices } from '../services/index.ts';
import type { Base } from '../services/write.ts';
import { feedbackToolset } from '../toolset.ts';

/** Somebody in the organization. */
export interface TestPerson {
  readonly caller: Caller;
  readonly actor: Actor;
  /** The member id as surfaces show it. */
  readonly memberId: string;
  readonly userId: string;
}

/** One organization with feedback, and everything it stands on. */
export interface TestFeedback {
  readonly store: Store;
  readonly services: FeedbackServices;
  /** For tests of one service alone. */
  readonly base: Base;
  readonly identity: Identity;
  readonly tasks: TaskEngine;
  readonly events: Events;
  readonly changes: ChangeBus;
  readonly organizationId: string;
  readonly admin: Actor;
  readonly member: Actor;
  readonly visitor: Actor;
  readonly callers: { readonly admin: Caller; readonly member: Caller; readonly visitor: Caller };
  /** Puts one more person into the organization. */
  join(rank: Rank, name?: string): Promise<TestPerson>;
  /** A board without posts; returns its id. */
  board(): Promise<string>;
  /** A listed post on a board, a new one by default; returns its id. */
  post(input?: { title?: string; boardId?: string; by?: Actor }): Promise<string>;
  /** The events of the organization so far, oldest first. */
  published(): Promise<Pick<CloudEvent, 'type' | 'subject' | 'data'>[]>;
}

/** What a test may choose. */
export interface TestFeedbackOptions {
  readonly now?: () => number;
  readonly egress?: Egress;
  /** Differs when a test has two organizations on one store. */
  readonly slug?: string;
  /** What the organization is called; its slug by default. */
  readonly name?: string;
  readonly taskLimits?: Partial<TaskLimits>;
}

/** Migrates the store and puts an organization with feedback on it. */
export async function openFeedback(store: Store, options: TestFeedbackOptions = {}): Promise<TestFeedback> {
  const { now = Date.now, egress = createEgress(), slug = 'acme', name = slug } = options;
  const onFault = (error: unknown) => {
    throw error;
  };
  await store.migrate([identityMigrations, taskMigrations, eventMigrations, feedbackMigrations]);
  const identity = createIdentity(store, { now, roleDefaults: roleDefaultsOf([feedbackToolset]) });
  const tasks = createTaskEngine({ store, now, onFault, limits: options.taskLimits ?? {} });
  const events = createEvents({ store, tasks, egress, onFault, now });
  const changes = createChangeBus();
  const services = createFeedbackServices({ store, identity, events, tasks, changes, onFault, now });
  const { organizationId, admin, member, visitor, join } = await settle(services, slug, name);
  const board = () => insertBoard(store, organizationId, now());
  let shared: Promise<string> | undefined;
  return {
    store,
    services,
    base: { store, identity, events, tasks, now },
    identity,
    tasks,
    events,
    changes,
    organizationId,
    admin: admin.actor,
    member: member.actor,
    visitor: visitor.actor,
    callers: { admin: admin.caller, member: member.caller, visitor: visitor.caller },
    join,
    board,
    async post({ title = 'Dark mode', boardId, by = member.actor } = {}) {
      if (boardId === undefined) shared ??= board();
      const made = await services.posts.create(by, { title, boardId: boardId ?? (await shared) ?? '' });
      return made.id;
    },
    published: () => storedEvents(store, organizationId),
  };
}

/** Founds the organization and puts one person of each rank into it. */
async function settle(services: FeedbackServices, slug: string, name: string) {
  const { identity } = services;
  const owner = { name: 'Ada Admin', email: `ada@${slug}.example` };
  const made = await identity.createOrganization({ slug, name, owner });
  const founder = testCaller({ ...made, roles: ['owner'], grants: ALL_GRANTS });
  const personOf = async (userId: string): Promise<TestPerson> => {
    const key = { name: 'Key', grants: ALL_GRANTS, expiresAt: null };
    const { text } = await identity.createKey({ ...founder, userId }, key);
    const caller = await identity.authenticate(text, 'key');
    if (caller === undefined) throw new Error('The key of a new member is not accepted.');
    const actor = await services.actor(caller);
    return { caller, actor, memberId: fromIdentityId('member', actor.memberId), userId };
  };
  const join = async (rank: Rank, name = `A ${rank}`): Promise<TestPerson> => {
    const email = `${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '.')}@${slug}.example`;
    const userId = await identity.ensureUser({ email, name });
    await identity.addMember(founder, { userId, roles: [rank] });
    return personOf(userId);
  };
  return {
    organizationId: made.organizationId,
    admin: await personOf(made.userId),
    member: await join('member', 'Mia Member'),
    visitor: await join('user', 'Vic Visitor'),
    join,
  };
}

async function insertBoard(store: Store, organizationId: string, now: number): Promise<string> {
  const id = typeId('board', now);
  await store
    .db<FeedbackTables>()
    .insertInto('feedback_boards')
    .values({
      organization_id: organizationId,
      id,
      name: 'Ideas',
      slug: id.slice(-26),
      description: null,
      is_public: 1,
      settings: '{}',
      created_at: now,
      updated_at: now,
      deleted_at: null,
    })
    .execute();
  return id;
}

interface StoredEvents {
  events: { organization_id: string; seq: number; type: string; subject: string | null; data: string | null };
}

async function storedEvents(store: Store, organizationId: string) {
  const rows = await store
    .db<StoredEvents>()
    .selectFrom('events')
    .select(['type', 'subject', 'data'])
    .where('organization_id', '=', organizationId)
    .orderBy('seq')
    .execute();
  // Whoever looks at events also checks that they are in the form that their table declares.
  for (const { type, data } of rows) {
    const declared = FEEDBACK_EVENTS.find((event) => event.type === type);
    if (declared === undefined) throw new Error(`Nothing declares the event ${type}.`);
    declared.data.parse(fromJson<unknown>(data ?? 'null'));
  }
  return rows.map(({ type, subject, data }) => ({
    type,
    ...(subject !== null && { subject }),
    ...(data !== null && { data: fromJson<unknown>(data) }),
  }));
}

/** The code and the text of the fault that the work ends with. */
export async function refusalOf(work: Promise<unknown>): Promise<{ code: string; message: string }> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ToolError))
    throw new Error(`A tool error was expected, not ${String(error)}.`, { cause: error });
  return { code: error.code, message: error.message };
}
