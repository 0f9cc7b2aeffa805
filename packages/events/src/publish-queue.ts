/** Publishing on its own: events that come while another transaction runs go into the next one together. */
import { ToolError } from '@parley/kit';
import { Batches } from '@parley/store';
import type { NewEvent, UnnumberedEvent } from './cloud-event.ts';
import { checkEvent } from './cloud-event.ts';
import type { DeliveryParts } from './delivery/parts.ts';
import { publishEvents } from './publish.ts';

const MOST = 100;

/** Publishes an event in a transaction with others; it is committed when the promise resolves. */
export function createPublishQueue(parts: DeliveryParts): (event: NewEvent) => Promise<UnnumberedEvent> {
  const { store, limits } = parts;
  const write = async (events: readonly NewEvent[]) => {
    const made = await store.transaction((tx) => publishEvents(parts, tx, events));
    return made.map((value) => ({ value }));
  };
  const batches = new Batches<NewEvent, UnnumberedEvent>(
    // Nobody's time: it is spent for all of them.
    (events) => store.spending.within(undefined, () => write(events)),
    { most: MOST },
  );

  return async (event) => {
    checkEvent(event, limits);
    if (batches.waiting >= limits.waitingPublishers)
      throw new ToolError('unavailable', 'Too many events wait to be written. Try again in a moment.', {
        retryAfterMs: 1000,
      });
    return batches.add(event);
  };
}
