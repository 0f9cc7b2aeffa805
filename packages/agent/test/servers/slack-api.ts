/** A stand-in that answers like the Web API of Slack, with one channel, `C0TEAM`. */
import type { RecordingServer } from './recording-server.ts';
import { startRecordingServer } from './recording-server.ts';

export const SLACK_TOKEN = 'xoxb-1111-slacksecret';

export interface SlackApi extends RecordingServer {
  /** Somebody, or another bot, writes into the thread of the last message. */
  reply(text: string, more?: object): void;
}

export async function startSlackApi(): Promise<SlackApi> {
  const threads = new Map<string, object[]>();
  let count = 0;
  const lastTs = () => `1700000000.${String(count).padStart(6, '0')}`;
  const server = await startRecordingServer(({ method, path, headers, body }) => {
    const url = new URL(path, 'http://slack');
    if (headers.authorization !== `Bearer ${SLACK_TOKEN}`)
      return { body: { ok: false, error: 'invalid_auth' } };
    if (`${method} ${url.pathname}` === 'POST /api/chat.postMessage') {
      const { text } = body as { text: string };
      count += 1;
      const message = { type: 'message', bot_id: 'B0', user: 'U0BOT', ts: lastTs(), text };
      threads.set(lastTs(), [message]);
      return { body: { ok: true, channel: 'C0TEAM', ts: lastTs(), message } };
    }
    if (`${method} ${url.pathname}` === 'GET /api/conversations.replies') {
      const messages = threads.get(url.searchParams.get('ts') ?? '');
      if (messages === undefined || url.searchParams.get('channel') !== 'C0TEAM')
        return { body: { ok: false, error: 'thread_not_found' } };
      return { body: { ok: true, messages, has_more: false } };
    }
    return { status: 404, body: 'no such method' };
  });
  return {
    ...server,
    url: `${server.url}/api`,
    reply(text, more = {}) {
      const thread = threads.get(lastTs());
      thread?.push({ type: 'message', user: 'U7OWNER', ts: `1700000001.${thread.length}`, text, ...more });
    },
  };
}
