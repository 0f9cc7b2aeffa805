/** GitHub: an issue for each message, answers from its comments. */
import { ToolError } from '@parley/kit';
import * as z from 'zod';
import type { GitHubClient } from '../github/client.ts';
import type { RepoName } from '../github/github.ts';
import { REPO } from '../github/github.ts';
import type { Channel, Reply } from './channel.ts';
import { bodyOfQuestion, cut, headingOf, headingOfQuestion, howToReply, textOfNotice } from './words.ts';

const Config = z.strictObject({
  repo: z
    .string()
    .trim()
    .refine((text) => repoOf(text) !== undefined, 'must be owner/name, without .git'),
  labels: z.array(z.string().trim().min(1).max(50)).max(20).optional(),
});

type GitHubConfig = z.output<typeof Config>;

const Issue = z.object({ number: z.int() });
const Comments = z
  .array(
    z.object({
      body: z.string().nullish(),
      user: z.object({ login: z.string().max(100) }).nullish(),
      author_association: z.string(),
    }),
  )
  .max(100);

/** Whose comments are answers: in a public repository everybody may write. */
const TEAM = new Set(['OWNER', 'MEMBER', 'COLLABORATOR']);

const MOST = 60_000;
const MOST_TITLE = 256;

/** `client` is undefined where the server has no token; `isDenied` where nothing may be written. */
export function createGitHubChannel(
  client: GitHubClient | undefined,
  isDenied: (repo: RepoName) => boolean,
): Channel<GitHubConfig> {
  const ready = ({ repo }: GitHubConfig) => {
    if (client === undefined)
      throw new ToolError(
        'unavailable',
        'GitHub is not set up. Ask the operator to set PARLEY_GITHUB_TOKEN.',
      );
    const named = repoOf(repo);
    if (named === undefined || isDenied({ owner: named.owner, name: named.repo }))
      throw new ToolError('forbidden', 'The operator does not let agents write to this repository.');
    return client;
  };
  const open = async (config: GitHubConfig, title: string, body: string, signal: AbortSignal) => {
    const { labels } = config;
    const issue = { ...repoOf(config.repo), title: cut(title, MOST_TITLE), body, ...(labels && { labels }) };
    const { data } = await ready(config).write('POST /repos/{owner}/{repo}/issues', issue, signal);
    return Issue.safeParse(data).data?.number;
  };
  return {
    type: 'github',
    config: Config,
    async check(config) {
      ready(config);
    },
    async send(config, notice, signal) {
      await open(config, headingOf(notice), textOfNotice(notice), signal);
    },
    async ask(config, question, signal) {
      const body = bodyOfQuestion(question, howToReply(question).replace('this message', 'this issue'), MOST);
      const number = await open(config, headingOfQuestion(question), body, signal);
      return number === undefined ? null : `${config.repo}#${number}`;
    },
    async poll(config, asked, _cursor, signal) {
      const replies: Reply[] = [];
      for (const { ref } of asked) {
        const [repo = '', number = ''] = ref.split('#');
        const where = { ...repoOf(repo), issue_number: number, per_page: 100 };
        const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments';
        const comments = Comments.parse(await ready(config).read(route, where, signal));
        for (const { body, user, author_association: whose } of comments)
          if (TEAM.has(whose) && body) replies.push({ ref, text: body, by: `github:${user?.login ?? '?'}` });
      }
      return { replies };
    },
  };
}

function repoOf(text: string): { readonly owner: string; readonly repo: string } | undefined {
  if (!REPO.test(text)) return undefined;
  const [owner = '', repo = ''] = text.split('/');
  return { owner, repo };
}
