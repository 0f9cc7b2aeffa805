/** The table of routes: everything that `/api/v1` serves to the team. */
import type { FeedbackRoute } from '../route.ts';
import { accessRoutes } from './access.ts';
import { changelogRoutes } from './changelog.ts';
import { conversationRoutes } from './conversation.ts';
import { inboxRoutes } from './inbox.ts';
import { peopleRoutes } from './people.ts';
import { postRoutes } from './posts.ts';
import { roadmapRoutes } from './roadmaps.ts';
import { siteRoutes } from './site.ts';
import { sortingRoutes } from './sorting.ts';
import { transferRoutes } from './transfer.ts';

export const ROUTES: readonly FeedbackRoute[] = [
  ...postRoutes,
  ...inboxRoutes,
  ...conversationRoutes,
  ...sortingRoutes,
  ...roadmapRoutes,
  ...peopleRoutes,
  ...changelogRoutes,
  ...accessRoutes,
  ...siteRoutes,
  ...transferRoutes,
];
