/** Answers on their way out: their length, their tag, and what a HEAD leaves away. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { etagOf, isUnchanged } from './etag.ts';

/** A finished answer. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | undefined;
}

/** The answer with the tag of its body. */
export function withTag<Answer extends HttpAnswer>(answer: Answer): Answer {
  const { body, headers } = answer;
  return body === undefined ? answer : { ...answer, headers: { ...headers, etag: etagOf(body) } };
}

/** The same for what is read: only that the reader has it already, where that is so. */
export function tagged<Answer extends HttpAnswer>(req: IncomingMessage, answer: Answer): Answer {
  const found = withTag(answer);
  const { etag } = found.headers;
  if (etag === undefined || !isUnchanged(req.headers['if-none-match'], etag)) return found;
  return { ...found, status: 304, body: undefined };
}

/** Writes an answer; HEAD gets everything but the body. */
export function writeAnswer(
  req: IncomingMessage,
  res: ServerResponse,
  { status, headers, body = '' }: HttpAnswer,
): void {
  if (res.destroyed || res.headersSent) return;
  const isBodiless = status === 204 || status === 304;
  res.writeHead(status, isBodiless ? headers : { ...headers, 'content-length': Buffer.byteLength(body) });
  res.end(req.method === 'HEAD' || isBodiless ? undefined : body);
}
