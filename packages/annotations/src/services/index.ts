/** What the toolset stands on: every service over one store, and how they start and stop. */
import type { ChangeBus } from '@parley/kit';
import { createChangeBus } from '@parley/kit';
import type { Store } from '@parley/store';
import { sizeOf } from '../lean.ts';
import type { Publisher } from '../events.ts';
import type { AnnotationLimits } from '../limits.ts';
import { DEFAULT_ANNOTATION_LIMITS } from '../limits.ts';
import type { Annotation, PageAnnotation } from '../shapes.ts';
import { WHOLE_THREAD } from '../threads.ts';
import type { AgentActions } from './agent-actions.ts';
import { createAgentActions } from './agent-actions.ts';
import type { NoteQuery, PageSummary } from './browsing.ts';
import { browseNotes, browsePages } from './browsing.ts';
import { AnnotationChanges } from './changes.ts';
import type { Diffs } from './diffs.ts';
import { createDiffs } from './diffs.ts';
import type { PageTokens } from './page-tokens.ts';
import { createPageTokens } from './page-tokens.ts';
import type { PersonActions } from './person-actions.ts';
import { createPersonActions } from './person-actions.ts';
import { PresenceBook } from './presence.ts';
import type { Agent } from './holder.ts';
import type { Holdings } from './holdings.ts';
import { holdingsOf } from './holdings.ts';
import { Leases } from './leases.ts';
import type { ListLimits, NoteList, NoteScope } from './reading.ts';
import { countPending, findNote, listPending, notesById, notesOfSession } from './reading.ts';
import { publishNotices } from './resource-notices.ts';
import { sweepOld } from './retention.ts';
import { loadAnnotations } from './rows.ts';
import type { Screenshots } from './screenshots.ts';
import { createScreenshots } from './screenshots.ts';
import type { Sessions } from './sessions.ts';
import { createSessions } from './sessions.ts';
import type { NotePage } from './session-pages.ts';
import { pageOfSession } from './session-pages.ts';
import { noteNotFound } from './transitions.ts';
import type { TeamActions } from './team-actions.ts';
import { createTeamActions } from './team-actions.ts';
import { Watches } from './watch.ts';
import type { Words } from './words.ts';
import { createWords } from './words.ts';

/** How notes will be shown, when not in full. */
export type Shown = Pick<ListLimits, 'sizeOf' | 'thread'>;

/** Reading notes. */
export interface Notes {
  get(organizationId: string, id: string): Promise<Annotation>;
  pending(scope: NoteScope, shown?: Shown): Promise<NoteList>;
  countPending(scope: NoteScope): Promise<number>;
  /** For people who look through them, newest first. */
  browse(query: NoteQuery): ReturnType<typeof browseNotes>;
  /** The pages that were seen last, with how many notes each has. */
  pages(organizationId: string): Promise<PageSummary[]>;
  /** Open ones first, then the newest; in pages when it is one session. */
  list(scope: NoteScope, shown?: Shown & { cursor?: string | undefined }): Promise<NotePage>;
  /** What an agent holds. */
  mine(agent: Agent, shown?: Shown): Promise<Holdings>;
  /** The notes of a session for its own page, as many as it may be told at once. */
  ofSession(sessionId: string): Promise<PageAnnotation[]>;
  /** Some notes for their own page. */
  byId(ids: readonly string[]): Promise<PageAnnotation[]>;
}

export interface AnnotationServices {
  readonly limits: AnnotationLimits;
  readonly changes: AnnotationChanges;
  readonly notes: Notes;
  readonly sessions: Sessions;
  readonly agent: AgentActions;
  readonly person: PersonActions;
  readonly team: TeamActions;
  readonly diffs: Diffs;
  readonly screenshots: Screenshots;
  readonly presence: PresenceBook;
  readonly pageTokens: PageTokens;
  readonly watches: Watches;
  readonly leases: Leases;
  readonly words: Words;
  readonly now: () => number;
  readonly onFault: (error: unknown, where: string) => void;
  /** Removes what is too old. */
  sweep(): Promise<void>;
  /** Ends every watch and lets go of subscriptions and timers. */
  close(): Promise<void>;
}

export interface AnnotationServicesOptions {
  readonly store: Store;
  /** Where what happens is told to others; absent: nowhere. */
  readonly events?: Publisher | undefined;
  /** Where notices for MCP clients go. */
  readonly changes?: ChangeBus;
  readonly limits?: Partial<AnnotationLimits>;
  readonly now?: () => number;
  readonly onFault?: (error: unknown, where: string) => void;
}

/** Creates the services over an open, migrated store. */
export function createAnnotationServices(options: AnnotationServicesOptions): AnnotationServices {
  const { store, now = () => store.now(), onFault = () => undefined } = options;
  const limits = { ...DEFAULT_ANNOTATION_LIMITS, ...options.limits };
  const changes = new AnnotationChanges(store);
  const parts = { store, changes, limits, now, events: options.events };
  const stopping = new AbortController();
  const leases = new Leases({ ...parts, onFault });
  const notes: Notes = {
    async get(organizationId, id) {
      const row = await findNote(store, organizationId, id);
      const [annotation] = row === undefined ? [] : await loadAnnotations(store, [row], WHOLE_THREAD);
      if (annotation === undefined) throw noteNotFound(id);
      return annotation;
    },
    async pending(scope, shown) {
      await leases.reclaim();
      return listPending(store, scope, { ...limits, ...shown });
    },
    countPending: (scope) => countPending(store, scope),
    async browse(query) {
      await leases.reclaim();
      return browseNotes(store, query, now());
    },
    pages: (organizationId) => browsePages(store, { organizationId, limit: limits.listItems }, now()),
    async list(scope, { cursor, ...shown } = {}) {
      await leases.reclaim();
      return pageOfSession(store, scope, { ...limits, ...shown }, cursor);
    },
    mine: (agent, shown) => holdingsOf(store, agent, { ...limits, ...shown }),
    ofSession: (sessionId) => notesOfSession(store, sessionId, limits.sessionBytes),
    byId: (ids) => notesById(store, ids),
  };
  const presence = new PresenceBook({ ...parts, onFault });
  const stopNotices = publishNotices(changes, options.changes ?? createChangeBus());
  return {
    limits,
    changes,
    notes,
    sessions: createSessions(parts, limits),
    agent: createAgentActions(parts, leases),
    person: createPersonActions(parts, limits),
    team: createTeamActions(parts),
    diffs: createDiffs(parts, leases, stopping.signal),
    screenshots: createScreenshots(store, limits, now),
    presence,
    pageTokens: createPageTokens(parts),
    watches: new Watches(
      changes,
      (scope) => notes.pending(scope, { sizeOf: sizeOf('lean') }),
      stopping.signal,
    ),
    leases,
    words: createWords(store),
    now,
    onFault,
    sweep: () => sweepOld(parts, limits),
    async close() {
      stopping.abort();
      stopNotices();
      await leases.close();
      await presence.close();
      changes.close();
    },
  };
}
