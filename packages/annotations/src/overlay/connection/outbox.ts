/** Owns messages that wait for the server: bounded, kept over a reload, each removed by its answer. */
import type { ClientMessage } from '../../link/messages.ts';
import type { Shelf } from './storage.ts';

/** A message that changes something; `hello` and pings do not wait. */
export type ChangeMessage = Exclude<ClientMessage, { type: 'hello' | 'session:ping' | 'session:update' }>;

/** One waiting message. */
export interface Waiting {
  readonly id: string;
  readonly message: ChangeMessage;
  /** True after it was sent once; the answer may have been lost. */
  readonly wasSent: boolean;
}

const MAX_WAITING = 200;

/** The waiting messages, oldest first. */
export interface Outbox {
  all(): readonly Waiting[];
  /** False when the box is full. */
  add(message: ChangeMessage): boolean;
  markSent(id: string): void;
  remove(id: string): Waiting | undefined;
}

/** Opens the box that the tab left behind. */
export function openOutbox(shelf: Shelf): Outbox {
  let waiting = (shelf.read('outbox') as Waiting[] | undefined) ?? []; // written below
  const keep = (next: Waiting[]): void => {
    waiting = next;
    shelf.write('outbox', next.length === 0 ? undefined : next);
  };
  return {
    all: () => waiting,
    add(message) {
      if (waiting.length >= MAX_WAITING) return false;
      const id = crypto.randomUUID();
      keep([...waiting, { id, message: { ...message, id }, wasSent: false }]);
      return true;
    },
    markSent: (id) => keep(waiting.map((one) => (one.id === id ? { ...one, wasSent: true } : one))),
    remove(id) {
      const found = waiting.find((one) => one.id === id);
      if (found !== undefined) keep(waiting.filter((one) => one !== found));
      return found;
    },
  };
}
