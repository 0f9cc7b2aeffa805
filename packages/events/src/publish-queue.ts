/** Publishing on its own: events that come while another transaction runs go into the next one together. */
import { detach, ToolError } from '@parley/kit';
import { StoreUnavailableError } from '@parley/store';
import type { NewEvent, UnnumberedEvent } from './cloud-event.ts';
import { checkEvent } from './cloud-event.ts';
import type { DeliveryParts } from './delivery/parts.ts';
import { publishEvents } from './publish.ts';

interface Waiting {
  readonly event: NewEvent;
  resolve(made: UnnumberedEvent): void;
  reject(error: unknown): void;
}

const BATCH = 100;

/** Publishes an event in a transaction with others; it is committed when the promise resolves. */
export function createPublishQueue(parts: DeliveryParts): (event: NewEvent) => Promise<UnnumberedEvent> {
  const waiting: Waiting[] = [];
  let isRunning = false;

  const write = (events: readonly NewEvent[]) =>
    parts.store.transaction((tx) => publishEvents(parts, tx, events));

  async function writeBatch(batch: readonly Waiting[]): Promise<void> {
    try {
      const made = await write(batch.map(({ event }) => event));
      for (const [index, { resolve }] of batch.entries()) resolve(made[index] as UnnumberedEvent); // one for each
    } catch (error) {
      // One that cannot be written spoils it for no other; a database that is away is away for all.
      const isShared = batch.length === 1 || error instanceof StoreUnavailableError;
      for (const one of batch) {
        if (isShared) one.reject(error);
        else await writeBatch([one]);
      }
    }
  }

  async function drain(): Promise<void> {
    isRunning = true;
    while (waiting.length > 0) await writeBatch(waiting.splice(0, BATCH));
    isRunning = false;
  }

  return async (event) => {
    checkEvent(event, parts.limits);
    if (waiting.length >= parts.limits.waitingPublishers)
      throw new ToolError('unavailable', 'Too many events wait to be written. Try again in a moment.', {
        retryAfterMs: 1000,
      });
    return new Promise((resolve, reject) => {
      waiting.push({ event, resolve, reject });
      if (!isRunning) detach(drain(), (error) => parts.onFault(error, 'event publishing'));
    });
  };
}
