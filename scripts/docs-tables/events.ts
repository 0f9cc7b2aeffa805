/** Owns the table of every type of event that Parley publishes, with the schema of its data. */
import { AGENT_EVENTS } from '@parley/agent/events';
import { ANNOTATION_EVENTS } from '@parley/annotations/events';
import { MANAGEMENT_EVENTS, TASK_EVENTS } from '@parley/events';
import { FEEDBACK_EVENTS } from '@parley/feedback/events';
import * as z from 'zod';
import { code, markdownTable } from './markdown.ts';

const ALL = [
  ...ANNOTATION_EVENTS,
  ...AGENT_EVENTS,
  ...TASK_EVENTS,
  ...FEEDBACK_EVENTS,
  ...Object.values(MANAGEMENT_EVENTS),
];

/** The fields of an object's schema, each with its type. */
function fieldsOf(schema: z.ZodType): string {
  const { properties = {} } = z.toJSONSchema(schema) as { properties?: Record<string, Field> };
  return Object.entries(properties)
    .map(([name, field]) => `${code(name)} ${typeOf(field)}`)
    .join(', ');
}

interface Field {
  readonly type?: string | readonly string[];
}

const typeOf = ({ type = 'any' }: Field) => [type].flat().join(' or ');

/** The tables by the name in their markers. */
export const eventTables: Record<string, () => string> = {
  'event-types': () =>
    markdownTable(
      ['type', 'when', 'data'],
      ALL.map(({ type, when, data }) => [code(type), when, fieldsOf(data)]),
    ),
};
