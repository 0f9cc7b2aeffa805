/** Issues on GitHub. */
import * as z from 'zod';
import { defineTool } from './define-tool.ts';
import { Body, Repo, repoName, Title } from './github-shapes.ts';
import { text } from './texts.ts';

export const createIssue = defineTool({
  name: 'corvid_github_create_issue',
  title: 'Create an issue',
  description: 'Opens an issue.',
  effect: 'create',
  external: true,
  unattended: 'block',
  input: z.strictObject({
    repo: Repo,
    title: Title.describe('Title'),
    body: Body,
    labels: z.array(text(50)).max(20).default([]).describe('Labels'),
  }),
  output: z.object({ number: z.int(), url: z.string() }),
  async run({ repo, body, ...issue }, { services, signal }, acting) {
    const { github } = services.outside;
    const name = repoName(repo);
    const own = await github.writing(acting, name);
    return own.createIssue(name, { ...issue, body: github.signed(acting, body) }, signal);
  },
});

export const listIssues = defineTool({
  name: 'corvid_github_list_issues',
  title: 'List issues',
  description: 'The issues of a repository, without its pull requests.',
  effect: 'read',
  external: true,
  input: z.strictObject({
    repo: Repo,
    state: z.enum(['open', 'closed', 'all']).default('open').describe('Which'),
    limit: z.int().min(1).max(100).default(30).describe('At most'),
  }),
  output: z.object({
    issues: z.array(
      z.object({
        number: z.int(),
        title: z.string(),
        state: z.string(),
        labels: z.array(z.string()),
        url: z.string(),
      }),
    ),
  }),
  run: async ({ repo, ...wanted }, { services, signal }) => ({
    issues: await services.outside.github.reading().issues(repoName(repo), wanted, signal),
  }),
});
