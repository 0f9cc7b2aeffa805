/** GitHub: what is asked of it, what is refused before, and what its answers become. */
import { createEgress } from '@parley/kit/egress';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { unwatched } from '../../test/acting-as.ts';
import type { AgentBed, AgentClient } from '../../test/agent-bed.ts';
import { onBothBeds } from '../../test/agent-bed.ts';
import { clientWith } from '../../test/with-settings.ts';
import { DIFF, startGitHubApi, TOKEN } from '../../test/servers/github-api.ts';
import { actingOf } from '../session.ts';
import type { OutsideTables } from '../services/outside/schema.ts';

const hub = await startGitHubApi();
// Nothing is listed, so only the address that the operator set is reached.
const egress = createEgress();
afterAll(async () => {
  await egress.close();
  await hub.close();
});
beforeEach(() => hub.clear());

const SETTINGS = {
  githubToken: TOKEN,
  githubApiUrl: hub.url,
  githubAllowedOwners: ['Octo'],
  githubDeny: ['octo/denied', 'closed/*'],
};

const options = () => ({
  parts: { egress, settings: SETTINGS },
  services: { outside: { retryDelaysMs: [1, 1] } },
});

const REPO = { repo: 'octo/hello' };
const FOOTER = (name: string) => `\n\nWritten by the agent \`${name}\` with Parley.`;

interface Row {
  readonly tool: Parameters<AgentClient['call']>[0];
  readonly input: Record<string, unknown>;
  readonly asks: readonly string[];
  /** The body of the request, for an agent of this name. */
  readonly sends?: (name: string) => unknown;
  readonly answers: unknown;
}

const HTML = 'https://github.com/octo/hello';
const shownPull = (number: number) => ({
  number,
  title: `Pull ${number}`,
  author: 'mona',
  additions: 3,
  deletions: 1,
  changed_files: 2,
  url: `${HTML}/pull/${number}`,
});

const ROWS: readonly Row[] = [
  {
    tool: 'corvid_github_star_repo',
    input: REPO,
    asks: ['PUT /user/starred/octo/hello'],
    answers: { repo: 'octo/hello', starred: true },
  },
  {
    tool: 'corvid_github_unstar_repo',
    input: REPO,
    asks: ['DELETE /user/starred/octo/hello'],
    answers: { repo: 'octo/hello', starred: false },
  },
  {
    tool: 'corvid_github_fork_repo',
    input: { ...REPO, org: 'bots' },
    asks: ['POST /repos/octo/hello/forks'],
    sends: () => ({ organization: 'bots' }),
    answers: { full_name: 'bot/hello', url: 'https://github.com/bot/hello', already_existed: false },
  },
  {
    tool: 'corvid_github_fork_repo',
    input: { repo: 'octo/old' },
    asks: ['POST /repos/octo/old/forks'],
    answers: { full_name: 'bot/old', url: 'https://github.com/bot/old', already_existed: true },
  },
  {
    tool: 'corvid_github_list_prs',
    input: { ...REPO, limit: 2 },
    asks: [
      'GET /repos/octo/hello/pulls?state=open&per_page=2',
      'GET /repos/octo/hello/pulls/7',
      'GET /repos/octo/hello/pulls/8',
    ],
    answers: { pulls: [shownPull(7), shownPull(8)] },
  },
  {
    tool: 'corvid_github_create_pr',
    input: { ...REPO, title: ' Mend ', body: 'It was broken.', head: 'bot:mend-it' },
    asks: ['POST /repos/octo/hello/pulls'],
    sends: (name) => ({
      title: 'Mend',
      head: 'bot:mend-it',
      base: 'main',
      body: `It was broken.${FOOTER(name)}`,
    }),
    answers: { number: 9, url: `${HTML}/pull/9` },
  },
  {
    tool: 'corvid_github_review_pr',
    input: { ...REPO, pr_number: 7, event: 'APPROVE', body: 'Good.' },
    asks: ['POST /repos/octo/hello/pulls/7/reviews'],
    sends: (name) => ({ event: 'APPROVE', body: `Good.${FOOTER(name)}` }),
    answers: { review_id: 80, state: 'APPROVED' },
  },
  {
    tool: 'corvid_github_create_issue',
    input: { ...REPO, title: 'Broken', body: 'See.', labels: ['bug'] },
    asks: ['POST /repos/octo/hello/issues'],
    sends: (name) => ({ title: 'Broken', body: `See.${FOOTER(name)}`, labels: ['bug'] }),
    answers: { number: 4, url: `${HTML}/issues/4` },
  },
  {
    tool: 'corvid_github_list_issues',
    input: { ...REPO, state: 'all' },
    asks: ['GET /repos/octo/hello/issues?state=all&per_page=100&page=1'],
    answers: {
      issues: [
        { number: 1, title: 'Issue 1', state: 'open', labels: ['bug'], url: `${HTML}/issues/1` },
        { number: 3, title: 'Issue 3', state: 'open', labels: ['odd'], url: `${HTML}/issues/3` },
      ],
    },
  },
  {
    tool: 'corvid_github_repo_info',
    input: REPO,
    asks: ['GET /repos/octo/hello'],
    answers: {
      name: 'hello',
      owner: 'octo',
      description: null,
      url: HTML,
      stargazerCount: 5,
      forkCount: 2,
      isArchived: false,
      defaultBranchRef: 'trunk',
    },
  },
  {
    tool: 'corvid_github_comment_on_pr',
    input: { ...REPO, pr_number: 7, body: 'Thanks.' },
    asks: ['POST /repos/octo/hello/issues/7/comments'],
    sends: (name) => ({ body: `Thanks.${FOOTER(name)}` }),
    answers: { comment_id: 90, url: `${HTML}/pull/7#issuecomment-90` },
  },
  {
    tool: 'corvid_github_follow_user',
    input: { username: 'mona' },
    asks: ['PUT /user/following/mona'],
    answers: { username: 'mona', following: true },
  },
];

