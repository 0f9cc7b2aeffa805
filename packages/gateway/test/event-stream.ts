/** An event stream as a client holds it: read event by event, closed when the test says so. */
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Sending } from '@parley/test-support/wire';
import { open, responseOf } from '@parley/test-support/wire';

/** An open stream. */
export interface EventStream {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** The next message, or undefined when the server has ended the stream. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into messages of every shape
  next(): Promise<any>;
  /** Resolves when the stream is over on this side too. */
  close(): Promise<void>;
}

/** Opens a stream and waits for its head. */
export async function openStream(sending: Sending): Promise<EventStream> {
  const req = open(sending);
  const res = await responseOf(req);
  const events = messagesOf(res);
  return {
    status: res.statusCode ?? 0,
    headers: res.headers,
    next: async () => (await events.next()).value,
    close: () => closeOf(req),
  };
}

async function* messagesOf(res: IncomingMessage): AsyncGenerator<unknown, undefined> {
  let buffered = '';
  try {
    for await (const chunk of res as AsyncIterable<Buffer>) {
      buffered += chunk.toString('utf8');
      const events = buffered.split('\n\n');
      buffered = events.pop() ?? '';
      for (const event of events) {
        const data = event.split('\n').find((line) => line.startsWith('data: {'));
        if (data !== undefined) yield JSON.parse(data.slice('data: '.length));
      }
    }
  } catch {
    // A connection that the server cut is an end like any other to whoever reads.
  }
}

function closeOf(req: ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    if (req.closed) return resolve();
    req.once('close', () => resolve());
    req.destroy();
  });
}
