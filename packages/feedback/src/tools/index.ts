/** All tools: what the modules here export. */
import { toolsIn } from '@parley/kit';
import * as changelog from './changelog.ts';
import * as comments from './comments.ts';
import * as finding from './finding.ts';
import * as postChanges from './post-changes.ts';
import * as posts from './posts.ts';
import * as roadmaps from './roadmaps.ts';

/** The tools of the toolset: six for every day, and those that need an explicit grant. */
export const feedbackTools = toolsIn(posts, comments, changelog, finding, postChanges, roadmaps);
