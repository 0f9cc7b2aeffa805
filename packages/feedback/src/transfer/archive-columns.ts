/** How columns stand in an archive: names in camel case, times in ISO 8601, people by the ids of the file. */
import * as z from 'zod';
import { fromIdentityId, splitId } from '../ids.ts';
import type { IdKind } from '../ids.ts';
import { isoOf, time } from '../shapes/fields.ts';
import { fromJson, toJson } from '@parley/store';

/** Turns the people of a file into those of the organization. */
export interface PeopleMap {
  member(id: string): string;
  user(id: string): string;
  /** The member whom a text mentions by id; the text itself when nobody in the file has that id. */
  mentioned(id: string): string;
}

export interface Column {
  readonly schema: z.ZodType;
  /** The kind of thing that must stand in a line before. */
  readonly refersTo?: RefKind;
  toFile(value: unknown): unknown;
  toRow(value: unknown, people: PeopleMap): unknown;
}

/** What columns can refer to. */
export type RefKind =
  | 'board'
  | 'status'
  | 'tag'
  | 'post'
  | 'comment'
  | 'roadmap'
  | 'changelog'
  | 'member'
  | 'user';

const same = (value: unknown) => value;

function plain(schema: z.ZodType): Column {
  return { schema, toFile: same, toRow: same };
}

/** Text as it is, up to a length. */
export const words = (max: number, min = 0) =>
  plain(
    z
      .string()
      .min(min)
      .max(max)
      .refine((value) => !value.includes('\0'), 'must not contain the character U+0000'),
  );

/** Text of a certain form. */
export const formed = (form: RegExp) => plain(z.string().regex(form, `must look like ${form.source}`));

/** One of a few words. */
export const oneOf = (values: readonly string[]) => plain(z.enum(values));

/** A whole number from 0. */
export const count = plain(z.int32().min(0));

/** A moment. */
export const when: Column = {
  schema: time,
  toFile: (value) => isoOf(Number(value)),
  toRow: (value) => Date.parse(String(value)),
};

/** Yes or no. */
export const flag: Column = {
  schema: z.boolean(),
  toFile: (value) => value === 1,
  toRow: (value) => (value === true ? 1 : 0),
};

/** Whatever JSON can say. */
export const json: Column = {
  schema: z.json(),
  toFile: (value) => fromJson<unknown>(String(value)),
  toRow: toJson,
};

/** A short list of words. */
export const wordList = (most: number, max: number): Column => ({
  ...json,
  schema: z.array(z.string().min(1).max(max)).max(most),
});

const idOf = (kind: IdKind) =>
  z.string().refine((text) => splitId(text)?.prefix === kind, `must be a ${kind} ID`);

/** The id of the thing itself, or of something whose place in the file does not matter. */
export const id = (kind: IdKind) => plain(idOf(kind));

/** The id of something in a line before. */
export const ref = (kind: RefKind & IdKind): Column => ({ ...id(kind), refersTo: kind });

/** A member of the organization, or one who has left it. */
export const member: Column = {
  schema: idOf('member'),
  refersTo: 'member',
  toFile: (value) => fromIdentityId('member', String(value)),
  toRow: (value, people) => people.member(String(value)),
};

/** Text that may be the id of a member, as activity shows it. */
export const trace: Column = {
  ...words(20_000),
  toRow: (value, people) => (isMemberId(value) ? people.mentioned(value) : value),
};

/** True for the id of a member as surfaces show it. */
export function isMemberId(value: unknown): value is string {
  return typeof value === 'string' && splitId(value)?.prefix === 'member';
}

/** A person. */
export const user: Column = {
  schema: idOf('user'),
  refersTo: 'user',
  toFile: same,
  toRow: (value, people) => people.user(String(value)),
};

/** The same, or null. */
export function orNull(column: Column): Column {
  return {
    ...column,
    schema: column.schema.nullable(),
    toFile: (value) => (value === null ? null : column.toFile(value)),
    toRow: (value, people) => (value === null ? null : column.toRow(value, people)),
  };
}

/** The same, or a value for archives from before there was such a column. */
export function orAbsent(column: Column, value: unknown): Column {
  return { ...column, schema: column.schema.default(value) };
}

/** Null in the file where the table has an empty text. */
export function orEmpty(column: Column): Column {
  const nullable = orNull(column);
  return {
    ...nullable,
    toFile: (value) => nullable.toFile(value === '' ? null : value),
    toRow: (value, people) => nullable.toRow(value, people) ?? '',
  };
}
