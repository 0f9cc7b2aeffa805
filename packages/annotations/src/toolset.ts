/** The toolset `annotations`: ten tools for notes, two for diffs, three for page tokens, their documents, their prompt and the browser link. */
import type { AllowedNames } from '@parley/http';
import type { ChangeBus } from '@parley/kit';
import { defineToolset } from '@parley/kit';
import type { Store } from '@parley/store';
import { annotationMigrations } from './migrations/index.ts';
import { INSTRUCTIONS, startPolling } from './prompts.ts';
import { annotationResources } from './resources.ts';
import { createAnnotationRoutes } from './routes.ts';
import type { AnnotationServices } from './services/index.ts';
import { createAnnotationServices } from './services/index.ts';
import { proposeDiff, watchDiffResponse } from './tools/diffs.ts';
import { acknowledge, dismiss, reply, resolve } from './tools/notes.ts';
import { listPageTokens, revokePageToken, updatePageToken } from './tools/page-tokens.ts';
import { getAllPending, getMine, getPending, getSession, listSessions } from './tools/sessions.ts';
import { watchAnnotations } from './tools/watch.ts';

/** What the program that serves the toolset offers. */
export interface AnnotationsHost {
  readonly store: Store;
  readonly changes: ChangeBus;
  readonly onFault: (error: unknown, where: string) => void;
  /** Runs when the program begins to stop, before running calls are waited for. */
  onStop(work: () => Promise<void>): void;
  /** Names and pages that the browser link accepts besides the loopback ones. */
  readonly names: AllowedNames;
  overlayScript(): Promise<string | undefined>;
  /** How long a silent agent keeps a note; absent: 30 minutes. */
  readonly noteLeaseMs?: number;
}

/** The toolset. */
export const annotationsToolset = defineToolset({
  name: 'annotations',
  title: 'Annotations',
  instructions: INSTRUCTIONS,
  tools: [
    listSessions,
    getSession,
    getPending,
    getAllPending,
    getMine,
    acknowledge,
    resolve,
    dismiss,
    reply,
    watchAnnotations,
    proposeDiff,
    watchDiffResponse,
    listPageTokens,
    updatePageToken,
    revokePageToken,
  ],
  resources: annotationResources,
  prompts: [startPolling],
  migrations: annotationMigrations,
  services(host: AnnotationsHost): AnnotationServices {
    const { noteLeaseMs } = host;
    const limits = noteLeaseMs === undefined ? {} : { noteLeaseMs };
    const services = createAnnotationServices({ ...host, limits });
    host.onStop(() => services.close());
    return services;
  },
  routes: (services: AnnotationServices, host: AnnotationsHost) => createAnnotationRoutes(services, host),
});
