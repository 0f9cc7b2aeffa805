/** The mesh: organizations, people, connections, events and monitoring as tools. Start reading at `toolset.ts`. */
export { mayReadAudit, shownAuditEntry } from './audit.ts';
export { seedAdminProject } from './services/admin-project.ts';
export { DASHBOARDS_CHANGED } from './services/monitoring/dashboards.ts';
export { LOG_LINES } from './services/monitoring/log-lines.ts';
export { logEntry } from './services/monitoring/logs.ts';
export { createTitles } from './services/monitoring/titles.ts';
export { PROJECTS_CHANGED } from './services/plugin-configs.ts';
export type { LogEntry } from './services/monitoring/logs.ts';
export { createMeshServices } from './services/index.ts';
export type { MeshServices } from './services/index.ts';
export { meshToolset } from './toolset.ts';
export type { MeshHost } from './toolset.ts';
