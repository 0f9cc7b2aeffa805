/** The thread that translates one document: large ones would hold the server up. */
import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import type { ServiceHead, ServiceTool, Source } from './service.ts';
import { BadDocument } from './service.ts';
import { translate } from './translate.ts';

/** What the thread tells, in this order: tools in some messages, then one of the others. */
export type FromTranslator =
  | { readonly type: 'tools'; readonly tools: readonly ServiceTool[] }
  | { readonly type: 'end'; readonly head: ServiceHead }
  | { readonly type: 'bad'; readonly message: string };

// Together they would be one long turn of the server; each of these is a short one, and is asked for.
const TOOLS_AT_ONCE = 25;

const port = parentPort;
const tell = (message: FromTranslator) => port?.postMessage(message);

try {
  // The translator starts this file as a thread, with this.
  const { tools, head } = await translate(workerData as Source);
  for (let from = 0; from < tools.length; from += TOOLS_AT_ONCE) {
    const isTaken = port === null ? undefined : once(port, 'message');
    tell({ type: 'tools', tools: tools.slice(from, from + TOOLS_AT_ONCE) });
    await isTaken;
  }
  tell({ type: 'end', head });
} catch (error) {
  // Anything else is a fault of ours and ends the thread with it.
  if (!(error instanceof BadDocument)) throw error;
  tell({ type: 'bad', message: error.message });
}
