/** Starts Parley on a folder of its own; a team and an agent work with feedback, and everything they did is looked at. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { work } from './agent.ts';
import type { Api, Post } from './team.ts';
import { openApi, workAsTeam } from './team.ts';

const launcher = join(import.meta.dirname, '../../apps/server/bin/parley.js');
const data = await mkdtemp(join(tmpdir(), 'parley-feedback-triage-'));
const parley = spawn(process.execPath, [launcher, 'start', '--port', '0', '--data', data, '--json'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const ended = once(parley, 'exit');
try {
  const [line] = (await once(createInterface({ input: parley.stdout }), 'line')) as [string];
  const { url, ownerKeyFile } = JSON.parse(line) as { url: string; ownerKeyFile: string };
  const api = openApi(url, (await readFile(ownerKeyFile, 'utf8')).trim());
  const { boardId, agentKey } = await workAsTeam(api);
  const { triaged, changelogId, tools } = await work(url, agentKey);

  // The most wanted one came first, and the finished ones were left alone.
  assert.deepEqual(triaged.map(({ title }) => title).toSorted(), [
    'A dark theme',
    'App crashes when I rotate the phone',
    'Dark mode',
    'Export to CSV',
  ]);
  assert.equal(triaged[0]?.title, 'Dark mode');
  await checkPosts(api, boardId);
  await checkChangelog(api, changelogId);
  assert.deepEqual(tools, ['add_comment', 'create_changelog', 'get_post', 'search_feedback', 'triage_post']);
  await assert.rejects(openApi(url, agentKey).post('/boards', { name: 'Mine' }), /POST \/boards/);
} finally {
  parley.kill('SIGTERM');
  await ended;
  await rm(data, { recursive: true, force: true });
}
console.log('feedback-triage: found, triaged, commented and told as it should');

/** What the team sees afterwards. */
async function checkPosts(api: Api, boardId: string): Promise<void> {
  const posts = await api.get<Post[]>(`/posts?boardId=${boardId}&status=under_review`);
  const tagsOf = new Map(posts.map(({ title, tags }) => [title, tags.map(({ name }) => name)]));
  assert.deepEqual(tagsOf.get('Dark mode'), ['Design']);
  assert.deepEqual(tagsOf.get('App crashes when I rotate the phone'), ['Bug', 'Mobile']);
  assert.deepEqual(tagsOf.get('Export to CSV'), ['Data']);
  assert.equal(
    posts.reduce((sum, { commentCount }) => sum + commentCount, 0),
    1,
  );
  const noted = posts.find(({ commentCount }) => commentCount === 1);
  const [comment] = await api.get<{ content: string; isTeamMember: boolean }[]>(
    `/posts/${noted?.id}/comments`,
  );
  assert.equal(noted?.title, 'A dark theme');
  assert.match(comment?.content ?? '', /^This looks like "Dark mode" \(post_/);
  assert.equal(comment?.isTeamMember, true);
}

async function checkChangelog(api: Api, id: string): Promise<void> {
  const entry = await api.get<{ title: string; content: string; state: string }>(`/changelog/${id}`);
  assert.equal(entry.title, '2 wishes came true');
  assert.equal(entry.state, 'published');
  assert.equal(entry.content, '- **Search with accents**\n- **Undo for deleted notes**');
}
