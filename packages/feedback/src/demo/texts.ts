/** Every text of the demo that holds posts. */
import { APP_BUGS } from './data/bugs-apps.ts';
import { BOARD_BUGS } from './data/bugs-boards.ts';
import { INTEGRATION_POSTS } from './data/integrations.ts';
import { INTERNAL_POSTS } from './data/internal.ts';
import { EVERYDAY_POSTS } from './data/posts-everyday.ts';
import { PLANNING_POSTS } from './data/posts-planning.ts';
import { TEAMWORK_POSTS } from './data/posts-teamwork.ts';
import { VIEW_POSTS } from './data/posts-views.ts';

/** The texts, by theme. */
export const demoTexts: readonly string[] = [
  PLANNING_POSTS,
  VIEW_POSTS,
  TEAMWORK_POSTS,
  EVERYDAY_POSTS,
  INTEGRATION_POSTS,
  BOARD_BUGS,
  APP_BUGS,
  INTERNAL_POSTS,
];
