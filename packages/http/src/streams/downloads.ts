/** Files that are written while they are read: a bounded number at a time, and never faster than their reader. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { HttpRefusal } from '../refusal.ts';
import { Places } from './places.ts';

/** A file that a route answers with. */
export interface Download {
  /** What browsers call it: printable ASCII without quotes. */
  readonly fileName: string;
  /** Its media type. */
  readonly type: string;
  /** Writes all of it; `put` waits for the reader and throws once there is none. */
  write(put: (text: string) => Promise<void>): Promise<unknown>;
}

/** How many files there may be at once, and how long a reader may stand still. */
export interface DownloadLimits {
  readonly perOrganization: number;
  readonly perProcess: number;
  readonly patienceMs: number;
}

/** Who is sent a file. */
interface Reader {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly organizationId: string;
}

const DEFAULT_LIMITS: DownloadLimits = { perOrganization: 2, perProcess: 8, patienceMs: 30_000 };
const RETRY_SECONDS = '10';
const UNSAFE_NAME = /[^\x20-\x7e]|["\\/]/g;

/** The reader is gone, or reads no longer; nobody is left to be told. */
class ReaderLeft extends Error {
  override readonly name = 'ReaderLeft';
}

/** Creates the function that sends files; it returns when the last byte is on its way. */
export function createDownloads(
  onFault: (error: unknown) => void,
  options: Partial<DownloadLimits> = {},
): (reader: Reader, file: Download) => Promise<void> {
  const limits = { ...DEFAULT_LIMITS, ...options };
  const places = new Places();
  return async ({ req, res, organizationId }, { fileName, type, write }) => {
    const leave = places.take([
      ['', limits.perProcess],
      [organizationId, limits.perOrganization],
    ]);
    if (leave === undefined) throw tooMany();
    const leaver = new AbortController();
    const gone = () => leaver.abort();
    res.once('close', gone);
    res.on('error', gone);
    try {
      res.writeHead(200, {
        'content-type': type,
        'content-disposition': `attachment; filename="${fileName.replaceAll(UNSAFE_NAME, '_')}"`,
        'cache-control': 'no-store',
      });
      if (req.method === 'HEAD') {
        res.end();
        return;
      }
      await write((text) => putText(res, text, leaver.signal, limits.patienceMs));
      res.end();
    } catch (error) {
      // Half a file must not look like a whole one.
      res.destroy();
      if (!(error instanceof ReaderLeft)) onFault(error);
    } finally {
      res.off('close', gone);
      leave();
    }
  };
}

function putText(res: ServerResponse, text: string, left: AbortSignal, patienceMs: number): Promise<void> {
  if (left.aborted || res.destroyed) return Promise.reject(new ReaderLeft());
  if (res.write(text)) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const settle = (done: () => void) => {
      clearTimeout(timer);
      res.off('drain', drained);
      left.removeEventListener('abort', lost);
      done();
    };
    const drained = () => settle(resolve);
    const lost = () => settle(() => reject(new ReaderLeft()));
    const timer = setTimeout(lost, patienceMs).unref();
    res.once('drain', drained);
    left.addEventListener('abort', lost, { once: true });
  });
}

function tooMany(): HttpRefusal {
  return new HttpRefusal('RATE_LIMITED', 'Too many files are being written. Wait for one of them to end.', {
    headers: { 'retry-after': RETRY_SECONDS },
  });
}
