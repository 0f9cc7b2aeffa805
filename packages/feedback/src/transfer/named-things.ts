/** Boards, statuses and tags as rows name them: by id, slug or name. */
import type { Actor } from '../actor.ts';
import { RuleBroken } from '../faults.ts';
import { splitId } from '../ids.ts';
import type { FeedbackServices } from '../services/index.ts';
import { BOARD_SLUG } from '../services/nouns/boards.ts';
import { tagKey } from '../services/nouns/tags.ts';
import { slugOf } from '../services/slugs.ts';
import { FileFault } from './file-fault.ts';
import type { PostRowInput } from './post-row.ts';
import { shown } from './raw-row.ts';

export type NamedServices = Pick<FeedbackServices, 'boards' | 'statuses' | 'tags'>;

/** What the one who imports has chosen. */
export interface NamingOptions {
  /** The board of rows that name none. */
  readonly board?: string | undefined;
  /** Whether boards that are named and absent are made. */
  readonly createBoards?: boolean | undefined;
}

/** Finds what rows name. */
export interface NamedThings {
  /** What is wrong with the names in a row. */
  check(row: PostRowInput): readonly string[];
  /** The ids for a row that was checked; makes what is absent. */
  resolve(row: PostRowInput): Promise<{ boardId: string; statusId: string; tagIds: string[] }>;
  /** The names that are made, or would be. */
  newBoards(): string[];
  newTags(): string[];
}

const AMBIGUOUS = Symbol('more than one');
type Ids = Map<string, string | typeof AMBIGUOUS>;

/** Reads what there is. */
export async function loadNamedThings(
  services: NamedServices,
  actor: Actor,
  options: NamingOptions,
): Promise<NamedThings> {
  const boards = byNames(await services.boards.list(actor));
  const allStatuses = await services.statuses.list(actor);
  const statuses = byNames(allStatuses);
  const tags = new Map((await services.tags.list(actor)).map(({ id, name }) => [tagKey(name), id]));
  const defaultStatus = allStatuses.find(({ isDefault }) => isDefault)?.id;
  if (defaultStatus === undefined)
    throw new RuleBroken('There is no default status. Mark one as the default.');
  const newBoards = new Map<string, string>();
  const newTags = new Map<string, string>();

  const boardFault = (name: string): string | undefined => {
    const found = boards.get(tagKey(name));
    if (found === AMBIGUOUS) return `more than one board is called "${shown(name)}". Use the slug.`;
    const isId = splitId(name)?.prefix === 'board';
    if (found !== undefined || (options.createBoards === true && !isId)) return undefined;
    return `there is no board "${shown(name)}". Create it first, or allow new boards (--create-boards).`;
  };
  const statusFault = (name: string): string | undefined => {
    const found = statuses.get(tagKey(name));
    if (found === AMBIGUOUS) return `more than one status is called "${shown(name)}". Use the slug.`;
    return found === undefined ? `there is no status "${shown(name)}".` : undefined;
  };
  if (options.board !== undefined) {
    const fault = boardFault(options.board);
    if (fault !== undefined) throw new FileFault(`--board: ${fault}`);
  }

  const boardId = async (name: string): Promise<string> => {
    const found = boards.get(tagKey(name));
    if (typeof found === 'string') return found;
    // With its slug given, only one of two imports that run at once can make it.
    const slug = slugOf(name, BOARD_SLUG);
    const made = services.boards.create(actor, { name, slug });
    const { id } = await made.catch(async () => {
      const all = await services.boards.list(actor);
      return (
        all.find((board) => tagKey(board.name) === tagKey(name)) ?? services.boards.create(actor, { name })
      );
    });
    boards.set(tagKey(name), id);
    return id;
  };
  const tagId = async (name: string): Promise<string> => {
    const found = tags.get(tagKey(name));
    if (found !== undefined) return found;
    const { id } = await services.tags.create(actor, { name }).catch(async (error: unknown) => {
      // Somebody else may have made it since.
      const there = (await services.tags.list(actor)).find((tag) => tagKey(tag.name) === tagKey(name));
      if (there === undefined) throw error;
      return there;
    });
    tags.set(tagKey(name), id);
    return id;
  };

  return {
    newBoards: () => [...newBoards.values()],
    newTags: () => [...newTags.values()],
    check(row) {
      const faults: string[] = [];
      const board = row.board ?? options.board;
      const wrongBoard =
        board === undefined
          ? 'is required: name it in the row, or choose one for such rows (--board)'
          : boardFault(board);
      if (wrongBoard !== undefined) faults.push(`board: ${wrongBoard}`);
      const wrongStatus = row.status === undefined ? undefined : statusFault(row.status);
      if (wrongStatus !== undefined) faults.push(`status: ${wrongStatus}`);
      if (faults.length > 0 || board === undefined) return faults;
      if (!boards.has(tagKey(board))) noteNew(newBoards, board);
      for (const tag of row.tags) if (!tags.has(tagKey(tag))) noteNew(newTags, tag);
      return faults;
    },
    async resolve(row) {
      const status = row.status === undefined ? defaultStatus : statuses.get(tagKey(row.status));
      const tagIds = new Set<string>();
      for (const tag of row.tags) tagIds.add(await tagId(tag));
      // A row that was checked names a board, and a status only if there is one.
      return {
        boardId: await boardId(row.board ?? options.board ?? ''),
        statusId: typeof status === 'string' ? status : defaultStatus,
        tagIds: [...tagIds],
      };
    },
  };
}

/** Ids by id, slug and name without case; an id or slug wins over a name. */
function byNames(things: readonly { id: string; slug: string; name: string }[]): Ids {
  const ids: Ids = new Map();
  for (const { id, name } of things) ids.set(tagKey(name), ids.has(tagKey(name)) ? AMBIGUOUS : id);
  for (const { id, slug } of things) ids.set(slug, id).set(id, id);
  return ids;
}

/** What is made gets the name as it is written first. */
function noteNew(names: Map<string, string>, name: string): void {
  if (!names.has(tagKey(name))) names.set(tagKey(name), name);
}
