/** What the routes of this toolset ask for besides the names of tools; grants give them like these. */
export const RIGHTS = [
  'agents_read',
  'agents_manage',
  'notifications_read',
  'questions_read',
  'questions_answer',
] as const;

export type Right = (typeof RIGHTS)[number];
