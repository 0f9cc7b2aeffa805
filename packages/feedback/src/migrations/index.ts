/** The migrations of feedback, in order. */
import type { MigrationSet } from '@parley/store';
import { createBoards } from './001-boards.ts';
import { createPosts } from './002-posts.ts';
import { createConversation } from './003-conversation.ts';
import { createPlans } from './004-plans.ts';
import { createRest } from './005-rest.ts';
import { createImports } from './007-import.ts';
import { createModeration } from './008-moderation.ts';
import { pairRuns } from './009-runs.ts';
import { addImportedVotes } from './010-imported-votes.ts';
import { createConsole } from './011-console.ts';

/** What the store applies for feedback. */
export const feedbackMigrations: MigrationSet = {
  name: 'feedback',
  migrations: {
    '001-boards': createBoards,
    '002-posts': createPosts,
    '003-conversation': createConversation,
    '004-plans': createPlans,
    '005-rest': createRest,
    // No 006 was ever published; the store goes by names, so the gap means nothing.
    '007-import': createImports,
    '008-moderation': createModeration,
    '009-runs': pairRuns,
    '010-imported-votes': addImportedVotes,
    '011-console': createConsole,
  },
};
