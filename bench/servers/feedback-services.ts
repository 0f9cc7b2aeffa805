/** Feedback with many posts as a bench process: its services are timed in here, and REST is open for the outside. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { createEvents, eventMigrations } from '@parley/events';
import { createEgress } from '@parley/kit/egress';
import { createFeedbackServices, createRestRoutes, feedbackMigrations } from '@parley/feedback';
import { createIdentity, identityMigrations } from '@parley/identity';
import { createChangeBus, detach } from '@parley/kit';
import { openStore } from '@parley/store';
import { createTaskEngine, taskMigrations } from '@parley/tasks';
import { sql } from 'kysely';
import type { FeedbackTables } from '../../packages/feedback/src/schema.ts';
import { restPath, timeDeepPages, timeQueries } from './feedback-queries.ts';
import type { PostQuery } from './feedback-queries.ts';
import { fillPeople, fillPosts, skewed } from './feedback-rows.ts';
import type { Ground } from './feedback-rows.ts';
import { queryOf, seededRandom, vocabulary } from './feedback-text.ts';
import { announce } from './serving.ts';

const { values } = parseArgs({
  options: { data: { type: 'string', default: '' }, 'database-url': { type: 'string' } },
});
const databaseUrl = values['database-url'];
const onFault = (error: unknown) => {
  process.stderr.write(`${String(error)}\n`);
};

const store = await openStore({ dataDir: values.data, ...(databaseUrl !== undefined && { databaseUrl }) });
await store.migrate([identityMigrations, taskMigrations, eventMigrations, feedbackMigrations]);
const identity = createIdentity(store);
let ownerKey = '';
await identity.bootstrap(async (text) => {
  ownerKey = text;
});
const tasks = createTaskEngine({ store, onFault });
const events = createEvents({ store, tasks, egress: createEgress(), onFault });
const services = createFeedbackServices({
  store,
  identity,
  events,
  tasks,
  changes: createChangeBus(),
  onFault,
});
const owner = await identity.authenticate(ownerKey, 'key');
if (owner === undefined) throw new Error('The owner key of the bench does not work.');
const actor = await services.actor(owner);
const { organizationId } = actor;

const [rest] = createRestRoutes(services, {
  names: { hosts: [], origins: [] },
  ratePerMinute: 100_000_000,
});
const serve = async (req: IncomingMessage, res: ServerResponse) => rest?.handle(req, res);
const server = createServer((req, res) => detach(serve(req, res), onFault)).listen(0, '127.0.0.1');
await once(server, 'listening');
// a listening TCP server has a port
const { port } = server.address() as AddressInfo;

const random = seededRandom(9);
const words = vocabulary(random);
const statuses = await services.statuses.list(actor);
let ground: Ground | undefined;
let voters = 0;

function requireGround(): Ground {
  if (ground === undefined) throw new Error('Send "fill N" first.');
  return ground;
}

/** Writes so many posts on ten boards by two thousand people. */
async function fill(count: number): Promise<object> {
  const startedMs = performance.now();
  const boardIds: string[] = [];
  for (let index = 0; index < 10; index++)
    boardIds.push((await services.boards.create(actor, { name: `Board ${index}` })).id);
  const tagIds: string[] = [];
  for (let index = 0; index < 30; index++)
    tagIds.push((await services.tags.create(actor, { name: `Tag ${index}` })).id);
  const people = await fillPeople(store, organizationId, 2000);
  ground = { organizationId, boardIds, tagIds, people, statusIds: statuses.map(({ id }) => id) };
  await fillPosts(store, ground, { count, words, random });
  // what the database does by itself after a while; the measurement must not depend on when
  await sql.raw(store.engine === 'postgres' ? 'vacuum analyze' : 'pragma optimize').execute(store.db());
  const listed = (await services.posts.list(actor, { limit: 1 })).total;
  return { listed, seconds: Math.round((performance.now() - startedMs) / 1000) };
}

