/** Fills an empty feedback with the demo: through the services, at times of the past, in one transaction. */
import type { Events } from '@parley/events';
import type { Identity } from '@parley/identity';
import { createIdentity } from '@parley/identity';
import { createChangeBus, ToolError } from '@parley/kit';
import type { Queryable, Store, StoreTransaction } from '@parley/store';
import type { TaskEngine } from '@parley/tasks';
import type { Actor } from '../actor.ts';
import type { FeedbackTables } from '../schema.ts';
import type { FeedbackServices } from '../services/index.ts';
import { createFeedbackServices } from '../services/index.ts';
import { createChance } from './chance.ts';
import { BOARDS, ROADMAPS, TAGS } from './data/nouns.ts';
import { DAY_MS, SPAN_DAYS } from './dates.ts';
import { fillQueue, leaveUnread } from './inbox.ts';
import { createCast, team } from './people.ts';
import { readPosts } from './post-text.ts';
import { demoTexts } from './texts.ts';
import { writeScript } from './script.ts';
import type { Stage } from './stage.ts';
import { storeWithin } from './store-within.ts';

/** What the demo is played on; the same that the services stand on. */
export interface DemoHost {
  readonly store: Store;
  readonly identity: Identity;
  readonly events: Events;
  readonly tasks: TaskEngine;
  readonly onFault: (error: unknown, where: string) => void;
}

const SEED = 4680;

/**
 * Seeds the first organization and publishes its pages; returns false when it has or had boards, and changes nothing.
 * The services have to be there already: they run what the demo schedules.
 */
export async function seedDemo(host: DemoHost, now: number = Date.now()): Promise<boolean> {
  const organizationId = await host.identity.firstOrganizationId();
  if (await hasBoards(host.store, organizationId)) return false;
  try {
    return await host.store.transaction((tx) => play(host, tx, { organizationId, now }));
  } catch (error) {
    // Another replica was quicker.
    const isLate = error instanceof ToolError && error.code === 'conflict';
    if (isLate && (await hasBoards(host.store, organizationId))) return false;
    throw error;
  }
}

async function hasBoards(from: Queryable, organizationId: string): Promise<boolean> {
  const found = await from
    .db<FeedbackTables>()
    .selectFrom('feedback_boards')
    .select('id')
    .where('organization_id', '=', organizationId)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

async function play(
  host: DemoHost,
  tx: StoreTransaction,
  { organizationId, now }: { organizationId: string; now: number },
): Promise<boolean> {
  const clock = { at: now - (SPAN_DAYS + 21) * DAY_MS };
  const read = () => Math.round(clock.at);
  const store = storeWithin(host.store, tx);
  const identity = createIdentity(store, { now: read });
  const services = createFeedbackServices({
    store,
    identity,
    events: host.events,
    // What is scheduled is run by the services that stay, not by these, whose clock stands still afterwards.
    tasks: { ...host.tasks, register: () => undefined },
    changes: createChangeBus(),
    onFault: host.onFault,
    now: read,
  });
  try {
    const owner = await ownerOf(services.identity, organizationId);
    const stage = await build(services, owner, () => (clock.at += 60_000));
    for (const deed of writeScript(demoTexts.flatMap(readPosts), now, createChance(SEED))) {
      clock.at = deed.at;
      await deed.run(stage);
    }
    await fillQueue(stage, now, (at) => (clock.at = at));
    clock.at = now;
    await leaveUnread(tx, owner, now);
    await services.settings.update(stage.cast.actor(team[0] ?? ''), { isPublished: true });
    return true;
  } finally {
    await services.close();
    identity.close();
  }
}

async function ownerOf(identity: Identity, organizationId: string): Promise<Actor> {
  const owner = (await identity.listMembers(organizationId)).find(({ roles }) => roles.includes('owner'));
  if (owner === undefined) throw new Error('The organization has no owner.');
  const { id: memberId, userId } = owner;
  return { organizationId, memberId, userId, rank: 'admin', agentName: null, mayList: [] };
}

/** Boards, tags and roadmaps, before anybody posts. */
async function build(services: FeedbackServices, actor: Actor, tick: () => void): Promise<Stage> {
  const { identity } = services;
  const { organizationId, userId } = actor;
  // Makes the statuses that every organization begins with.
  await services.settings.update(actor, { isPublished: false });
  const found = await services.statuses.list(actor);
  const roadmaps: string[] = [];
  for (const roadmap of ROADMAPS) roadmaps.push((await services.roadmaps.create(actor, roadmap)).id);
  const [main = '', mobile = ''] = roadmaps;
  return {
    services,
    cast: createCast(identity, organizationId, userId),
    boards: await eachOf(BOARDS, (board) => {
      // One after the other, so that lists keep the order in which they stand here.
      tick();
      return services.boards.create(actor, board);
    }),
    tags: await eachOf(TAGS, (tag) => services.tags.create(actor, tag)),
    statuses: new Map(found.map(({ slug, id }) => [slug, id])),
    roadmaps: [main, mobile],
    posts: new Map(),
    comments: new Map(),
  };
}

/** Makes each of some things, and returns their ids by the same keys. */
async function eachOf<Key extends string, Input>(
  inputs: Readonly<Record<Key, Input>>,
  make: (input: Input) => Promise<{ id: string }>,
): Promise<Record<Key, string>> {
  const ids: Partial<Record<Key, string>> = {};
  // The keys of the inputs are the keys that its type names.
  for (const key of Object.keys(inputs) as Key[]) ids[key] = (await make(inputs[key])).id;
  // Every key was just filled.
  return ids as Record<Key, string>;
}
