/** Plays a note from a visitor to a finished branch: event, approval, work, question, answer, check, word to the owner. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { doNextWork, goOnCall } from './agent.ts';
import { openApi, openMcp } from './api.ts';
import { answerQuestion, approveWork, hire, readNotifications } from './owner.ts';
import { annotate } from './visitor.ts';

const LAUNCHER = join(import.meta.dirname, '../../apps/server/bin/parley.js');
const LIMIT_MS = 60_000;
const NOTE = 'There is a letter missing here.';

interface Ready {
  readonly url: string;
  readonly ownerKeyFile: string;
  readonly overlayTag: string;
}

const folder = await mkdtemp(join(tmpdir(), 'parley-on-call-'));
const shop = join(folder, 'code/shop');
const git = (...args: string[]) => execFileSync('git', args, { cwd: shop, encoding: 'utf8' }).trim();
await makeRepository();

const args = ['start', '--port', '0', '--data', join(folder, 'data'), '--project-root', join(folder, 'code')];
const parley = spawn(process.execPath, [LAUNCHER, ...args, '--log-level', 'warn', '--json'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const ended = once(parley, 'exit');
try {
  const [line] = (await once(createInterface({ input: parley.stdout }), 'line')) as [string];
  const late = delay(LIMIT_MS, undefined, { ref: false }).then(() => {
    throw new Error('It takes too long.');
  });
  await Promise.race([play(JSON.parse(line) as Ready), late]);
} finally {
  parley.kill('SIGTERM');
  await ended;
  await rm(folder, { recursive: true, force: true });
}
console.log('agent-on-call: a note became work, the owner was asked, and the branch is there');

async function play({ url, ownerKeyFile, overlayTag }: Ready): Promise<void> {
  const ownerKey = (await readFile(ownerKeyFile, 'utf8')).trim();
  const office = openApi(url, ownerKey);
  await using self = await openMcp(url, 'self', ownerKey);
  const { id, key, notesKey } = await hire(office, self, shop);
  await using own = await openMcp(url, 'agent', key);
  await using notes = await openMcp(url, 'annotations', notesKey);
  const agent = { id, api: openApi(url, key), own, notes };
  await goOnCall(agent);

  const [branch, noteId, question] = await Promise.all([
    doNextWork(agent),
    annotate(url, tokenIn(overlayTag), NOTE),
    approveWork(office).then(() => answerQuestion(office)),
  ]);

  assert.equal(question.status, 'answered');
  assert.equal(question.question, `A visitor says: "${NOTE}" What shall the heading say?`);
  assert.match(branch, /^agent\/ada\//);
  assert.equal(git('show', `${branch}:index.html`), '<h1>Welcome to the shop</h1>');
  assert.equal(git('show', 'main:index.html'), '<h1>Welcom</h1>', 'Nothing is merged by itself.');
  assert.equal(git('log', '-1', '--format=%an', branch), 'Ada');
  assert.equal(git('worktree', 'list').split('\n').length, 1, 'The worktree is gone.');
  assert.equal((await notes.read<{ status: string }>(`parley://annotations/${noteId}`)).status, 'resolved');
  const [newest] = await readNotifications(office);
  assert.deepEqual([newest?.level, newest?.title], ['success', 'A note is done']);
  // What the agent asks, it cannot answer, and what it wants, it cannot approve.
  await assert.rejects(agent.api.get('/questions'), /403/);
  await assert.rejects(agent.api.get('/executions'), /403/);
}

async function makeRepository(): Promise<void> {
  await mkdir(shop, { recursive: true });
  await writeFile(join(shop, 'index.html'), '<h1>Welcom</h1>\n');
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('-c', 'user.name=Owner', '-c', 'user.email=owner@example.com', 'commit', '-qm', 'The shop');
}

/** The page token in the script tag that `parley start` prints. */
function tokenIn(overlayTag: string): string {
  return /data-token="([^"]+)"/.exec(overlayTag)?.[1] ?? '';
}
