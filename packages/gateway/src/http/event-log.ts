/** The recent events of a 2025 session's streams, so that a client can resume after a lost connection. */
import type { EventStore } from '@modelcontextprotocol/server';

/** How long a client waits before it resumes. */
export const RETRY_MS = 1000;
const MAX_EVENTS = 1000;
const MAX_BYTES = 4 * 1024 * 1024;

interface Event {
  readonly id: string;
  readonly streamId: string;
  /** As text, which is what the limit counts and the least to keep. */
  readonly json: string;
  readonly sizeBytes: number;
}

/** A log that takes messages of the SDK, and the text of others. */
export interface EventLog extends EventStore {
  /** Adds a message and returns the id of its event. */
  add(streamId: string, json: string): string;
}

/** The message that a stream is primed with. */
export const EMPTY = '{}';

/** A bounded log in memory; what fell out of it cannot be resumed. */
export function createEventLog(): EventLog {
  const events: Event[] = [];
  let sequence = 0;
  let sizeBytes = 0;
  function add(streamId: string, json: string): string {
    sequence += 1;
    const event = { id: `${streamId}~${sequence}`, streamId, json, sizeBytes: Buffer.byteLength(json) };
    events.push(event);
    sizeBytes += event.sizeBytes;
    while (events.length > MAX_EVENTS || (sizeBytes > MAX_BYTES && events.length > 1)) {
      sizeBytes -= events.shift()?.sizeBytes ?? 0;
    }
    return event.id;
  }
  return {
    add,
    storeEvent: async (streamId, message) => add(streamId, JSON.stringify(message)),
    async getStreamIdForEventId(eventId) {
      return events.find(({ id }) => id === eventId)?.streamId;
    },
    async replayEventsAfter(lastEventId, { send }) {
      const at = events.findIndex(({ id }) => id === lastEventId);
      const last = events[at];
      if (last === undefined) throw new Error('The event to resume after is no longer known.');
      for (const event of events.slice(at + 1)) {
        if (event.streamId !== last.streamId || event.json === EMPTY) continue;
        // The text of a message that was sent.
        await send(event.id, JSON.parse(event.json) as StoredMessage);
      }
      return last.streamId;
    },
  };
}

type StoredMessage = Parameters<EventStore['storeEvent']>[1];
