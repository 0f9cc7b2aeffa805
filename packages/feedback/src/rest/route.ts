/** What a handler of feedback's routes gets besides what was asked, and the `defineRoute` that gives it. */
import { defineRouteFor } from '@parley/http/rest';
import type { Route } from '@parley/http/rest';
import type { Actor } from '../actor.ts';
import type { FeedbackServices } from '../services/index.ts';

/** The services, and the one who asks them. */
export interface FeedbackScope {
  readonly services: FeedbackServices;
  readonly actor: Actor;
}

/** A route of feedback in the table. */
export type FeedbackRoute = Route<FeedbackScope>;

/** Takes one literal and checks its types against each other. */
export const defineRoute = defineRouteFor<FeedbackScope>();
