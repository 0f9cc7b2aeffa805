/** The events of annotations: their types, and which of them an action is. */
import type { Events, NewEvent } from '@parley/events';
import { defineEvent } from '@parley/events/define';
import { fromJson } from '@parley/store';
import * as z from 'zod';
import type { AnnotationRow } from './schema.ts';
import type { NewReply } from './services/thread.ts';
import { STATUSES } from './shapes.ts';

/** Where events are written; a program without them has none. */
export type Publisher = Pick<Events, 'publishAll'>;

const Data = z.object({
  id: z.string(),
  number: z.int(),
  sessionId: z.string(),
  status: z.enum(STATUSES),
  text: z.string().describe('What the person wrote'),
  url: z.string().nullable().describe('The page'),
  message: z.string().nullable().describe('What was said with it'),
});
const Replied = Data.extend({ author: z.enum(['user', 'agent']) });

const define = (type: string, when: string) => defineEvent({ type: `annotation.${type}`, when, data: Data });

const created = define('created', 'a person wrote an annotation');
const acknowledged = define('acknowledged', 'an agent took it up');
const proposed = define('proposed', 'an agent proposed a change for it');
const resolved = define('resolved', 'an agent resolved it');
const dismissed = define('dismissed', 'an agent or a person dismissed it');
const reopened = define('reopened', 'it is pending again');
const replied = defineEvent({
  type: 'annotation.replied',
  when: 'somebody wrote into its thread',
  data: Replied,
});

/** All of them, for documents. */
export const ANNOTATION_EVENTS = [created, acknowledged, proposed, resolved, dismissed, reopened, replied];

const OF_STATUS = {
  pending: reopened,
  acknowledged,
  diff_proposed: proposed,
  resolved,
  dismissed,
} as const;

/** The event of a note that is new. */
export function createdEvent(row: AnnotationRow): NewEvent {
  return created.of({ ...about(row), data: dataOf(row, null) });
}

/** The event of an action, if it is one that others hear of. */
export function changeEvent(
  before: Pick<AnnotationRow, 'status'>,
  after: AnnotationRow,
  words: readonly NewReply[],
): NewEvent | undefined {
  const said = words.at(-1);
  const data = dataOf(after, said?.message ?? null);
  if (before.status !== after.status) return OF_STATUS[after.status].of({ ...about(after), data });
  if (said === undefined) return undefined;
  return replied.of({ ...about(after), data: { ...data, author: said.author } });
}

function about(row: AnnotationRow) {
  return { organizationId: row.organization_id, subject: row.id, time: row.updated_at };
}

function dataOf(row: AnnotationRow, message: string | null): z.input<typeof Data> {
  const { url } = fromJson<{ url?: unknown }>(row.captured);
  return {
    id: row.id,
    number: row.number,
    sessionId: row.session_id,
    status: row.status,
    text: row.annotation_text,
    url: typeof url === 'string' ? url : null,
    message,
  };
}
