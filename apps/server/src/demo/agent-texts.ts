/** The agents of the demo in words: who they are, what they know, say, plan and ask. */

const WEEK_MINUTES = 7 * 24 * 60;

export const AGENTS = [
  {
    name: 'Ada',
    description: 'Fixes what people point at on pages, and says what she did.',
    tools: null,
    rating: 5,
    memories: {
      'style of Harbor': 'Buttons say what happens. Dates are relative, with the exact time on hover.',
      'tests of the board': 'Run the browser tests after every change of src/board; they take two minutes.',
      'who decides on billing': 'Jonas decides on anything with money. Ask before touching src/billing.',
    },
  },
  {
    name: 'Bruno',
    description: 'Writes release notes and keeps the changelog.',
    tools: [
      'corvid_manage_schedule',
      'corvid_manage_workflow',
      'corvid_send_message',
      'corvid_save_memory',
      'corvid_recall_memory',
      'corvid_ask_owner',
      'corvid_list_agents',
    ],
    rating: 4,
    memories: {
      'tone of the changelog':
        'Plain words, what changed for the reader first, no version numbers in titles.',
      'day of releases': 'Releases go out on Tuesdays, never on a Friday.',
    },
  },
  {
    name: 'Cleo',
    description: 'Watches errors at night and wakes somebody only when it is worth it.',
    tools: [
      'corvid_notify_owner',
      'corvid_ask_owner',
      'corvid_send_message',
      'corvid_save_memory',
      'corvid_recall_memory',
    ],
    rating: 4,
    memories: {
      'noise to ignore': 'Timeouts of the billing staging server between 2 and 3 at night are its backup.',
    },
  },
];

export const MESSAGES: readonly { from: string; to: string; text: string; reply?: string }[] = [
  {
    from: 'Cleo',
    to: 'Ada',
    text: 'The board throws "cannot read due" for cards without a date since 03:10. Twelve people saw it.',
    reply: 'Found it: the new date line assumed a date. Fixed, with a test; it goes out with 4.12.1.',
  },
  {
    from: 'Ada',
    to: 'Bruno',
    text: 'Cards can be reached by keyboard now. Please put it into the notes for Tuesday.',
    reply: 'It is the first line of the draft: "Boards by keyboard".',
  },
  {
    from: 'Bruno',
    to: 'Ada',
    text: 'Is the undo for deleted workspaces ready for 4.13, or shall I leave it out?',
  },
];

interface DemoSchedule {
  readonly by: string;
  readonly to?: string;
  readonly name: string;
  readonly description: string;
  readonly timing:
    | { readonly kind: 'cron'; readonly cron: string; readonly timezone: string }
    | { readonly kind: 'interval'; readonly minutes: number }
    | { readonly kind: 'event'; readonly type: string };
  readonly actions: readonly {
    readonly type: 'memory_maintenance' | 'send_message';
    readonly message?: string;
  }[];
  readonly policy: 'auto' | 'council_approve';
  readonly isRunNow?: boolean;
  readonly isPaused?: boolean;
}

export const SCHEDULES: readonly DemoSchedule[] = [
  {
    by: 'Bruno',
    to: 'Ada',
    name: 'Ask for release notes',
    description: 'Collects what changed before the release of Tuesday.',
    timing: { kind: 'cron', cron: '0 9 * * 1', timezone: 'Europe/Berlin' },
    actions: [{ type: 'send_message', message: 'What should stand in the notes of this week?' }],
    policy: 'council_approve',
    isRunNow: true,
  },
  {
    by: 'Ada',
    name: 'Tidy memory',
    description: 'Archives what has expired.',
    timing: { kind: 'cron', cron: '30 2 * * *', timezone: 'UTC' },
    actions: [{ type: 'memory_maintenance' }],
    policy: 'auto',
    isRunNow: true,
  },
  {
    by: 'Cleo',
    to: 'Ada',
    name: 'New annotation',
    description: 'Tells Ada when somebody points at something.',
    timing: { kind: 'event', type: 'annotation.created' },
    actions: [{ type: 'send_message', message: 'Somebody pointed at something. Have a look.' }],
    policy: 'auto',
  },
  {
    by: 'Cleo',
    name: 'Watch of the night',
    description: 'Paused while the new alarms are tried.',
    timing: { kind: 'interval', minutes: 60 },
    actions: [{ type: 'memory_maintenance' }],
    policy: 'auto',
    isPaused: true,
  },
];

export const QUESTIONS = [
  {
    by: 'Bruno',
    question: 'Shall the notes of 4.13 name the outage of Thursday?',
    options: ['Yes, with the cause', 'Yes, in one line', 'No'],
    context: 'It lasted 41 minutes and 300 people saw it.',
    timeoutMinutes: WEEK_MINUTES,
  },
  {
    by: 'Ada',
    question: 'May I change the old test of postcodes? It expects five digits.',
    options: ['Yes', 'No, leave it'],
    timeoutMinutes: WEEK_MINUTES,
  },
];

const node = (id: string, type: string, label: string, [x, y]: readonly [number, number], config = {}) => ({
  id,
  type,
  label,
  config,
  position: { x, y },
});
const edge = (from: string, to: string, condition?: 'true' | 'false') => ({
  id: `${from}-${to}`,
  sourceNodeId: from,
  targetNodeId: to,
  ...(condition !== undefined && { condition }),
});

/** Ends at once when it is urgent, and waits for an hour when it is not. */
export const LAUNCH = {
  name: 'Release announcement',
  description: 'Writes the announcement of a release; waits before it goes out, unless it is urgent.',
  graph: {
    nodes: [
      node('start', 'start', 'A release is out', [0, 120]),
      node('write', 'transform', 'Write the announcement', [220, 120], {
        template: 'Harbor {{input.version}} is out.',
      }),
      node('urgent', 'condition', 'Is it urgent?', [440, 120], {
        path: 'input.urgent',
        op: 'eq',
        value: true,
      }),
      node('wait', 'delay', 'Wait an hour', [660, 220], { seconds: 3600 }),
      node('send', 'end', 'Send it', [880, 120]),
    ],
    edges: [
      edge('start', 'write'),
      edge('write', 'urgent'),
      edge('urgent', 'send', 'true'),
      edge('urgent', 'wait', 'false'),
      edge('wait', 'send'),
    ],
  },
};
