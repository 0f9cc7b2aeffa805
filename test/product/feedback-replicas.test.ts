/** Feedback on two replicas over one PostgreSQL: 2,000 votes and comments at once, and every count is exact. */
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { createIdentity } from '@parley/identity';
import { ALL_GRANTS } from '@parley/kit';
import { openStore } from '@parley/store';
import { scratchDatabase } from '@parley/store/testing';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { ensureBuilt } from './build.ts';
import type { Server } from './parley.ts';
import { startParley } from './parley.ts';

const POSTS = 20;
const MEMBERS = 25;
const COMMENTS = 1000;
const AT_ONCE = 32;

beforeAll(ensureBuilt);

interface Answer {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- the test knows what it asked for
  readonly json: any;
}

const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });

/** One request; node:http keeps its connections, which fetch does not promise. */
function call(
  { url, key }: { url: string; key: string },
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const sent = request(`${url}/api/v1${path}`, { method, agent, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: answer.statusCode ?? 0, json: text === '' ? undefined : JSON.parse(text) });
      });
    });
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Works off a list with so many at once. */
async function together(work: readonly (() => Promise<void>)[]): Promise<void> {
  const queue = work.values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const each of queue) await each();
    }),
  );
}

async function startReplicas(): Promise<{ replicas: Server[]; key: string; members: string[] }> {
  const database = await scratchDatabase('postgres');
  onTestFinished(() => database.remove());
  const env = { PARLEY_SECRET_KEY: Buffer.alloc(32, 7).toString('base64url') };
  const args = ['--database-url', database.options.databaseUrl ?? '', '--api-rate', '1000000'];
  const replicas: Server[] = [];
  for (const name of ['one', 'two']) {
    replicas.push(await startParley(join(database.options.dataDir, name), { args, env }));
  }
  onTestFinished(async () => {
    agent.destroy();
    await Promise.all(replicas.map((server) => server.stop()));
  });
  const key = replicas[0]?.key ?? '';
  const store = await openStore({ ...database.options, secretKey: env.PARLEY_SECRET_KEY });
  const identity = createIdentity(store);
  const owner = await identity.authenticate(key, 'key');
  if (owner === undefined) throw new Error('The owner key is not accepted.');
  const members: string[] = [];
  for (let index = 0; index < MEMBERS; index += 1) {
    const userId = await identity.ensureUser({ email: `p${index}@example.com`, name: `Person ${index}` });
    const id = await identity.addMember({ ...owner, grants: ALL_GRANTS }, { userId, roles: ['user'] });
    members.push(id.replace('mem_', 'member_'));
  }
  identity.close();
  await store.close();
  return { replicas, key, members };
}

test('counts are exact after 2,000 votes and comments through both', { timeout: 240_000 }, async () => {
  const { replicas, key, members } = await startReplicas();
  const at = (index: number) => ({ url: replicas[index % 2]?.url ?? '', key });
  const board = await call(at(0), 'POST', '/boards', { name: 'Ideas' });
  const posts: string[] = [];
  for (let index = 0; index < POSTS; index += 1) {
    const made = await call(at(index), 'POST', '/posts', {
      boardId: board.json.data.id,
      title: `Post ${index}`,
    });
    posts.push(made.json.data.id);
  }
  const failures: Answer[] = [];
  const expectStatus = (answer: Answer, status: number) => {
    if (answer.status !== status) failures.push(answer);
  };
  // Each vote goes to both replicas, and must count once.
  const votes = posts.flatMap((post) =>
    members.flatMap((memberId) =>
      [0, 1].map((replica) => async () => {
        expectStatus(await call(at(replica), 'POST', `/posts/${post}/vote/proxy`, { memberId }), 200);
      }),
    ),
  );
  const comments = Array.from({ length: COMMENTS }, (_, index) => async () => {
    const post = posts[index % POSTS] ?? '';
    expectStatus(
      await call(at(index), 'POST', `/posts/${post}/comments`, { content: `Comment ${index}` }),
      201,
    );
  });
  const mixed = votes.flatMap((vote, index) => [vote, ...comments.slice(index, index + 1)]);
  expect(mixed).toHaveLength(2000);
  await together(mixed);
  expect(failures.slice(0, 3)).toEqual([]);
  for (const [index, post] of posts.entries()) {
    const { json } = await call(at(index), 'GET', `/posts/${post}`);
    const voters = await call(at(index + 1), 'GET', `/posts/${post}/voters?limit=1`);
    const tree = await call(at(index), 'GET', `/posts/${post}/comments`);
    expect([json.data.voteCount, json.data.commentCount]).toEqual([MEMBERS, COMMENTS / POSTS]);
    expect(voters.json.meta.pagination.total).toBe(MEMBERS);
    expect(new Set(tree.json.data.map(({ content }: { content: string }) => content)).size).toBe(
      COMMENTS / POSTS,
    );
  }
});
