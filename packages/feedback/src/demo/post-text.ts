/**
 * Reads the posts of the demo from plain text, so that they can be written like a conversation: a title after `#`, then
 * board, status, votes and tags, the text, comments after `>` (one more for each level), the official response after
 * `!`, after `=` the title of the post that it is merged into, and after `&` that of one whose completion came first.
 * Who speaks stands in brackets, with what else there is to say about a comment: `[Maya, private]`, `[me]` for the
 * author of the post, nothing for some visitor.
 */
import { BOARDS, TAGS } from './data/nouns.ts';
import { TEAM } from './data/people.ts';

/** The boards by their short names. */
export type BoardKey = keyof typeof BOARDS;
export type TagKey = keyof typeof TAGS;
export type TeamKey = (typeof TEAM)[number]['key'];

/** Slugs of the statuses that every organization begins with. */
const STATUS_SLUGS = ['open', 'under_review', 'planned', 'in_progress', 'complete', 'closed'] as const;
export type StatusSlug = (typeof STATUS_SLUGS)[number];

/** Somebody of the team, the author of the post, the agent, or any visitor. */
export type Voice = TeamKey | 'me' | 'agent' | 'visitor';

/** A comment; those that follow with a greater depth are its replies. */
export interface DemoComment {
  readonly depth: number;
  readonly by: Voice;
  readonly content: string;
  readonly isPrivate: boolean;
  readonly isPinned: boolean;
  /** Said after the post was completed. */
  readonly isLater: boolean;
}

/** A post with all that is said about it. */
export interface DemoPost {
  readonly title: string;
  readonly content: string;
  readonly board: BoardKey;
  readonly status: StatusSlug;
  readonly votes: number;
  readonly tags: readonly TagKey[];
  readonly comments: readonly DemoComment[];
  readonly response?: { readonly by: TeamKey; readonly content: string };
  readonly mergedInto?: string;
  /** The post whose completion made this one possible. */
  readonly follows?: string;
}

export function readPosts(text: string): DemoPost[] {
  return text.trim().split('\n\n').map(readPost);
}

function readPost(block: string): DemoPost {
  const [title = '', facts = '', ...lines] = block.split('\n');
  const [board = '', status = '', votes = '', tags = ''] = facts.split('|').map((part) => part.trim());
  const after = (sign: string) =>
    lines.filter((line) => line.startsWith(sign)).map((line) => line.slice(1).trim());
  const [response] = after('!').map(readResponse);
  const [mergedInto] = after('=');
  const [follows] = after('&');
  return {
    title: title.replace(/^# /, ''),
    content: lines.filter((line) => !/^[>!=&]/.test(line)).join('\n'),
    board: oneOf(BOARDS, board),
    status: known(STATUS_SLUGS, status),
    votes: Number(votes),
    tags: tags === '' ? [] : tags.split(',').map((tag) => oneOf(TAGS, tag.trim())),
    comments: lines.filter((line) => line.startsWith('>')).map(readComment),
    ...(response !== undefined && { response }),
    ...(mergedInto !== undefined && { mergedInto }),
    ...(follows !== undefined && { follows }),
  };
}

const SPOKEN = /^(>*) ?(?:\[([^\]]+)\] )?(.*)$/;

function readComment(line: string): DemoComment {
  const [, signs = '', notes = '', content = ''] = SPOKEN.exec(line) ?? [];
  const said = notes.split(',').map((note) => note.trim());
  const [by = ''] = said;
  return {
    depth: signs.length - 1,
    by: by === 'me' || by === 'agent' ? by : (TEAM.find(({ key }) => key === by)?.key ?? 'visitor'),
    content,
    isPrivate: said.includes('private'),
    isPinned: said.includes('pin'),
    isLater: said.includes('later'),
  };
}

function readResponse(line: string): { by: TeamKey; content: string } {
  const [, , by = '', content = ''] = SPOKEN.exec(line) ?? [];
  return {
    by: known(
      TEAM.map(({ key }) => key),
      by,
    ),
    content,
  };
}

function oneOf<Key extends string>(all: Readonly<Record<Key, unknown>>, text: string): Key {
  if (!Object.hasOwn(all, text)) throw new Error(`The demo has no "${text}".`);
  // The line above has checked it.
  return text as Key;
}

function known<Word extends string>(words: readonly Word[], text: string): Word {
  const found = words.find((word) => word === text);
  if (found === undefined) throw new Error(`The demo has no "${text}".`);
  return found;
}
