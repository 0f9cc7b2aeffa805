/** The recent events of a 2025 session's streams, so that a client can resume after a lost connection. */
import type { EventStore } from '@modelcontextprotocol/server';

const MAX_EVENTS = 1000;
const MAX_BYTES = 4 * 1024 * 1024;

interface Event {
  readonly id: string;
  readonly streamId: string;
  readonly message: unknown;
  readonly sizeBytes: number;
}

/** A bounded log in memory; what fell out of it cannot be resumed. */
export function createEventLog(): EventStore {
  const events: Event[] = [];
  let sequence = 0;
  let sizeBytes = 0;
  return {
    async storeEvent(streamId, message) {
      sequence += 1;
      const event = {
        id: `${streamId}~${sequence}`,
        streamId,
        message,
        sizeBytes: Buffer.byteLength(JSON.stringify(message)),
      };
      events.push(event);
      sizeBytes += event.sizeBytes;
      while (events.length > MAX_EVENTS || (sizeBytes > MAX_BYTES && events.length > 1)) {
        sizeBytes -= events.shift()?.sizeBytes ?? 0;
      }
      return event.id;
    },
    async getStreamIdForEventId(eventId) {
      return events.find(({ id }) => id === eventId)?.streamId;
    },
    async replayEventsAfter(lastEventId, { send }) {
      const at = events.findIndex(({ id }) => id === lastEventId);
      const last = events[at];
      if (last === undefined) throw new Error('The event to resume after is no longer known.');
      for (const event of events.slice(at + 1)) {
        // The SDK stores messages as it sent them and primes a stream with an empty one.
        if (event.streamId === last.streamId && isMessage(event.message)) await send(event.id, event.message);
      }
      return last.streamId;
    },
  };
}

type StoredMessage = Parameters<EventStore['storeEvent']>[1];

function isMessage(message: unknown): message is StoredMessage {
  return typeof message === 'object' && message !== null && Object.keys(message).length > 0;
}
