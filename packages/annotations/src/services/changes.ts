/** Who hears of changes: one subscription per process, shared by watches, notices and the browser link. */
import type { Store, StoreTransaction } from '@parley/store';

/** Notes of one session changed. */
export interface NotesChange {
  readonly kind: 'notes';
  readonly organizationId: string;
  readonly sessionId: string;
  /** Absent when there are too many to name: any note of the session. */
  readonly ids?: readonly string[];
  /** A note became pending, was pending, or is pending and changed. */
  readonly pending: boolean;
  /** A person wrote to a note that an agent holds. */
  readonly words?: boolean;
}

/** A session changed, came or went. */
export interface SessionChange {
  readonly kind: 'session';
  readonly organizationId: string;
  readonly sessionId: string;
  readonly isListChange: boolean;
}

/** An agent appeared. */
export interface PresenceChange {
  readonly kind: 'presence';
  readonly organizationId: string;
}

/** A page token was revoked or bound to other origins. */
export interface PageTokenChange {
  readonly kind: 'page-token';
  readonly organizationId: string;
  readonly pageTokenId: string;
}

/** What a listener is told; `all` means that changes may have been missed. */
export type AnnotationChange =
  | NotesChange
  | SessionChange
  | PresenceChange
  | PageTokenChange
  | { readonly kind: 'all' };

const PREFIX = 'annotations.';
const TOPICS = {
  notes: `${PREFIX}changed`,
  session: `${PREFIX}session`,
  presence: `${PREFIX}presence`,
  'page-token': `${PREFIX}page-token`,
};
// A signal holds 4,000 bytes, and an id has 30.
const MAX_NAMED = 60;

/** Carries changes of annotations to everybody in this process who listens. */
export class AnnotationChanges {
  readonly #store: Store;
  readonly #listeners = new Set<(change: AnnotationChange) => void>();
  readonly #unsubscribe: () => void;

  constructor(store: Store) {
    this.#store = store;
    this.#unsubscribe = store.signal.subscribe(PREFIX, ({ topic, payload }) => {
      // Only `announce` writes to these topics, and it writes a change.
      const change: AnnotationChange =
        topic === '*' || payload === null ? { kind: 'all' } : (JSON.parse(payload) as AnnotationChange);
      this.#tell(change);
    });
  }

  /** Announces a change with the transaction that makes it. */
  announce(tx: StoreTransaction, change: Exclude<AnnotationChange, { kind: 'all' }>): Promise<void> {
    if (change.kind !== 'notes' || (change.ids?.length ?? 0) <= MAX_NAMED) {
      return tx.signal(TOPICS[change.kind], JSON.stringify(change));
    }
    const { ids: _tooMany, ...rest } = change;
    return tx.signal(TOPICS.notes, JSON.stringify(rest));
  }

  /** Returns the function that ends it. */
  listen(listener: (change: AnnotationChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Counts the wait for a change as what the caller wanted. */
  held<Waited>(waiting: Promise<Waited>): Promise<Waited> {
    return this.#store.spending.wait('purpose', 'note', waiting);
  }

  /** Tells everybody to look again when the signal itself cannot be trusted. */
  retellWhenBroken(): void {
    if (this.#store.signal.isBroken()) this.#tell({ kind: 'all' });
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  close(): void {
    this.#unsubscribe();
    this.#listeners.clear();
  }

  #tell(change: AnnotationChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}
