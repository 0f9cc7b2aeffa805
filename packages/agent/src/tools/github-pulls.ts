/** Pull requests on GitHub. */
import * as z from 'zod';
import { cutAtLine } from '../services/outside/cut-at-line.ts';
import { defineTool } from './define-tool.ts';
import { Body, Branch, Head, PullNumber, Repo, repoName, Title } from './github-shapes.ts';

const MAX_DIFF_BYTES = 262_144;

export const listPulls = defineTool({
  name: 'corvid_github_list_prs',
  title: 'List pull requests',
  description: 'The open pull requests of a repository.',
  effect: 'read',
  external: true,
  input: z.strictObject({ repo: Repo, limit: z.int().min(1).max(100).default(10).describe('At most') }),
  output: z.object({
    pulls: z.array(
      z.object({
        number: z.int(),
        title: z.string(),
        author: z.string(),
        additions: z.int().nullable(),
        deletions: z.int().nullable(),
        changed_files: z.int().nullable(),
        url: z.string(),
      }),
    ),
  }),
  run: async ({ repo, limit }, { services, signal }) => ({
    pulls: await services.outside.github.reading().pulls(repoName(repo), limit, signal),
  }),
});

export const createPull = defineTool({
  name: 'corvid_github_create_pr',
  title: 'Create a pull request',
  description: 'Opens a pull request.',
  effect: 'create',
  external: true,
  unattended: 'block',
  input: z.strictObject({
    repo: Repo,
    title: Title.describe('Title'),
    body: Body,
    head: Head.describe('branch or owner:branch to take from'),
    base: Branch.default('main').describe('Branch to bring it into'),
  }),
  output: z.object({ number: z.int(), url: z.string() }),
  async run({ repo, body, ...pull }, { services, signal }, acting) {
    const { github } = services.outside;
    const name = repoName(repo);
    const own = await github.writing(acting, name);
    return own.createPull(name, { ...pull, body: github.signed(acting, body) }, signal);
  },
});

export const reviewPull = defineTool({
  name: 'corvid_github_review_pr',
  title: 'Review a pull request',
  description: 'Reviews a pull request. While nobody watches: no APPROVE, and allowed owners only.',
  effect: 'create',
  external: true,
  input: z.strictObject({
    repo: Repo,
    pr_number: PullNumber,
    event: z.enum(['APPROVE', 'REQUEST_CHANGES', 'COMMENT']).describe('The verdict'),
    body: Body,
  }),
  output: z.object({ review_id: z.int(), state: z.string() }),
  async run({ repo, pr_number: pull, event, body }, { services, signal }, acting) {
    const { github } = services.outside;
    const name = repoName(repo);
    const own = await github.reviewing(acting, name, event);
    return own.review(name, { pull, event, body: github.signed(acting, body) }, signal);
  },
});

export const pullDiff = defineTool({
  name: 'corvid_github_get_pr_diff',
  title: 'Show the diff of a pull request',
  description: 'The diff of a pull request, cut after 256 KiB.',
  effect: 'read',
  external: true,
  input: z.strictObject({ repo: Repo, pr_number: PullNumber }),
  output: z.object({ diff: z.string(), bytes: z.int(), truncated: z.boolean() }),
  async run({ repo, pr_number: pull }, { services, signal }) {
    const whole = await services.outside.github.reading().diff(repoName(repo), pull, signal);
    const diff = cutAtLine(whole, MAX_DIFF_BYTES);
    return { diff, bytes: Buffer.byteLength(diff), truncated: diff.length < whole.length };
  },
});

export const commentOnPull = defineTool({
  name: 'corvid_github_comment_on_pr',
  title: 'Comment on a pull request',
  description: 'Comments on a pull request.',
  effect: 'create',
  external: true,
  unattended: 'block',
  input: z.strictObject({ repo: Repo, pr_number: PullNumber, body: Body }),
  output: z.object({ comment_id: z.int(), url: z.string() }),
  async run({ repo, pr_number: pull, body }, { services, signal }, acting) {
    const { github } = services.outside;
    const name = repoName(repo);
    const own = await github.writing(acting, name);
    return own.comment(name, { pull, body: github.signed(acting, body) }, signal);
  },
});
