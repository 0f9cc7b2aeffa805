/** Translations, each in a thread of its own with limits on time and memory; organizations take turns. */
import { Worker } from 'node:worker_threads';
import { detach } from '@parley/kit';
import { Turns } from '@parley/store';
import { UpstreamFault } from '../link.ts';
import { THREAD_HEAP_MB, TRANSLATE_MS } from './limits.ts';
import type { Service, ServiceTool, Source } from './service.ts';
import type { FromTranslator } from './translator-thread.ts';

/** Translates documents. */
export interface Translator {
  /** Throws an `UpstreamFault` when nothing can be made of the document. */
  translate(
    source: Source,
    who: { readonly organizationId: string; readonly signal: AbortSignal },
  ): Promise<Service>;
  close(): Promise<void>;
}

const THREAD_FILE = import.meta.url.endsWith('.ts') ? './translator-thread.ts' : './openapi-thread.js';
const PLACES = { places: 2, waiting: 32, waitMs: 30_000 };

export function createTranslator({ limitMs = TRANSLATE_MS }: { limitMs?: number } = {}): Translator {
  const threads = new Set<Worker>();
  const turns = new Turns(
    PLACES,
    () =>
      new UpstreamFault('unreachable', 'Too many documents are being read. Try again in a moment.', {
        wasSent: false,
      }),
  );
  return {
    translate: (source, who) =>
      turns.take(who, () => inThread(source, threads, { limitMs, signal: who.signal })),
    async close() {
      turns.close();
      await Promise.all([...threads].map((thread) => thread.terminate()));
    },
  };
}

async function inThread(
  source: Source,
  threads: Set<Worker>,
  { limitMs, signal }: { limitMs: number; signal: AbortSignal },
): Promise<Service> {
  const thread = new Worker(new URL(THREAD_FILE, import.meta.url), {
    workerData: source,
    env: {},
    execArgv: [],
    stdin: false,
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: THREAD_HEAP_MB, maxYoungGenerationSizeMb: 32 },
  });
  threads.add(thread);
  // Nothing of it goes to the output of the server.
  thread.stdout.resume();
  thread.stderr.resume();
  const { promise, resolve, reject } = Promise.withResolvers<Service>();
  const timer = setTimeout(() => reject(tooMuch('time')), limitMs);
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const tools = new Map<string, ServiceTool>();
  thread.on('message', (message: FromTranslator) => {
    if (message.type === 'tools') {
      for (const tool of message.tools) tools.set(tool.definition.name, tool);
      thread.postMessage('next');
    } else if (message.type === 'bad') reject(new UpstreamFault('invalid_result', message.message));
    else resolve({ ...message.head, tools });
  });
  thread.on('error', (error: Error) => reject(isOutOfMemory(error) ? tooMuch('memory') : error));
  thread.once('exit', () => {
    threads.delete(thread);
    reject(new UpstreamFault('invalid_result', 'The document could not be read. Try again.'));
  });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    // It cannot fail: what the thread did until then is nobody's any more.
    detach(thread.terminate(), () => undefined);
  }
}

function tooMuch(what: 'time' | 'memory'): UpstreamFault {
  return new UpstreamFault(
    'invalid_result',
    `Reading the document takes too much ${what}. Split it into smaller ones.`,
  );
}

function isOutOfMemory(error: Error): boolean {
  return 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
