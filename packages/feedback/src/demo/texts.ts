/** Every text of the demo that holds posts. */
import { appBugs } from './data/bugs-apps.ts';
import { boardBugs } from './data/bugs-boards.ts';
import { integrationPosts } from './data/integrations.ts';
import { internalPosts } from './data/internal.ts';
import { everydayPosts } from './data/posts-everyday.ts';
import { planningPosts } from './data/posts-planning.ts';
import { teamworkPosts } from './data/posts-teamwork.ts';
import { viewPosts } from './data/posts-views.ts';

/** The texts, by theme. */
export const demoTexts: readonly string[] = [
  planningPosts,
  viewPosts,
  teamworkPosts,
  everydayPosts,
  integrationPosts,
  boardBugs,
  appBugs,
  internalPosts,
];
