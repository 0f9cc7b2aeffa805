/** Posts of visitors that wait for the team, the oldest first. */
import type { BoardKey } from '../post-text.ts';

export interface HeldPost {
  readonly board: BoardKey;
  readonly title: string;
  /** Markdown. */
  readonly content: string;
  readonly hoursAgo: number;
  /** True: the team has looked at it already. */
  readonly isSpam?: true;
}

export const HELD_POSTS: readonly HeldPost[] = [
  {
    board: 'integrations',
    title: 'WIN a free <b>cruise</b> now!!!',
    content: 'Click <img src="x" onerror="alert(1)"> [here](https://cruise.example/win) before midnight.',
    hoursAgo: 75,
    isSpam: true,
  },
  {
    board: 'integrations',
    title: 'Import from Trello with attachments',
    content:
      'The import brings cards and lists, but the files stay behind. We have about **4,000 attachments** and cannot move without them.',
    hoursAgo: 29,
  },
  {
    board: 'integrations',
    title: 'Two-way sync with Outlook tasks',
    content:
      'Half of our office plans in Outlook. Today somebody copies tasks by hand every morning.\n\n- new tasks both ways\n- done is done on both sides\n- no duplicates after a restart',
    hoursAgo: 11,
  },
  {
    board: 'integrations',
    title: 'Post to Mattermost when a card is blocked',
    content: 'Like the chat integration that is there, for people who host their own.',
    hoursAgo: 2,
  },
];
