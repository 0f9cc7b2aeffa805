/** A process that imports a file and says how far it is; killed by the fault test, again and again. */
import { flushCompileCache } from 'node:module';
import { createEvents } from '@parley/events';
import { createEgress } from '@parley/kit/egress';
import { createFeedbackServices } from '@parley/feedback';
import { importFile } from '@parley/feedback/transfer';
import { createIdentity } from '@parley/identity';
import { createChangeBus } from '@parley/kit';
import type { StoreOptions } from '@parley/store';
import { openStore } from '@parley/store';
import { createTaskEngine } from '@parley/tasks';

/** What the program is told. */
export interface ImportProgramOptions {
  readonly store: StoreOptions;
  readonly key: string;
  readonly path: string;
  readonly board?: string;
}

// The test that starts this program writes the argument.
const { store: where, key, path, board } = JSON.parse(process.argv[2] ?? '') as ImportProgramOptions;
const onFault = (error: unknown) => {
  throw error;
};
const store = await openStore(where);
const identity = createIdentity(store);
const tasks = createTaskEngine({ store, onFault });
const events = createEvents({ store, tasks, egress: createEgress(), onFault });
const services = createFeedbackServices({
  store,
  identity,
  tasks,
  events,
  changes: createChangeBus(),
  onFault,
});
// It is killed, and would leave nothing for the next one that starts.
flushCompileCache();
const caller = await identity.authenticate(key, 'key');
if (caller === undefined) throw new Error('The key is not valid.');
const report = await importFile(services, { caller, actor: await services.actor(caller) }, path, {
  board,
  createBoards: board !== undefined,
  observer: { progress: (done) => process.stdout.write(`${done}\n`) },
});
process.stdout.write(`done ${JSON.stringify(report)}\n`);
await services.close();
identity.close();
await store.close();
