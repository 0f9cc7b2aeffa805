/** The toolset `feedback` over the services of this process. */
import type { Events } from '@parley/events';
import type { Identity } from '@parley/identity';
import type { RouteSet } from '@parley/http';
import type { Host, SettingsOf } from '@parley/kit';
import { defineToolset } from '@parley/kit';
import type { Store } from '@parley/store';
import type { TaskEngine } from '@parley/tasks';
import type { BackendSource } from './backend.ts';
import { FEEDBACK_EVENTS } from './events.ts';
import { createLocalBackend } from './local-backend.ts';
import { feedbackMigrations } from './migrations/index.ts';
import { createPageRoutes } from './pages/routes.ts';
import { feedbackResources } from './resources.ts';
import { createRestRoutes } from './rest.ts';
import type { FeedbackServices } from './services/index.ts';
import { createFeedbackServices } from './services/index.ts';
import { feedbackSettings } from './settings.ts';
import { FEEDBACK_INSTRUCTIONS } from './tools/instructions.ts';
import { feedbackTools } from './tools/index.ts';

export type FeedbackHost = Host<
  { readonly store: Store; readonly identity: Identity; readonly events: Events; readonly tasks: TaskEngine },
  SettingsOf<typeof feedbackSettings>
>;

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
  'manage_transfers',
  'manage_webhooks',
];

export const feedbackToolset = defineToolset({
  name: 'feedback',
  title: 'Feedback',
  instructions: FEEDBACK_INSTRUCTIONS,
  rights: FEEDBACK_RIGHTS,
  roles: { member: ['*'] },
  settings: feedbackSettings,
  tools: feedbackTools,
  resources: feedbackResources,
  events: FEEDBACK_EVENTS,
  migrations: feedbackMigrations,
  services(host: FeedbackHost): FeedbackToolServices {
    const services = createFeedbackServices(host);
    host.onStop(() => services.close());
    return withBackend(services);
  },
  routes(services, { names, observe, web, settings }): RouteSet[] {
    const { ratePerMinute, ratePerKeyPerMinute, readsPerMinute, visitorsPerHour, organizationHosts } =
      settings;
    const { publicUrl, trustedProxies } = web;
    const perKey = ratePerKeyPerMinute === undefined ? {} : { ratePerKeyPerMinute };
    return [
      ...createRestRoutes(services, {
        names,
        observe,
        ratePerMinute,
        trustedProxies,
        publicUrl,
        ...perKey,
      }),
      ...createPageRoutes(services, {
        names,
        publicUrl,
        organizationHosts,
        readsPerMinute,
        visitorsPerHour,
        trustedProxies,
      }),
    ];
  },
  open: ['/api/v1/openapi.json', '/api/v1/docs', '/feedback/style.css', '/feedback/app.js'],
  // Nobody sees half of the demo.
  async beforeStart(_services, host) {
    if (!host.settings.demo) return;
    const { seedDemo } = await import('./demo/index.ts');
    await seedDemo(host);
  },
  async onStarted(_services, { web, settings }, url) {
    const pages = `${web.publicUrl ?? url}/feedback`;
    const label = 'Feedback';
    if (settings.demo) return { json: { pages }, line: { label, text: pages } };
    const text = `${pages}, once you publish it: npm run -s parley -- feedback publish on`;
    return { line: { label, text } };
  },
});
