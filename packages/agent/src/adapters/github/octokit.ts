/** GitHub over its REST API. */
import { ToolError } from '@parley/kit';
import * as z from 'zod';
import type { GitHubClient, GitHubOptions } from './client.ts';
import { createGitHubClient } from './client.ts';
import type { GitHub, PullSummary, RepoName } from './github.ts';

const MAX_ISSUE_PAGES = 5;
const PAGE = 100;
const DETAILS_AT_ONCE = 8;
/** A fork that is older than this when GitHub answers was there before. */
const NEW_FORK_MS = 15_000;

const User = z.object({ login: z.string() }).nullable().optional();
const Pull = z.object({
  number: z.int(),
  title: z.string(),
  user: User,
  html_url: z.string(),
  additions: z.int().optional(),
  deletions: z.int().optional(),
  changed_files: z.int().optional(),
});
const Issue = z.object({
  number: z.int(),
  title: z.string(),
  state: z.string(),
  html_url: z.string(),
  labels: z.array(z.union([z.string(), z.object({ name: z.string().nullable().optional() })])).default([]),
  pull_request: z.unknown().optional(),
});
const Repo = z.object({
  name: z.string(),
  owner: User,
  description: z.string().nullable().optional(),
  html_url: z.string(),
  stargazers_count: z.int().default(0),
  forks_count: z.int().default(0),
  archived: z.boolean().default(false),
  default_branch: z.string().default('main'),
});
const Forked = z.object({
  full_name: z.string(),
  html_url: z.string(),
  created_at: z.string().optional(),
});
const Numbered = z.object({ number: z.int(), html_url: z.string() });
const Reviewed = z.object({ id: z.int(), state: z.string() });
const Commented = z.object({ id: z.int(), html_url: z.string() });

export function createOctokitGitHub(options: GitHubOptions): GitHub {
  const client = createGitHubClient(options);
  return { ...reads(client), ...writes(client) };
}

type Reads = Pick<GitHub, 'pulls' | 'issues' | 'info' | 'diff'>;

function reads({ read }: GitHubClient): Reads {
  const detailed = async (repo: RepoName, pull: z.output<typeof Pull>, signal: AbortSignal) => {
    if (pull.additions !== undefined) return pull;
    const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}';
    return parsed(Pull, await read(route, { ...repoOf(repo), pull_number: pull.number }, signal));
  };
  return {
    async pulls(repo, limit, signal) {
      const wanted = { ...repoOf(repo), state: 'open', per_page: limit };
      const listed = parsed(z.array(Pull), await read('GET /repos/{owner}/{repo}/pulls', wanted, signal));
      const shown: PullSummary[] = [];
      // A list does not tell how large a pull request is.
      for (let at = 0; at < listed.length; at += DETAILS_AT_ONCE) {
        const some = listed.slice(at, at + DETAILS_AT_ONCE);
        shown.push(...(await Promise.all(some.map((pull) => detailed(repo, pull, signal)))).map(pullOf));
      }
      return shown;
    },
    async issues(repo, { state, limit }, signal) {
      const found: z.output<typeof Issue>[] = [];
      for (let page = 1; page <= MAX_ISSUE_PAGES && found.length < limit; page += 1) {
        const wanted = { ...repoOf(repo), state, per_page: PAGE, page };
        const all = parsed(z.array(Issue), await read('GET /repos/{owner}/{repo}/issues', wanted, signal));
        found.push(...all.filter(({ pull_request }) => pull_request === undefined));
        if (all.length < PAGE) break;
      }
      return found.slice(0, limit).map(({ number, title, state: now, labels, html_url: url }) => ({
        number,
        title,
        state: now,
        labels: labels.map((label) => (typeof label === 'string' ? label : (label.name ?? ''))),
        url,
      }));
    },
    async info(repo, signal) {
      const found = parsed(Repo, await read('GET /repos/{owner}/{repo}', repoOf(repo), signal));
      return {
        name: found.name,
        owner: found.owner?.login ?? repo.owner,
        description: found.description ?? null,
        url: found.html_url,
        stargazerCount: found.stargazers_count,
        forkCount: found.forks_count,
        isArchived: found.archived,
        defaultBranchRef: found.default_branch,
      };
    },
    async diff(repo, pull, signal) {
      const headers = { accept: 'application/vnd.github.diff' };
      const wanted = { ...repoOf(repo), pull_number: pull, headers };
      const data = await read('GET /repos/{owner}/{repo}/pulls/{pull_number}', wanted, signal);
      // Octokit knows the media type of a diff as bytes.
      if (data instanceof ArrayBuffer) return new TextDecoder().decode(data);
      return parsed(z.string(), data);
    },
  };
}

function writes({ write }: GitHubClient): Omit<GitHub, keyof Reads> {
  return {
    async star(repo, signal) {
      await write('PUT /user/starred/{owner}/{repo}', repoOf(repo), signal);
    },
    async unstar(repo, signal) {
      await write('DELETE /user/starred/{owner}/{repo}', repoOf(repo), signal);
    },
    async fork(repo, organization, signal) {
      const wanted = { ...repoOf(repo), ...(organization !== undefined && { organization }) };
      const { data, date } = await write('POST /repos/{owner}/{repo}/forks', wanted, signal);
      const { full_name, html_url: url, created_at } = parsed(Forked, data);
      const madeAt = Date.parse(created_at ?? '');
      // GitHub gives the fork that is there already in the same words; by its own clock it is not new.
      const already_existed = date !== undefined && madeAt < date - NEW_FORK_MS;
      return { full_name, url, already_existed };
    },
    async createPull(repo, pull, signal) {
      const { data } = await write('POST /repos/{owner}/{repo}/pulls', { ...repoOf(repo), ...pull }, signal);
      return madeOf(data);
    },
    async review(repo, { pull, event, body }, signal) {
      const wanted = { ...repoOf(repo), pull_number: pull, event, body };
      const { data } = await write('POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews', wanted, signal);
      const { id, state } = parsed(Reviewed, data);
      return { review_id: id, state };
    },
    async createIssue(repo, { title, body, labels }, signal) {
      const wanted = { ...repoOf(repo), title, body, ...(labels.length > 0 && { labels }) };
      const { data } = await write('POST /repos/{owner}/{repo}/issues', wanted, signal);
      return madeOf(data);
    },
    async comment(repo, { pull, body }, signal) {
      const wanted = { ...repoOf(repo), issue_number: pull, body };
      const route = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';
      const { id, html_url: url } = parsed(Commented, (await write(route, wanted, signal)).data);
      return { comment_id: id, url };
    },
    async follow(username, signal) {
      await write('PUT /user/following/{username}', { username }, signal);
    },
  };
}

function repoOf({ owner, name }: RepoName) {
  return { owner, repo: name };
}

function pullOf(pull: z.output<typeof Pull>): PullSummary {
  return {
    number: pull.number,
    title: pull.title,
    author: pull.user?.login ?? 'ghost',
    additions: pull.additions ?? null,
    deletions: pull.deletions ?? null,
    changed_files: pull.changed_files ?? null,
    url: pull.html_url,
  };
}

function madeOf(data: unknown) {
  const { number, html_url: url } = parsed(Numbered, data);
  return { number, url };
}

function parsed<Shape extends z.ZodType>(shape: Shape, data: unknown): z.output<Shape> {
  const result = shape.safeParse(data);
  if (result.success) return result.data;
  const message = 'The answer was not one of GitHub. Ask the operator to check PARLEY_GITHUB_API_URL.';
  throw new ToolError('unavailable', message);
}
