/** Who may do what with feedback: one line for each method of each service. Routes and tools ask for the same. */
import type { NeedsOf } from './guard.ts';
import { ownOr } from './guard.ts';
import type { Nouns } from './index.ts';

/** What each method needs; rules about single fields and rows stand in the services. */
export const WHO_MAY = {
  posts: {
    list: 'team',
    get: 'team',
    create: 'anyone',
    update: 'team',
    delete: ownOr('team'),
    restore: 'team',
  },
  comments: {
    tree: 'anyone',
    get: 'anyone',
    create: 'anyone',
    update: ownOr('team'),
    delete: ownOr('team'),
    react: 'anyone',
    pin: 'team',
  },
  votes: { toggle: 'anyone', set: 'anyone', proxy: 'team', voters: 'team' },
  merges: { merge: 'team', unmerge: 'team' },
  activity: { list: 'team' },
  moderation: { queue: 'team', set: 'team' },
  inbox: { counts: 'team', bulkTriage: 'team', similar: 'anyone' },
  following: { follow: 'anyone' },
  boards: { list: 'team', get: 'team', create: 'admin', update: 'admin', delete: 'admin' },
  statuses: { list: 'team', get: 'team', create: 'admin', update: 'admin', delete: 'admin' },
  tags: { list: 'team', get: 'team', create: 'team', update: 'team', delete: 'team' },
  roadmaps: {
    list: 'team',
    get: 'team',
    create: 'admin',
    update: 'admin',
    delete: 'admin',
    posts: 'team',
    addPost: 'team',
    movePost: 'team',
    removePost: 'team',
  },
  members: { list: 'team', get: 'team', people: 'team', setRole: 'admin', remove: 'admin' },
  changelog: { list: 'team', get: 'team', create: 'admin', update: 'admin', delete: 'admin' },
  webhooks: {
    list: 'team',
    get: 'admin',
    create: 'admin',
    update: 'admin',
    delete: 'admin',
    rotate: 'admin',
    test: 'admin',
    deliveries: 'admin',
    resend: 'admin',
  },
  keys: { list: 'admin', create: 'admin', revoke: 'admin' },
  settings: { get: 'public', publish: 'admin' },
  visitors: { isReserved: 'public', welcome: 'public', submit: 'anyone', edit: ownOr('nobody') },
} as const satisfies { readonly [Noun in keyof Nouns]: NeedsOf<Nouns[Noun]> };
