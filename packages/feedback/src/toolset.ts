/** The toolset `feedback` over the services of this process. */
import type { Events } from '@parley/events';
import type { Identity } from '@parley/identity';
import type { AllowedNames, RouteSet } from '@parley/http';
import type { ChangeBus, Observer } from '@parley/kit';
import { defineToolset } from '@parley/kit';
import type { Store } from '@parley/store';
import type { TaskEngine } from '@parley/tasks';
import type { BackendSource } from './backend.ts';
import { createLocalBackend } from './local-backend.ts';
import { feedbackMigrations } from './migrations/index.ts';
import { createPageRoutes } from './pages/routes.ts';
import { feedbackResources } from './resources.ts';
import { createRestRoutes } from './rest.ts';
import type { FeedbackServices } from './services/index.ts';
import { createFeedbackServices } from './services/index.ts';
import { FEEDBACK_INSTRUCTIONS } from './tools/instructions.ts';
import { feedbackTools } from './tools/index.ts';

/** What the program that serves the toolset offers. */
export interface FeedbackHost {
  readonly store: Store;
  readonly identity: Identity;
  readonly events: Events;
  readonly tasks: TaskEngine;
  readonly changes: ChangeBus;
  readonly onFault: (error: unknown, where: string) => void;
  /** Runs when the program begins to stop, before running calls are waited for. */
  onStop(work: () => Promise<void>): void;
  /** Hosts and pages that the HTTP routes accept besides the loopback ones. */
  readonly names: AllowedNames;
  /** Told of every call over REST, like the engine tells of every tool call. */
  readonly observe: Observer;
  /** What the owner decided about REST and the public pages. */
  readonly web: FeedbackWebSettings;
}

/** Settings of the HTTP side. */
export interface FeedbackWebSettings {
  readonly ratePerMinute: number;
  readonly ratePerKeyPerMinute: number | undefined;
  readonly trustedProxies: readonly string[];
  readonly publicUrl: string | undefined;
  /** New visitors of the pages from one address per hour. */
  readonly visitorsPerHour?: number | undefined;
}

/** The services as the toolset has them: every surface is thin over them, tools through a backend. */
export type FeedbackToolServices = FeedbackServices & BackendSource;

/** Adds the way that tools take to the services. */
export function withBackend(services: FeedbackServices): FeedbackToolServices {
  return {
    ...services,
    backendFor: async ({ caller }) => createLocalBackend(services, await services.actor(caller)),
  };
}

// What the REST API has and tools do not; the routes ask for these names.
const FEEDBACK_RIGHTS = [
  'manage_boards',
  'manage_keys',
  'manage_members',
  'manage_roadmaps',
  'manage_statuses',
  'manage_tags',
  'manage_webhooks',
];

/** The toolset. */
export const feedbackToolset = defineToolset({
  name: 'feedback',
  title: 'Feedback',
  instructions: FEEDBACK_INSTRUCTIONS,
  rights: FEEDBACK_RIGHTS,
  tools: feedbackTools,
  resources: feedbackResources,
  migrations: feedbackMigrations,
  services(host: FeedbackHost): FeedbackToolServices {
    const services = createFeedbackServices(host);
    host.onStop(() => services.close());
    return withBackend(services);
  },
  routes(services: FeedbackToolServices, { names, observe, web }: FeedbackHost): RouteSet[] {
    const { ratePerKeyPerMinute, publicUrl, visitorsPerHour, ...rate } = web;
    const perKey = ratePerKeyPerMinute === undefined ? {} : { ratePerKeyPerMinute };
    return [
      ...createRestRoutes(services, { names, observe, ...rate, ...perKey }),
      ...createPageRoutes(services, {
        names,
        publicUrl,
        visitorsPerHour,
        trustedProxies: web.trustedProxies,
      }),
    ];
  },
});
