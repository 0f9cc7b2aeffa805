/** Repositories and people on GitHub. */
import * as z from 'zod';
import { defineTool } from './define-tool.ts';
import { Owner, Repo, repoName } from './github-shapes.ts';

export const starRepo = defineTool({
  name: 'corvid_github_star_repo',
  title: 'Star a repository',
  description: 'Stars a repository on GitHub.',
  effect: 'update',
  external: true,
  input: z.strictObject({ repo: Repo }),
  output: z.object({ repo: z.string(), starred: z.boolean() }),
  async run({ repo }, { services, signal }, acting) {
    const name = repoName(repo);
    await (await services.outside.github.writing(acting, name)).star(name, signal);
    return { repo, starred: true };
  },
});

export const unstarRepo = defineTool({
  name: 'corvid_github_unstar_repo',
  title: 'Unstar a repository',
  description: 'Takes back the star of a repository on GitHub.',
  effect: 'update',
  external: true,
  input: z.strictObject({ repo: Repo }),
  output: z.object({ repo: z.string(), starred: z.boolean() }),
  async run({ repo }, { services, signal }, acting) {
    const name = repoName(repo);
    await (await services.outside.github.writing(acting, name)).unstar(name, signal);
    return { repo, starred: false };
  },
});

export const forkRepo = defineTool({
  name: 'corvid_github_fork_repo',
  title: 'Fork a repository',
  description: 'Forks a repository on GitHub.',
  effect: 'create',
  external: true,
  unattended: 'block',
  input: z.strictObject({
    repo: Repo,
    org: Owner.optional().describe('Organization to fork into; default: the account of the token'),
  }),
  output: z.object({ full_name: z.string(), url: z.string(), already_existed: z.boolean() }),
  async run({ repo, org }, { services, signal }, acting) {
    const name = repoName(repo);
    return (await services.outside.github.writing(acting, name)).fork(name, org, signal);
  },
});

export const repoInfo = defineTool({
  name: 'corvid_github_repo_info',
  title: 'Show a repository',
  description: 'Facts about a repository on GitHub.',
  effect: 'read',
  external: true,
  input: z.strictObject({ repo: Repo }),
  output: z.object({
    name: z.string(),
    owner: z.string(),
    description: z.string().nullable(),
    url: z.string(),
    stargazerCount: z.int(),
    forkCount: z.int(),
    isArchived: z.boolean(),
    defaultBranchRef: z.string(),
  }),
  run: ({ repo }, { services, signal }) => services.outside.github.reading().info(repoName(repo), signal),
});

export const followUser = defineTool({
  name: 'corvid_github_follow_user',
  title: 'Follow a user',
  description: 'Follows a user on GitHub.',
  effect: 'update',
  external: true,
  input: z.strictObject({ username: Owner.describe('Name on GitHub') }),
  output: z.object({ username: z.string(), following: z.boolean() }),
  async run({ username }, { services, signal }, acting) {
    await (await services.outside.github.writing(acting)).follow(username, signal);
    return { username, following: true };
  },
});
