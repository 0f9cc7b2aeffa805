/** The toolset `annotations`: tools for notes, diffs and page tokens, their documents, their prompt and the browser link. */
import type { Identity } from '@parley/identity';
import type { Host, SettingsOf } from '@parley/kit';
import { defineToolset, toolsIn } from '@parley/kit';
import type { Store } from '@parley/store';
import type { Publisher } from './events.ts';
import { ANNOTATION_EVENTS } from './events.ts';
import { annotationMigrations } from './migrations/index.ts';
import { INSTRUCTIONS, startPolling } from './prompts.ts';
import { createOverlayScript, overlayTag } from './overlay-script.ts';
import { annotationResources } from './resources.ts';
import { createAnnotationRoutes } from './routes.ts';
import type { AnnotationServices } from './services/index.ts';
import { createAnnotationServices } from './services/index.ts';
import { annotationSettings } from './settings.ts';
import * as diffs from './tools/diffs.ts';
import * as notes from './tools/notes.ts';
import * as pageTokens from './tools/page-tokens.ts';
import * as sessions from './tools/sessions.ts';
import * as watch from './tools/watch.ts';

const MINUTE_MS = 60_000;

export type AnnotationsHost = Host<
  {
    readonly store: Store;
    readonly identity: Pick<Identity, 'firstOrganizationId'>;
    readonly events: Publisher;
  },
  SettingsOf<typeof annotationSettings>
>;

export const annotationsToolset = defineToolset({
  name: 'annotations',
  title: 'Annotations',
  instructions: INSTRUCTIONS,
  settings: annotationSettings,
  tools: toolsIn(sessions, notes, watch, diffs, pageTokens),
  resources: annotationResources,
  prompts: [startPolling],
  events: ANNOTATION_EVENTS,
  migrations: annotationMigrations,
  services(host: AnnotationsHost): AnnotationServices {
    const services = createAnnotationServices({
      ...host,
      limits: { noteLeaseMs: host.settings.noteLease * MINUTE_MS },
    });
    host.onStop(() => services.close());
    return services;
  },
  routes: (services, { names }) =>
    createAnnotationRoutes(services, { names, overlayScript: createOverlayScript() }),
  open: ['/__parley/overlay.js'],
  async onStarted({ pageTokens: tokens }, { identity }, url) {
    const tag = overlayTag(url, await tokens.show(await identity.firstOrganizationId()));
    const paragraph = `Annotate a page: put this into it, then point at what should change.\n\n  ${tag}`;
    return { json: { overlayTag: tag }, paragraph };
  },
});