/** Half of all queries have a board or a status. */
function filter(): Pick<PostQuery, 'boardId' | 'status'> {
  const lot = random();
  if (lot < 0.25) return { boardId: skewed(requireGround().boardIds, random) };
  if (lot < 0.5) return { status: skewed(statuses, random).slug };
  return {};
}

function sort(): PostQuery['sort'] {
  const lot = random();
  return lot < 0.6 ? 'newest' : lot < 0.9 ? 'votes' : 'oldest';
}

const searches = (count: number) =>
  Array.from({ length: count }, (): PostQuery => ({
    search: queryOf(words, random),
    ...filter(),
    sort: sort(),
    limit: 20,
  }));
const lists = (count: number) =>
  Array.from({ length: count }, (): PostQuery => ({ ...filter(), sort: sort(), limit: 20 }));

type VoteTables = Pick<FeedbackTables, 'feedback_posts' | 'feedback_votes'>;

/** Posts with the number of votes that they show and that they have. */
async function countedPosts(count: number) {
  const rows = await store
    .db<VoteTables>()
    .selectFrom('feedback_posts as post')
    .select(({ selectFrom, fn }) => [
      'post.id',
      'post.vote_count as shown',
      selectFrom('feedback_votes as vote')
        .select(fn.countAll<number | string>().as('votes'))
        .whereRef('vote.organization_id', '=', 'post.organization_id')
        .whereRef('vote.post_id', '=', 'post.id')
        .as('votes'),
    ])
    .where('post.organization_id', '=', organizationId)
    .where('post.state', '=', 'listed')
    .orderBy('post.created_at', 'desc')
    .limit(count)
    .execute();
  return rows.map(({ id, shown, votes }) => ({ id, missing: shown - Number(votes) }));
}

/** Votes by different people, some of them at the same time; afterwards every count must have grown by its votes. */
async function vote(count: number): Promise<object> {
  const { people } = requireGround();
  const posts = await countedPosts(400);
  const ballots = Array.from({ length: count }, (_, index) => ({
    post: posts[index % posts.length]!,
    person: people[(voters + Math.floor(index / posts.length)) % people.length]!,
  }));
  let next = 0;
  const keepVoting = async () => {
    for (let ballot = ballots[next++]; ballot !== undefined; ballot = ballots[next++]) {
      const voter = { ...actor, ...ballot.person, rank: 'user' as const };
      await services.votes.set(voter, ballot.post.id, true);
    }
  };
  const startedMs = performance.now();
  await Promise.all(Array.from({ length: 16 }, keepVoting));
  const seconds = (performance.now() - startedMs) / 1000;
  voters += Math.ceil(count / posts.length);
  const after = new Map((await countedPosts(400)).map(({ id, missing }) => [id, missing]));
  const wrong = posts.filter(({ id, missing }) => after.get(id) !== missing).length;
  return { perSecond: Math.round(count / seconds), wrong };
}

announce(
  { url: `http://127.0.0.1:${port}/api/v1`, key: ownerKey },
  {
    async close() {
      server.closeAllConnections();
      server.close();
      await rest?.close();
      await services.close();
      identity.close();
      await store.close();
    },
    commands: {
      fill: (count) => fill(Number(count)),
      search: async (count) => timeQueries(services, actor, searches(Number(count))),
      list: async (count) => timeQueries(services, actor, lists(Number(count))),
      deep: async (count) =>
        timeDeepPages(services, actor, [{}, { sort: 'votes' }, filter(), filter()], Number(count)),
      vote: (count) => vote(Number(count)),
      searchPaths: (count) => ({ paths: searches(Number(count)).map(restPath) }),
      listPaths: (count) => ({ paths: lists(Number(count)).map(restPath) }),
      votePaths: async (count) => ({
        paths: (await countedPosts(Number(count))).map(({ id }) => `/posts/${id}/vote`),
      }),
    },
  },
);
