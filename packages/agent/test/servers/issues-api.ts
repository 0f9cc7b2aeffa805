/** A stand-in that answers like GitHub about the issues of one repository, `octo/hello`, and their comments. */
import type { RecordingServer } from './recording-server.ts';
import { startRecordingServer } from './recording-server.ts';

export const ISSUES_TOKEN = 'ghp_issues_secret';

export interface IssuesApi extends RecordingServer {
  /** Somebody comments on the last issue. */
  comment(body: string, login: string, association: string): void;
}

export async function startIssuesApi(): Promise<IssuesApi> {
  const comments = new Map<string, object[]>();
  let number = 0;
  const server = await startRecordingServer(({ method, path, headers }) => {
    if (headers.authorization !== `token ${ISSUES_TOKEN}`)
      return { status: 401, body: { message: 'Bad credentials' } };
    const [route = ''] = path.split('?');
    if (`${method} ${route}` === 'POST /repos/octo/hello/issues') {
      number += 1;
      comments.set(String(number), []);
      return { status: 201, body: { number, html_url: `https://github.com/octo/hello/issues/${number}` } };
    }
    const [, of] = /^GET \/repos\/octo\/hello\/issues\/(\d+)\/comments$/.exec(`${method} ${route}`) ?? [];
    const list = comments.get(of ?? '');
    return list === undefined ? { status: 404, body: { message: 'Not Found' } } : { body: list };
  });
  return {
    ...server,
    comment(body, login, association) {
      const list = comments.get(String(number));
      list?.push({ id: list.length, body, user: { login }, author_association: association });
    },
  };
}
