/** Everything that can be done with feedback; REST, tools, pages and imports are thin over this. */
import type { Events } from '@parley/events';
import type { Identity } from '@parley/identity';
import type { Caller, ChangeBus } from '@parley/kit';
import type { Store } from '@parley/store';
import type { TaskEngine } from '@parley/tasks';
import type { Actor } from '../actor.ts';
import { actorOf } from '../actor.ts';
import { createActivity } from './inbox/activity.ts';
import type { ActivityService } from './inbox/activity.ts';
import { createBoards } from './nouns/boards.ts';
import type { BoardService } from './nouns/boards.ts';
import { createChangelog } from './changelog/changelog.ts';
import type { ChangelogService } from './changelog/changelog.ts';
import { createComments } from './comments/comments.ts';
import type { CommentService } from './comments/comments.ts';
import { createFollowing } from './people/follow.ts';
import type { FollowService } from './people/follow.ts';
import { guardEach } from './guard.ts';
import { createInbox } from './inbox/inbox.ts';
import type { InboxService } from './inbox/inbox.ts';
import { createKeys } from './people/keys.ts';
import type { KeyService } from './people/keys.ts';
import { createMembers } from './people/members.ts';
import type { MemberService } from './people/members.ts';
import { createMerges } from './votes/merges.ts';
import type { MergeService } from './votes/merges.ts';
import { createModeration } from './inbox/moderation.ts';
import type { ModerationService } from './inbox/moderation.ts';
import { createPosts } from './posts/posts.ts';
import type { PostService } from './posts/posts.ts';
import { publishNotices } from './resource-notices.ts';
import { createRoadmaps } from './nouns/roadmaps.ts';
import type { RoadmapService } from './nouns/roadmaps.ts';
import { createSettings } from './people/settings.ts';
import type { SettingsService } from './people/settings.ts';
import { createSetup } from './people/setup.ts';
import { createStatuses } from './nouns/statuses.ts';
import type { StatusService } from './nouns/statuses.ts';
import { createReading } from './inbox/read-marks.ts';
import type { ReadingService } from './inbox/read-marks.ts';
import { createTags } from './nouns/tags.ts';
import type { TagService } from './nouns/tags.ts';
import { createUploads } from './uploads/uploads.ts';
import type { UploadService } from './uploads/uploads.ts';
import { createVisitors } from './people/visitors.ts';
import type { VisitorService } from './people/visitors.ts';
import { createVotes } from './votes/votes.ts';
import type { VoteService } from './votes/votes.ts';
import { createWebhooks } from './people/webhooks.ts';
import type { WebhookService } from './people/webhooks.ts';
import { WHO_MAY } from './who-may.ts';
import type { Base } from './write.ts';

/** The services by noun. Every method takes the actor first; a foreign id is an unknown id. */
export interface Nouns {
  readonly posts: PostService;
  readonly comments: CommentService;
  readonly votes: VoteService;
  readonly merges: MergeService;
  readonly activity: ActivityService;
  readonly moderation: ModerationService;
  readonly inbox: InboxService;
  readonly following: FollowService;
  readonly boards: BoardService;
  readonly statuses: StatusService;
  readonly tags: TagService;
  readonly roadmaps: RoadmapService;
  readonly members: MemberService;
  readonly changelog: ChangelogService;
  readonly webhooks: WebhookService;
  readonly keys: KeyService;
  readonly settings: SettingsService;
  readonly reading: ReadingService;
  readonly uploads: UploadService;
  readonly visitors: VisitorService;
}

/** The services, and what they stand on. */
export interface FeedbackServices extends Nouns {
  /** The actor behind a caller; every surface begins with this. */
  actor(caller: Caller): Promise<Actor>;
  readonly store: Store;
  readonly identity: Identity;
  readonly onFault: (error: unknown, where: string) => void;
  readonly now: () => number;
  close(): Promise<void>;
}

export interface FeedbackServicesOptions {
  readonly store: Store;
  readonly identity: Identity;
  readonly events: Events;
  readonly tasks: TaskEngine;
  readonly changes: ChangeBus;
  readonly onFault: (error: unknown, where: string) => void;
  readonly now?: () => number;
}

export function createFeedbackServices(options: FeedbackServicesOptions): FeedbackServices {
  const { store, identity, events, tasks, onFault, now = () => store.now() } = options;
  const base: Base = { store, identity, events, tasks, now };
  const setUp = createSetup(store, now);
  const stopNotices = publishNotices(store.signal, options.changes);
  const nouns: Nouns = {
    posts: createPosts(base),
    votes: createVotes(base),
    comments: createComments(base),
    merges: createMerges(base),
    activity: createActivity(base),
    moderation: createModeration(base),
    inbox: createInbox(base),
    following: createFollowing(base),
    boards: createBoards(base),
    statuses: createStatuses(base),
    tags: createTags(base),
    roadmaps: createRoadmaps(base),
    members: createMembers(base),
    changelog: createChangelog(base),
    webhooks: createWebhooks(base),
    keys: createKeys(base),
    settings: createSettings(base, setUp),
    reading: createReading(base),
    // An import writes through the very services that it is one of.
    uploads: createUploads(base, () => ({ ...guardedNouns, store, identity, now })),
    visitors: createVisitors(base),
  };
  const guardedNouns = guardEach(WHO_MAY, nouns);
  return {
    ...guardedNouns,
    async actor(caller) {
      await setUp(caller.organizationId);
      return actorOf(identity, caller);
    },
    store,
    identity,
    onFault,
    now,
    async close() {
      stopNotices();
    },
  };
}
