/** What the routes of this toolset ask for besides the names of tools; grants give them like these. */
export const RIGHTS = ['agents_read', 'agents_manage', 'project_code'] as const;

export type Right = (typeof RIGHTS)[number];
