/** Words of the person: which of them the holder of a note has been shown. */
import { ToolError } from '@parley/kit';
import type { Queryable, Store } from '@parley/store';
import type { AnnotationRow, AnnotationTables, ReplyRow } from '../schema.ts';
import type { ShownNote } from '../lean.ts';
import type { Annotation } from '../shapes.ts';
import type { Agent } from './holder.ts';
import { HELD, holderOf, isHolder } from './holder.ts';
import type { NoteScope } from './reading.ts';
import { loadAnnotations } from './rows.ts';

/** What holders have read, and what waits for them. */
export interface Words {
  /** The words that the holder has not been shown, which are shown to it with this; none for anybody else. */
  take(agent: Agent, id: string, maxCharacters?: number): Promise<string[]>;
  /** Remembers what an answer shows of these threads; of one with a gap in what is new nothing, and the first of those is answered. */
  show(agent: Agent, notes: readonly ShownThread[]): Promise<string | undefined>;
  /** The notes that the agent holds and that have words for it. */
  waiting(scope: NoteScope, agent: Agent): Promise<Annotation[]>;
}

/** A thread as an answer shows it. */
export type ShownThread = Pick<ShownNote, 'id' | 'replies' | 'repliesBefore'>;

// One answer holds no more; what is left comes with the next.
const MAX_TOLD = 20;
const MAX_TOLD_CHARACTERS = 40_000;
const MAX_WAITING = 20;
// The largest number of the column.
const MAX_POSITION = 2 ** 31 - 1;

export function createWords(store: Store): Words {
  return {
    async take(agent, id, maxCharacters = MAX_TOLD_CHARACTERS) {
      const row = await ownNotes(store, agent).selectAll().where('id', '=', id).executeTakeFirst();
      const unseen = row === undefined ? [] : await unseenOf(store, row);
      const told = within(unseen, maxCharacters, (message) => message.length);
      await markShown(store, agent, id, told.at(-1)?.position);
      return told.map(({ message }) => message);
    },

    async show(agent, notes) {
      const spoken = new Map(
        notes.filter(({ replies = [] }) => replies.length > 0).map((note) => [note.id, note]),
      );
      if (spoken.size === 0) return undefined;
      const rows = await ownNotes(store, agent)
        .select(['id', 'shown_replies'])
        .where('id', 'in', [...spoken.keys()])
        .execute();
      let withGap: string | undefined;
      for (const row of rows) {
        const { replies = [], repliesBefore = 0 } = spoken.get(row.id) ?? {};
        // Positions count from 1 without a gap.
        const position = repliesBefore + replies.length;
        if (position <= row.shown_replies) continue;
        const unseen = await unseenOf(store, row, { upTo: position, atMost: replies.length + 1 });
        const isAllShown = unseen.every(
          (one) => replies[one.position - repliesBefore - 1]?.message === one.message,
        );
        if (!isAllShown) withGap ??= row.id;
        else if (unseen.length > 0) await markShown(store, agent, row.id, position);
      }
      return withGap;
    },

    async waiting({ organizationId, sessionId }, agent) {
      let query = ownNotes(store, agent)
        .selectAll()
        .where('organization_id', '=', organizationId)
        .where('status', 'in', HELD)
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom('annotation_replies')
              .select('annotation_replies.id')
              .whereRef('annotation_replies.annotation_id', '=', 'annotations.id')
              .where('annotation_replies.author', '=', 'user')
              .whereRef('annotation_replies.position', '>', 'annotations.shown_replies'),
          ),
        );
      if (sessionId !== undefined) query = query.where('session_id', '=', sessionId);
      return loadAnnotations(store, await query.orderBy('created_at').limit(MAX_WAITING).execute());
    },
  };
}

/** Words that a note was about to be closed over. */
export class UnseenWords extends Error {
  override readonly name = 'UnseenWords';
  readonly unseen: readonly ReplyRow[];

  constructor(unseen: readonly ReplyRow[]) {
    super('The person has written something that its holder has not seen.');
    this.unseen = unseen;
  }
}

/** Stops the holder of a note, or its last one, from closing it before they were shown all words of the person. */
export async function refuseUnseen(from: Queryable, row: AnnotationRow, agent: Agent): Promise<void> {
  const unseen = isHolder(row, agent) ? await unseenOf(from, row) : [];
  if (unseen.length > 0) throw new UnseenWords(unseen);
}

/** Answers unseen words with a conflict that shows them, so that the next try goes through. */
export async function tellUnseen<T>(store: Store, agent: Agent, id: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof UnseenWords)) throw error;
    const told = within(error.unseen, MAX_CONFLICT_CHARACTERS, (message) => quoted(message).length + 2);
    await markShown(store, agent, id, told.at(-1)?.position);
    const said = told.map(({ message }) => message);
    throw new ToolError(
      'conflict',
      `The person has written meanwhile: ${said.map(quoted).join(', ')}. Do what that asks for, then try again.`,
      { words: said },
    );
  }
}

// An error has room for 2,000 characters; only what is in it counts as shown.
const MAX_CONFLICT_CHARACTERS = 1700;

/** As many replies as there is room for; the first always. */
function within(
  unseen: readonly ReplyRow[],
  maxCharacters: number,
  sizeOf: (message: string) => number,
): readonly ReplyRow[] {
  let characters = 0;
  const over = unseen.findIndex(({ message }, index) => {
    characters += sizeOf(message);
    return index > 0 && characters > maxCharacters;
  });
  return over === -1 ? unseen : unseen.slice(0, over);
}

function quoted(message: string): string {
  const text = JSON.stringify(message);
  if (text.length <= MAX_CONFLICT_CHARACTERS) return text;
  return `${text.slice(0, MAX_CONFLICT_CHARACTERS)}..." (get_mine with detail full shows all of it)`;
}

function unseenOf(
  from: Queryable,
  { id, shown_replies }: Pick<AnnotationRow, 'id' | 'shown_replies'>,
  { upTo = MAX_POSITION, atMost = MAX_TOLD } = {},
): Promise<ReplyRow[]> {
  return from
    .db<AnnotationTables>()
    .selectFrom('annotation_replies')
    .selectAll()
    .where('annotation_id', '=', id)
    .where('author', '=', 'user')
    .where('position', '>', shown_replies)
    .where('position', '<=', upTo)
    .orderBy('position')
    .limit(atMost)
    .execute();
}

function ownNotes(from: Queryable, agent: Agent) {
  return from
    .db<AnnotationTables>()
    .selectFrom('annotations')
    .where('organization_id', '=', agent.organizationId)
    .where(({ and }) => and(holderOf(agent)));
}

async function markShown(
  store: Store,
  agent: Agent,
  id: string,
  position: number | undefined,
): Promise<void> {
  if (position === undefined) return;
  await store
    .db<AnnotationTables>()
    .updateTable('annotations')
    .set({ shown_replies: position })
    .where('id', '=', id)
    .where('shown_replies', '<', position)
    .where(({ and }) => and(holderOf(agent)))
    .execute();
}
