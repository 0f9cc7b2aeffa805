/** What the team has told about finished work, the oldest first. */

export interface DemoEntry {
  readonly title: string;
  /** Markdown. */
  readonly content: string;
  /** Negative: it is scheduled; null: a draft. */
  readonly daysAgo: number | null;
  /** Titles of the posts that it is about; those are completed by it. */
  readonly posts: readonly string[];
  readonly labels: readonly string[];
}

export const CHANGELOG: readonly DemoEntry[] = [
  {
    title: 'Mondays, week numbers and a clock with 24 hours',
    labels: ['New'],
    daysAgo: 402,
    posts: ['Start the week on Monday', 'Week numbers in the calendar', '24-hour clock'],
    content: `Language and habits are different things. Your profile now has a setting for each of them:

- the **first day of the week**: Monday, Saturday or Sunday
- **week numbers** in the calendar and in the date picker, counted the ISO way when your week starts on Monday
- the **clock**, 12 or 24 hours, and the order of a date, whatever language you read

New accounts take sensible values from their region. Existing ones keep what they had.`,
  },
  {
    title: 'Dark mode, measured',
    labels: ['New', 'Improved'],
    daysAgo: 331,
    posts: ['Dark mode', 'Bigger text', 'Reduce motion'],
    content: `Harbor follows your system at night, or stays dark all day if you tell it to in your profile.

## What we took care of

- Contrast is at least 4.5 to 1 everywhere. Tags have a *second set of colors* for this.
- All sizes follow the font size of your browser, tested up to 200 percent.
- Confetti, sliding panels and the bouncing bell respect "reduce motion".

Thank you to everyone who sent screenshots from the middle of the night.`,
  },
  {
    title: 'The API is open, and it tells when something happens',
    labels: ['New'],
    daysAgo: 268,
    posts: ['Public API', 'Webhooks', 'Zapier', 'Let my assistant work in Harbor over MCP'],
    content: `Everything that the app does can now be done by a program.

1. **API** with keys that you can narrow, errors that name the field, and an OpenAPI document.
2. **Webhooks**, signed and in order. A receiver that was away gets what it missed.
3. **Zapier** for those who would rather click boxes together.
4. **MCP** for assistants: choose tool by tool what a key may do, and see every call.

A first request looks like \`GET /api/v1/tasks?due=today\`.`,
  },
  {
    title: 'Guests, roles and links that only look',
    labels: ['New'],
    daysAgo: 205,
    posts: [
      'Guests who only see one project',
      'Roles: may comment, may edit, may manage',
      'Read-only link to a board',
    ],
    content: `Work with people outside of your team without showing them the rest of the ship.

- **Guests** are free. They see the projects that you invite them to, and never each other.
- **Four roles** per project: look, comment, edit, manage. Only the last one can delete a project.
- **Links for looking** need no account. Comments are hidden unless you show them, and a link can expire.`,
  },
  {
    title: 'Recurring tasks',
    labels: ['New'],
    daysAgo: 139,
    posts: ['Recurring tasks'],
    content: `The most wanted one on this board. A task can repeat

- every day, week, month or year,
- only on working days, or on the last one of a month,
- some days after the previous one *was really done*.

You find it under the due date. Thank you to the two hundred of you who tried it before everybody else.`,
  },
  {
    title: 'Boards that open in a blink',
    labels: ['Improved', 'Fixed'],
    daysAgo: 58,
    posts: [
      'Board loads for ever with more than 2,000 cards',
      'Archive done tasks automatically after some days',
      'Bulk edit: select many cards, change them together',
    ],
    content: `Boards draw only what you see: ten thousand cards open in about 300 ms on an average laptop.

While we were there:

- Done cards can move to the **archive by themselves** after 7, 14, 30 or 90 days.
- Hold shift, or drag a box, and change **many cards at once**. Everything can be undone.`,
  },
  {
    title: 'Comments that you can search, quietly',
    labels: ['Improved'],
    daysAgo: -6,
    posts: ['Search inside comments and attachments'],
    content: `Search looks into comments now. Narrow it with \`in:comments\`, or leave them out with \`-in:comments\`.

Text in PDFs follows next month. Private comments are found by your team only.`,
  },
  {
    title: 'Working offline, first part',
    labels: ['New'],
    daysAgo: null,
    posts: ['Work offline', 'Quiet hours'],
    content: `*Draft, waits for the store reviews.*

Your tasks are there in the tunnel, in the stable and in the plane. Reading works without a network on both phones; changing things offline comes next.`,
  },
];
