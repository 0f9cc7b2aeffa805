/** What the routes of this toolset ask for besides the names of tools; grants give them like these. */
export const RIGHTS = [
  'agents_read',
  'agents_manage',
  'agents_review',
  'health_report',
  'executions_read',
  'executions_approve',
  'project_code',
  'a2a_tasks',
  'plugins_manage',
  'notifications_read',
  'questions_read',
  'questions_answer',
] as const;

export type AgentRight = (typeof RIGHTS)[number];
