/** The boards, tags and roadmaps of Harbor. */

/** Boards by the word that posts name them with. */
export const BOARDS = {
  features: {
    name: 'Feature requests',
    slug: 'feature-requests',
    description:
      'What should Harbor be able to do? Vote for what you miss, and tell us how you would use it.',
    isPublic: true,
  },
  bugs: {
    name: 'Bugs',
    slug: 'bugs',
    description:
      'Something does not work as it should. Tell us what you did, what you saw and what you expected.',
    isPublic: true,
  },
  integrations: {
    name: 'Integrations',
    slug: 'integrations',
    description: 'Calendars, chats, code hosts and everything else that Harbor should work together with.',
    isPublic: true,
  },
  internal: {
    name: 'Internal',
    slug: 'internal',
    description: 'For the team only.',
    isPublic: false,
  },
} as const;

/** Tags by the word that posts name them with. */
export const TAGS = {
  accessibility: { name: 'Accessibility', color: '#0f766e' },
  api: { name: 'API', color: '#4338ca' },
  automation: { name: 'Automation', color: '#7c3aed' },
  billing: { name: 'Billing', color: '#a16207' },
  boards: { name: 'Boards', color: '#1d4ed8' },
  calendar: { name: 'Calendar', color: '#be123c' },
  editor: { name: 'Editor', color: '#0369a1' },
  export: { name: 'Import & export', color: '#57534e' },
  files: { name: 'Files', color: '#b45309' },
  keyboard: { name: 'Keyboard', color: '#475569' },
  localization: { name: 'Localization', color: '#15803d' },
  mobile: { name: 'Mobile', color: '#c2410c' },
  notifications: { name: 'Notifications', color: '#a21caf' },
  performance: { name: 'Performance', color: '#b91c1c' },
  permissions: { name: 'Permissions', color: '#6d28d9' },
  'quick win': { name: 'Quick win', color: '#4d7c0f' },
  reporting: { name: 'Reporting', color: '#0e7490' },
  search: { name: 'Search', color: '#9f1239' },
  templates: { name: 'Templates', color: '#86198f' },
  timeline: { name: 'Timeline', color: '#1e40af' },
} as const;

/** Roadmaps; a post that is planned or further is on the first one that its tags or board allow. */
export const ROADMAPS = [
  {
    name: 'Harbor',
    slug: 'harbor',
    description: 'What we plan, what we build, and what is done.',
  },
  {
    name: 'Phones and tablets',
    slug: 'phones-and-tablets',
    description: 'The same for the apps.',
  },
] as const;
