/** Owns what the overlay knows: notes, presence, connection; the server's word replaces every local copy. */
import type { ServerMessage } from '../../link/messages.ts';
import type { PageAnnotation, Presence, Session } from '../../shapes.ts';
import type { LinkState } from './link.ts';
import type { Waiting } from './outbox.ts';

/** Everything that is shown. */
export interface State {
  readonly connection: LinkState;
  readonly session: Session | undefined;
  /** Notes of the server, then notes that still wait to be sent. */
  readonly notes: readonly PageAnnotation[];
  readonly presence: Presence;
}

/** Notes not shown: cleared, for good or until it is undone. */
export type Hidden = ReadonlySet<string>;

/** The state, and who is told when it changes. */
export interface StateStore {
  now(): State;
  find(id: string): PageAnnotation | undefined;
  apply(message: ServerMessage): void;
  setConnection(connection: LinkState): void;
  setWaiting(waiting: readonly Waiting[]): void;
  setHidden(ids: Hidden): void;
  setAutoApprove(isOn: boolean): void;
  onChange(listener: (state: State, before: State) => void): void;
}

/** The id that a note has until the server numbers it. */
export function localId(clientId: string): string {
  return `local:${clientId}`;
}

/** Tells whether a note still waits to be sent. */
export function isLocal({ id }: Pick<PageAnnotation, 'id'>): boolean {
  return id.startsWith('local:');
}

// What the person deleted is gone for the person; agents still see it as dismissed.
function isDeleted({ status, resolvedBy }: PageAnnotation): boolean {
  return status === 'dismissed' && resolvedBy === 'user';
}

const NOBODY: Presence = { state: 'none', agents: [] };

/** An empty state; `onGap` is called when a numbered message is missing. */
export function createState(onGap: () => void): StateStore {
  let notes = new Map<string, PageAnnotation>();
  let waiting: readonly Waiting[] = [];
  let hidden: Hidden = new Set();
  let seq = 0;
  let current: State = {
    connection: { state: 'connecting' },
    session: undefined,
    notes: [],
    presence: NOBODY,
  };
  const listeners: ((state: State, before: State) => void)[] = [];

  const change = (patch: Partial<State> = {}): void => {
    const before = current;
    current = { ...current, ...patch, notes: shown() };
    for (const listener of listeners) listener(current, before);
  };
  const shown = (): PageAnnotation[] => {
    const known = [...notes.values()].filter((note) => !hidden.has(note.id) && !isDeleted(note));
    const highest = Math.max(0, ...[...notes.values()].map(({ number }) => number));
    const local = waiting.flatMap(({ message }) =>
      message.type === 'annotation:create' ? [message.payload] : [],
    );
    const arrived = new Set([...notes.values()].map(({ clientId }) => clientId));
    const unsent = local.filter(({ clientId }) => !arrived.has(clientId));
    return [...known, ...unsent.map((one, index) => provisional(one, highest + index + 1))];
  };
  // An answer may come another way than the news and later than newer news.
  const putAnswer = (note: PageAnnotation): void => {
    const known = notes.get(note.id);
    if (known === undefined || known.updatedAt < note.updatedAt) notes.set(note.id, note);
  };
  const numbered = (next: number): void => {
    if (next > seq + 1 && seq > 0) onGap();
    seq = Math.max(seq, next);
  };

  return {
    now: () => current,
    // A pin or a panel may still know a note by the id that it had until a moment ago.
    find: (id) => current.notes.find((note) => note.id === id || localId(note.clientId) === id),
    setConnection: (connection) =>
      change({ connection, ...(connection.state !== 'online' && { presence: NOBODY }) }),
    setWaiting(next) {
      waiting = next;
      change();
    },
    setHidden(ids) {
      hidden = ids;
      change();
    },
    setAutoApprove(autoApprove) {
      if (current.session) change({ session: { ...current.session, autoApprove } });
    },
    onChange: (listener) => {
      listeners.push(listener);
    },
    apply(message) {
      switch (message.type) {
        case 'session:ready':
        case 'annotations:sync':
          notes = new Map(message.payload.annotations.map((note) => [note.id, note]));
          seq = message.payload.seq;
          if (message.type === 'annotations:sync') return change();
          return change({ session: message.payload.session, presence: message.payload.presence });
        case 'annotation:created':
        case 'annotation:updated':
          numbered(message.payload.seq);
          notes.set(message.payload.annotation.id, message.payload.annotation);
          return change();
        case 'presence':
          return change({ presence: message.payload });
        case 'ok':
          if (message.payload.annotation) putAnswer(message.payload.annotation);
          return change();
        case 'error':
      }
    },
  };
}

type Created = Extract<Waiting['message'], { type: 'annotation:create' }>['payload'];

function provisional(payload: Created, number: number): PageAnnotation {
  const now = new Date().toISOString();
  return {
    ...payload,
    intent: payload.intent ?? 'change',
    severity: payload.severity ?? 'important',
    id: localId(payload.clientId),
    sessionId: '',
    number,
    status: 'pending',
    createdAt: now,
    updatedAt: now,
    replies: [],
  };
}
