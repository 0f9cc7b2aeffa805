/** A stand-in that answers like the REST API of GitHub, with one repository, `octo/hello`. */
import type { RecordingServer, Reply, Seen } from './recording-server.ts';
import { startRecordingServer } from './recording-server.ts';

export const TOKEN = 'ghp_test_token';

const HTML = 'https://github.com';
const NOT_FOUND = { status: 404, body: { message: 'Not Found', status: '404' } };
const BEFORE = '2020-01-01T00:00:00Z';

const issue = (number: number, more: object = {}) => ({
  number,
  title: `Issue ${number}`,
  state: 'open',
  labels: [{ name: 'bug' }],
  html_url: `${HTML}/octo/hello/issues/${number}`,
  ...more,
});
const pull = (number: number) => ({
  number,
  title: `Pull ${number}`,
  user: { login: 'mona' },
  html_url: `${HTML}/octo/hello/pull/${number}`,
});
const sizes = { additions: 3, deletions: 1, changed_files: 2 };

const ROUTES: Readonly<Record<string, (seen: Seen) => Reply>> = {
  'PUT /user/starred/octo/hello': () => ({ status: 204 }),
  'DELETE /user/starred/octo/hello': () => ({ status: 204 }),
  'PUT /user/following/mona': () => ({ status: 204 }),
  'POST /repos/octo/hello/forks': () => ({
    status: 202,
    body: { full_name: 'bot/hello', html_url: `${HTML}/bot/hello`, created_at: new Date().toISOString() },
  }),
  'POST /repos/octo/old/forks': () => ({
    status: 202,
    body: { full_name: 'bot/old', html_url: `${HTML}/bot/old`, created_at: BEFORE },
  }),
  'GET /repos/octo/hello/pulls': () => ({ body: [pull(7), pull(8)] }),
  'GET /repos/octo/hello/pulls/7': diffOr({ ...pull(7), ...sizes }),
  'GET /repos/octo/hello/pulls/8': diffOr({ ...pull(8), ...sizes }),
  'POST /repos/octo/hello/pulls': () => ({ status: 201, body: pull(9) }),
  'POST /repos/octo/hello/pulls/7/reviews': ({ body }) => ({
    body: { id: 80, state: STATES[(body as { event: string }).event] },
  }),
  'POST /repos/octo/hello/issues': () => ({ status: 201, body: issue(4) }),
  'GET /repos/octo/hello/issues': () => ({
    body: [issue(1), issue(2, { pull_request: { url: '' } }), issue(3, { labels: ['odd'] })],
  }),
  'GET /repos/octo/hello': () => ({
    body: {
      name: 'hello',
      owner: { login: 'octo' },
      description: null,
      html_url: `${HTML}/octo/hello`,
      stargazers_count: 5,
      forks_count: 2,
      archived: false,
      default_branch: 'trunk',
    },
  }),
  'POST /repos/octo/hello/issues/7/comments': () => ({
    status: 201,
    body: { id: 90, html_url: `${HTML}/octo/hello/pull/7#issuecomment-90` },
  }),
};

const STATES: Readonly<Record<string, string>> = {
  APPROVE: 'APPROVED',
  REQUEST_CHANGES: 'CHANGES_REQUESTED',
  COMMENT: 'COMMENTED',
};

export const DIFF = `${'+ a line of a diff\n'.repeat(20_000)}- the last line`;

function diffOr(body: unknown): (seen: Seen) => Reply {
  return ({ headers }) =>
    headers.accept === 'application/vnd.github.diff'
      ? { body: DIFF, headers: { 'content-type': 'application/vnd.github.diff; charset=utf-8' } }
      : { body };
}

export function startGitHubApi(): Promise<RecordingServer> {
  return startRecordingServer((seen) => {
    if (seen.headers.authorization !== `token ${TOKEN}`)
      return { status: 401, body: { message: 'Bad credentials' } };
    const [path = ''] = seen.path.split('?');
    return ROUTES[`${seen.method} ${path}`]?.(seen) ?? NOT_FOUND;
  });
}
