/** What the routes of this toolset ask for besides the names of tools; grants give them like these. */
export const RIGHTS = ['agents_read', 'agents_manage', 'executions_read', 'executions_approve'] as const;

export type Right = (typeof RIGHTS)[number];
