/** Types of events as their publishers declare them: one literal each, which documents, types and checks follow from. */
import type * as z from 'zod';
import type { NewEvent } from './cloud-event.ts';
import { selfOf } from './subscribers/target.ts';

/** A type of event that Parley itself publishes. */
export interface EventDefinition<Data extends z.ZodType = z.ZodType> {
  readonly type: string;
  /** When it happens, in one clause. */
  readonly when: string;
  readonly data: Data;
}

/** What one event of a defined type is about. */
export interface Occurrence<Data> {
  readonly organizationId: string;
  /** The id of what it happened to; deliveries about it keep their order. */
  readonly subject: string;
  readonly data: Data;
  readonly time?: number;
}

/**
 * Defines a type of event.
 *
 * @example
 * const noteMade = defineEvent({ type: 'note.made', when: 'a note was made', data: z.object({ id: z.string() }) });
 * await events.publish(tx, noteMade.of({ organizationId, subject: id, data: { id } }));
 */
export function defineEvent<Data extends z.ZodType>(definition: EventDefinition<Data>) {
  const { type } = definition;
  return {
    ...definition,
    /** The event, as Parley itself publishes it. */
    of({ organizationId, subject, ...rest }: Occurrence<z.input<Data>>): NewEvent {
      return { organizationId, source: selfOf(organizationId), type, subject, orderKey: subject, ...rest };
    },
  };
}
