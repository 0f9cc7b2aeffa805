/** The team's inbox: its posts, how they are spread, one change for many of them, and what resembles a text. */
import type { Actor } from '../../actor.ts';
import type { InboxCounts, InboxPost, TriageChange } from '../../shapes/inbox.ts';
import type { Page, PostFilter, PostItem } from '../../shapes/posts.ts';
import type { TriageResult } from './bulk-triage.ts';
import { bulkTriage } from './bulk-triage.ts';
import { countInbox } from './counts.ts';
import type { InboxQuery } from './inbox-posts.ts';
import { listInbox } from './inbox-posts.ts';
import type { SimilarQuery } from '../posts/similar.ts';
import { findSimilar } from '../posts/similar.ts';
import type { Base } from '../write.ts';

export interface InboxService {
  /** For the team: the posts of a view, with what the caller has seen of them. */
  posts(actor: Actor, query: InboxQuery): Promise<Page<InboxPost>>;
  /** For the team: counts per status, board, tag and owner of the posts that fit. */
  counts(actor: Actor, filter: PostFilter): Promise<InboxCounts>;
  /** For the team: the same change for 1 to 100 posts, each by itself. */
  bulkTriage(actor: Actor, ids: readonly string[], change: TriageChange): Promise<TriageResult[]>;
  /** Posts that share the telling words of a text; visitors find those on public boards. */
  similar(actor: Actor, query: SimilarQuery): Promise<PostItem[]>;
}

export function createInbox(base: Base): InboxService {
  return {
    posts: (actor, query) => listInbox(base, actor, query),
    counts: (actor, filter) => countInbox(base.store, actor, filter),
    bulkTriage: (actor, ids, change) => bulkTriage(base, actor, ids, change),
    similar: (actor, query) => findSimilar(base.store, actor, query),
  };
}
