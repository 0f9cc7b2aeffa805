/** Annotations: people point at a running page, agents pick the notes up over MCP. Start reading at `toolset.ts`. */
export {
  DEFAULT_ANNOTATION_LIMITS,
  DEFAULT_DIFF_TIMEOUT_MS,
  DEFAULT_WATCH_TIMEOUT_MS,
  WATCH_POLL_INTERVAL_MS,
} from './limits.ts';
export type { AnnotationLimits } from './limits.ts';
export type { ClientMessage, ServerMessage } from './link/messages.ts';
export { toMarkdown } from './markdown/index.ts';
export type { MarkdownLevel, MarkdownNote } from './markdown/index.ts';
export { annotationMigrations } from './migrations/index.ts';
export { overlayTag } from './overlay-script.ts';
export { createAnnotationRoutes } from './routes.ts';
export type { RouteOptions } from './routes.ts';
export { annotationHealth } from './services/health.ts';
export type { AnnotationHealth } from './services/health.ts';
export { createAnnotationServices } from './services/index.ts';
export type { AnnotationServices, AnnotationServicesOptions } from './services/index.ts';
export { Annotation, Session } from './shapes.ts';
export type { AnnotationStatus, Presence, Reply } from './shapes.ts';
export { annotationsToolset } from './toolset.ts';
export type { AnnotationsHost } from './toolset.ts';
