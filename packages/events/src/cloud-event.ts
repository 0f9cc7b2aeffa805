/** The event: what a publisher gives, what a receiver gets (CloudEvents 1.0, structured JSON). */
import { ToolError } from '@parley/kit';
import { fromJson, toJson } from '@parley/store';
import type { EventLimits } from './limits.ts';
import type { EventRow } from './schema.ts';

/** What a publisher gives. */
export interface NewEvent {
  readonly organizationId: string;
  readonly source: string;
  readonly type: string;
  readonly subject?: string;
  readonly data?: unknown;
  /** Deliveries with the same key keep their order. */
  readonly orderKey?: string;
  /** What subscribers may narrow to. */
  readonly group?: string;
  /** When it happened, in milliseconds since the epoch; now by default. */
  readonly time?: number;
  /** The schedule that fires it. */
  readonly scheduleId?: string;
  /** The id that was promised for it. */
  readonly id?: string;
}

/** The event as everybody outside sees it. */
export interface CloudEvent {
  readonly specversion: '1.0';
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly time: string;
  readonly subject?: string;
  readonly datacontenttype?: 'application/json';
  readonly data?: unknown;
  /** The place in the order of the organization's events; 0 for one that is not kept. */
  readonly parleyseq: number;
  /** The schedule that fired it. */
  readonly parleyschedule?: string;
}

const NAME_LENGTH = 255;

/** The event before its commit, which gives it its number. */
export type UnnumberedEvent = Omit<CloudEvent, 'parleyseq'>;

type Told = Omit<EventRow, 'organization_id' | 'status' | 'created_at' | 'seq'>;

/** The event of a row that has no number yet. */
export function toUnnumbered(row: Told): UnnumberedEvent {
  return {
    specversion: '1.0',
    id: row.id,
    source: row.source,
    type: row.type,
    time: new Date(row.time).toISOString(),
    ...(row.subject !== null && { subject: row.subject }),
    ...(row.data !== null && {
      datacontenttype: 'application/json',
      data: fromJson<unknown>(row.data),
    }),
    ...(row.schedule_id !== null && { parleyschedule: row.schedule_id }),
  };
}

/** The event of a row. */
export function toCloudEvent(row: Told & Pick<EventRow, 'seq'>): CloudEvent {
  return { ...toUnnumbered(row), parleyseq: row.seq };
}

/** Refuses an event that could not be stored, matched or sent; returns its data as text. */
export function checkEvent(event: NewEvent, limits: EventLimits): string | null {
  checkName('type', event.type);
  if (!/[^\s.]/.test(event.type))
    throw new ToolError('invalid', 'type: this is blank. Write a type such as order.paid.');
  // A type is compared with patterns and must not be one.
  if (event.type.includes('*')) throw new ToolError('invalid', 'type: an event type has no "*" in it.');
  checkName('source', event.source);
  if (event.subject !== undefined) checkName('subject', event.subject);
  if (event.data === undefined) return null;
  const data = toJson(event.data);
  if (Buffer.byteLength(data) <= limits.dataBytes) return data;
  throw new ToolError(
    'invalid',
    `data: an event may carry at most ${limits.dataBytes} bytes. Send the id of what changed instead.`,
  );
}

function checkName(field: string, text: string): void {
  if (text.length < 1 || text.length > NAME_LENGTH)
    throw new ToolError('invalid', `${field}: must have 1 to ${NAME_LENGTH} characters.`);
  // PostgreSQL stores no NUL.
  if (text.includes('\0')) throw new ToolError('invalid', `${field}: has a NUL character in it.`);
}
