/** Feedback: people post, vote and comment; a team triages, and agents help. Start reading at `toolset.ts`. */
export type { FeedbackBackend } from './backend.ts';
export { feedbackMigrations } from './migrations/index.ts';
export { publishPages } from './pages/publication.ts';
export { createPageRoutes } from './pages/routes.ts';
export type { PageOptions } from './pages/routes.ts';
export { createRestRoutes, restErrors, restRoutes } from './rest.ts';
export type { RestOptions } from './rest.ts';
export { createFeedbackServices } from './services/index.ts';
export type { FeedbackServices, FeedbackServicesOptions } from './services/index.ts';
export { feedbackToolset } from './toolset.ts';
export type { FeedbackHost, FeedbackToolServices } from './toolset.ts';
export { countToTriage } from './services/inbox/to-triage.ts';