const asked = () => hub.seen.map(({ method, path }) => `${method} ${path}`);
const usesIn = async ({ store }: Pick<AgentBed, 'store'>) => {
  const rows = await store.db<OutsideTables>().selectFrom('agent_uses').select('id').execute();
  return rows.length;
};

onBothBeds(
  'GitHub',
  (bed, replica) => {
    const newAgent = () => bed().agent(bed().acme.owner.caller);
    const newClient = async () => bed().client((await newAgent()).caller);

    test('check 45: each tool sends the right method and path', async () => {
      const agent = await newAgent();
      const client = await bed().client(agent.caller);
      for (const { tool, input, asks, sends, answers } of ROWS) {
        hub.clear();
        // The table is held against what the tools really take.
        expect(await client.call(tool, input as never), tool).toEqual(answers);
        expect(asked(), tool).toEqual(asks);
        if (sends !== undefined) expect(hub.seen[0]?.body, tool).toEqual(sends(agent.name));
        for (const { headers } of hub.seen) expect(headers.authorization).toBe(`token ${TOKEN}`);
      }
    });

    test('check 45: names that smuggle paths are invalid, and nothing is asked', async () => {
      const client = await newClient();
      const names = [
        '../x',
        'octo/denied.git',
        'octo/denied.GiT',
        'a/b/c',
        'a/..',
        'a/.',
        '-a/b',
        'a--b/c',
        'a/',
        '/a',
        'a',
        'a/b?c',
        'a/b#',
        'a/%2e',
        'ä/b',
        'a/.git',
        'a/b.git.git',
        ' ',
      ];
      for (const { tool, input } of ROWS) {
        const field = 'repo' in input ? 'repo' : 'username';
        for (const name of names.slice(0, 7)) {
          const outcome = await client.attempt(tool, { ...input, [field]: name });
          expect(outcome, `${tool} ${name}`).toMatchObject({ ok: false, code: 'invalid' });
          expect(outcome, `${tool} ${name}`).toMatchObject({ message: expect.stringContaining(field) });
        }
      }
      for (const repo of names)
        expect(await client.attempt('corvid_github_repo_info', { repo }), repo).toMatchObject({
          code: 'invalid',
        });
      expect(asked()).toEqual([]);
    });

    test('what does not fit is refused before anything is asked', async () => {
      const client = await newClient();
      const pull = { ...REPO, title: 'T', body: 'B', head: 'branch' };
      const wrong: readonly [Row['tool'], Record<string, unknown>, string][] = [
        ['corvid_github_create_pr', { ...pull, title: '' }, 'title'],
        ['corvid_github_create_pr', { ...pull, title: 'x'.repeat(257) }, 'title'],
        ['corvid_github_create_pr', { ...pull, body: ' ' }, 'body'],
        ['corvid_github_create_pr', { ...pull, body: 'x'.repeat(65_537) }, 'body'],
        ['corvid_github_create_pr', { ...pull, head: 'a b' }, 'head'],
        ['corvid_github_create_pr', { ...pull, head: '-x:y:z' }, 'head'],
        ['corvid_github_create_pr', { ...pull, draft: true }, 'draft'],
        ['corvid_github_review_pr', { ...REPO, pr_number: 0, event: 'COMMENT', body: 'B' }, 'pr_number'],
        ['corvid_github_review_pr', { ...REPO, pr_number: 1, event: 'MERGE', body: 'B' }, 'event'],
        ['corvid_github_list_prs', { ...REPO, limit: 101 }, 'limit'],
        ['corvid_github_list_issues', { ...REPO, state: 'merged' }, 'state'],
        [
          'corvid_github_create_issue',
          { ...REPO, title: 'T', body: 'B', labels: Array(21).fill('x') },
          'labels',
        ],
        [
          'corvid_github_create_issue',
          { ...REPO, title: 'T', body: 'B', labels: ['x'.repeat(51)] },
          'labels',
        ],
        ['corvid_github_get_pr_diff', { ...REPO, pr_number: 1.5 }, 'pr_number'],
      ];
      for (const [tool, input, field] of wrong)
        expect(await client.attempt(tool, input as never), `${tool} ${field}`).toMatchObject({
          ok: false,
          code: 'invalid',
          message: expect.stringContaining(field),
        });
      expect(asked()).toEqual([]);
    });

    test('a diff is cut where a line ends', async () => {
      const client = await newClient();
      const { diff, bytes, truncated } = await client.call('corvid_github_get_pr_diff', {
        ...REPO,
        pr_number: 7,
      });
      expect(truncated).toBe(true);
      expect(bytes).toBeLessThanOrEqual(262_144);
      expect(bytes).toBeGreaterThan(262_144 - 20);
      expect(DIFF.startsWith(diff)).toBe(true);
      expect(diff.endsWith('diff\n')).toBe(true);
    });

    test('reads are tried twice more, writes never', async () => {
      const client = await newClient();
      const bad = { status: 502, body: { message: 'Bad gateway' } };
      hub.next(bad, bad);
      expect(await client.call('corvid_github_repo_info', REPO)).toMatchObject({ name: 'hello' });
      expect(asked()).toHaveLength(3);
      hub.clear();
      hub.next(bad, bad, bad);
      const read = await client.attempt('corvid_github_repo_info', REPO);
      expect(read).toMatchObject({ ok: false, code: 'unavailable' });
      expect(asked()).toHaveLength(3);
      hub.clear();
      hub.next(bad);
      const write = await client.attempt('corvid_github_star_repo', REPO);
      expect(write).toMatchObject({ ok: false, code: 'unavailable' });
      expect(asked()).toHaveLength(1);
    });

    test('what GitHub refuses is told in the words of the table', async () => {
      const client = await newClient();
      const reset = {
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': String(bed().clock.nowMs / 1000 + 90),
      };
      const rows = [
        [
          { status: 401, body: { message: 'Bad credentials' } },
          'unavailable',
          'PARLEY_GITHUB_TOKEN',
          undefined,
        ],
        [{ status: 403, body: { message: 'Must be admin' } }, 'forbidden', 'Must be admin', undefined],
        [{ status: 404, body: { message: 'Not Found' } }, 'not_found', 'no such thing', undefined],
        [{ status: 409, body: { message: 'Is empty' } }, 'conflict', 'Is empty', undefined],
        [
          { status: 422, body: { message: 'Validation Failed', errors: [{ message: 'No commits' }, {}] } },
          'invalid',
          'No commits',
          undefined,
        ],
        [{ status: 429, headers: { 'retry-after': '7' }, body: {} }, 'rate_limited', '7 seconds', 7],
        [{ status: 403, headers: { 'retry-after': '30' }, body: {} }, 'rate_limited', '30 seconds', 30],
        [{ status: 403, headers: reset, body: {} }, 'rate_limited', '90 seconds', 90],
        [
          { status: 403, body: { message: 'You have exceeded a secondary rate limit.' } },
          'rate_limited',
          '60 seconds',
          60,
        ],
        [{ status: 500, body: 'oops' }, 'unavailable', 'Try again', undefined],
      ] as const;
      for (const [reply, code, words, seconds] of rows) {
        hub.next(reply);
        const outcome = await client.attempt('corvid_github_comment_on_pr', {
          ...REPO,
          pr_number: 7,
          body: 'B',
        });
        expect(outcome).toMatchObject({ ok: false, code, message: expect.stringContaining(words) });
        if (seconds !== undefined) expect(outcome).toMatchObject({ data: { retry_after: seconds } });
      }
      expect(asked()).toHaveLength(rows.length);
    });

    test('nothing is written to a repository on the deny list; it is read all the same', async () => {
      const client = await newClient();
      for (const repo of ['octo/denied', 'OCTO/Denied', 'closed/anything'])
        expect(await client.attempt('corvid_github_star_repo', { repo }), repo).toMatchObject({
          ok: false,
          code: 'forbidden',
        });
      expect(asked()).toEqual([]);
      await client.attempt('corvid_github_repo_info', { repo: 'octo/denied' });
      expect(asked()).toEqual(['GET /repos/octo/denied']);
    });

    test('check 45: while nobody watches, nothing is approved, and only allowed owners are reviewed', async () => {
      const client = await bed().client(unwatched((await newAgent()).caller));
      const names = await client.toolNames();
      expect(names).toContain('corvid_github_review_pr');
      for (const blocked of ['fork_repo', 'create_pr', 'create_issue', 'comment_on_pr'])
        expect(names).not.toContain(`corvid_github_${blocked}`);
      const review = { ...REPO, pr_number: 7, body: 'B' };
      const approve = await client.attempt('corvid_github_review_pr', { ...review, event: 'APPROVE' });
      expect(approve).toMatchObject({ ok: false, code: 'forbidden' });
      const other = { ...review, repo: 'rest/hello', event: 'COMMENT' } as const;
      expect(await client.attempt('corvid_github_review_pr', other)).toMatchObject({ code: 'forbidden' });
      expect(asked()).toEqual([]);
      const comment = await client.call('corvid_github_review_pr', { ...review, event: 'COMMENT' });
      expect(comment).toEqual({ review_id: 80, state: 'COMMENTED' });
    });

    test('30 writes an hour and agent, counted over all processes; reads are not counted', async () => {
      const agent = await newAgent();
      const client = await bed().client(agent.caller);
      const { services: elsewhere } = await replica();
      const before = await usesIn(bed());
      await client.call('corvid_github_repo_info', REPO);
      expect(await usesIn(bed())).toBe(before);
      for (let count = 0; count < 15; count += 1) {
        await client.call('corvid_github_star_repo', REPO);
        await elsewhere.outside.github.writing(actingOf(agent.caller));
      }
      hub.clear();
      const refused = await client.attempt('corvid_github_star_repo', REPO);
      expect(refused).toMatchObject({ ok: false, code: 'rate_limited', data: { retry_after: 3600 } });
      expect(asked()).toEqual([]);
      expect(await (await newClient()).attempt('corvid_github_star_repo', REPO)).toMatchObject({ ok: true });
      bed().clock.nowMs += 3_600_000;
      expect(await client.attempt('corvid_github_star_repo', REPO)).toMatchObject({ ok: true });
    });

    test('check 45: without a token every tool is listed, and answers that PARLEY_GITHUB_TOKEN is missing', async () => {
      const client = await clientWith(bed(), (await newAgent()).caller, {});
      const before = await usesIn(bed());
      for (const { tool, input } of ROWS)
        expect(await client.attempt(tool, input as never), tool).toMatchObject({
          ok: false,
          code: 'unavailable',
          message: expect.stringContaining('PARLEY_GITHUB_TOKEN'),
        });
      expect(await usesIn(bed())).toBe(before);
    });

    test('with the footer switched off texts stay as they are', async () => {
      const client = await clientWith(bed(), (await newAgent()).caller, { ...SETTINGS, githubFooter: 'off' });
      await client.call('corvid_github_comment_on_pr', { ...REPO, pr_number: 7, body: 'Thanks.' });
      expect(hub.seen[0]?.body).toEqual({ body: 'Thanks.' });
    });

    test('settings that mean nothing stop the start', async () => {
      const { caller } = await newAgent();
      const wrong = [
        [{ githubFooter: 'maybe' }, '--github-footer'],
        [{ githubDeny: ['everything'] }, '--github-deny'],
        [{ githubDeny: ['octo/other', 'octo/hello.git'] }, '--github-deny'],
        [{ githubDeny: ['octo/Hello.GIT'] }, '--github-deny'],
        [{ githubDeny: ['octo/..'] }, '--github-deny'],
        [{ githubApiUrl: 'not an address' }, '--github-api-url'],
        [{ githubApiUrl: 'ftp://github.example' }, '--github-api-url'],
      ] as const;
      for (const [settings, words] of wrong) expect(() => clientWith(bed(), caller, settings)).toThrow(words);
    });
  },
  options,
);
