/** A row of a file before its values are looked at: known fields by their name, whatever the file calls them. */

/** The fields that a row can have. */
export const FIELDS = [
  'title',
  'content',
  'board',
  'status',
  'tags',
  'authorEmail',
  'authorName',
  'createdAt',
  'category',
  'voteCount',
] as const;
export type Field = (typeof FIELDS)[number];

/** One row; `fault` is set when it cannot be taken apart. */
export interface RawRow {
  /** As a person would count: the line in a spreadsheet or in JSON Lines, the place in a list. */
  readonly number: number;
  readonly fields: Partial<Record<Field, unknown>>;
  readonly fault?: string;
}

const ALIASES: Readonly<Record<string, Field>> = {
  description: 'content',
  body: 'content',
  details: 'content',
  created: 'createdAt',
  votes: 'voteCount',
};
const BY_KEY = new Map<string, Field>([
  ...FIELDS.map((field): [string, Field] => [keyOf(field), field]),
  ...Object.entries(ALIASES),
]);

function keyOf(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_-]/g, '');
}

/** The field that a column means; `Author e-mail`, `author_email` and `authorEmail` are the same. */
export function fieldOf(name: string): Field | undefined {
  return BY_KEY.get(keyOf(name));
}

const SHOWN_LENGTH = 60;

/** A name out of a file, cut so that it fits into a sentence. */
export function shown(name: string): string {
  const plain = name.replaceAll(/\p{C}/gu, ' ');
  return plain.length > SHOWN_LENGTH ? `${plain.slice(0, SHOWN_LENGTH)}...` : plain;
}

const MAX_UNKNOWN = 50;

/** Columns that nobody asked for, each named once. */
export function rememberUnknown(unknown: Set<string>, name: string): void {
  if (unknown.size < MAX_UNKNOWN) unknown.add(shown(name));
}

/** The fields of an object, by their names here. */
export function rowOfObject(number: number, value: unknown, unknown: Set<string>): RawRow {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { number, fields: {}, fault: 'must be an object' };
  const fields: Partial<Record<Field, unknown>> = {};
  const names = new Map<Field, string>();
  for (const [name, given] of Object.entries(value)) {
    const field = fieldOf(name);
    if (field === undefined) {
      rememberUnknown(unknown, name);
      continue;
    }
    const other = names.get(field);
    if (other !== undefined)
      return { number, fields: {}, fault: `${field}: is given twice, as ${shown(other)} and ${shown(name)}` };
    names.set(field, name);
    if (given !== null && given !== undefined) fields[field] = given;
  }
  return { number, fields };
}
