/** Checks an archive line by line: its form, what it refers to, and that it is whole. */
import { issuesByField } from '@parley/kit';
import { splitId } from '../ids.ts';
import type { Person as PersonLine, RecordName } from './archive-records.ts';
import {
  ARCHIVE_VERSION,
  End,
  END_KIND,
  fieldOfColumn,
  Head,
  HEAD_KIND,
  isRecordName,
  Person,
  recordKind,
  schemaOf,
} from './archive-records.ts';
import type { RefKind } from './archive-columns.ts';
import { faultAt } from './file-fault.ts';
import { parseLine, readLines } from './json-lines.ts';

/** A line that is in order. */
export type ArchiveLine =
  | { readonly number: number; readonly kind: 'person'; readonly person: PersonLine }
  | {
      readonly number: number;
      readonly kind: RecordName;
      readonly fields: Readonly<Record<string, unknown>>;
    };

/** True when the file begins as archives do. */
export async function isArchive(path: string): Promise<boolean> {
  for await (const line of readLines(path)) {
    const value = parseLine(line);
    return typeof value === 'object' && value !== null && 'kind' in value && value.kind === HEAD_KIND;
  }
  return false;
}

/** The lines of an archive between the first and the last; throws at the first one that is not in order. */
export async function* readArchive(path: string): AsyncGenerator<ArchiveLine> {
  const check = createCheck();
  let lines = 0;
  let isEnded = false;
  let last = 0;
  for await (const line of readLines(path)) {
    last = line.number;
    if (isEnded) throw faultAt(last, 'stands after the end of the archive.');
    const value = parseLine(line);
    if (typeof value !== 'object' || value === null || !('kind' in value))
      throw faultAt(last, 'is no line of an archive.');
    if (lines === 0) requireHead(value, last);
    else if (value.kind === END_KIND) isEnded = requireEnd(value, last, lines);
    else yield check(last, value);
    lines += 1;
  }
  if (!isEnded) throw faultAt(last + 1, 'The archive is cut off: its last line is missing. Export it again.');
  check.end(last);
}

function requireHead(value: object, line: number): void {
  const head = Head.safeParse(value);
  if (!head.success) throw faultAt(line, 'is not how an archive begins.');
  if (head.data.version !== ARCHIVE_VERSION)
    throw faultAt(
      line,
      `The archive has version ${head.data.version}, but only ${ARCHIVE_VERSION} can be read here.`,
    );
}

function requireEnd(value: object, line: number, lines: number): true {
  const end = End.safeParse(value);
  if (end.success && end.data.lines === lines) return true;
  throw faultAt(line, `The archive is damaged: ${lines} lines stand before its end, not as many as it says.`);
}

interface Check {
  (number: number, value: object & { kind: unknown }): ArchiveLine;
  end(line: number): void;
}

/** Remembers what was defined, so that every reference leads somewhere. */
function createCheck(): Check {
  const defined = new Set<string>();
  const unique = new Set<string>();
  let defaults = 0;
  let settings = 0;

  const define = (number: number, id: unknown) => {
    if (typeof id !== 'string') return;
    if (defined.has(id)) throw faultAt(number, `id: stands in an earlier line already (${id})`);
    defined.add(id);
  };
  const requireDefined = (number: number, field: string, kind: RefKind, id: unknown) => {
    if (id === null) return;
    if (typeof id !== 'string' || splitId(id)?.prefix !== kind || !defined.has(id))
      throw faultAt(number, `${field}: names no ${kind} of an earlier line`);
  };

  const person = (number: number, value: object): ArchiveLine => {
    const parsed = Person.safeParse(value);
    if (!parsed.success) throw faultAt(number, firstOf(issuesByField(parsed.error.issues, value)));
    const { memberId, userId, name, role, joinedAt } = parsed.data;
    const isBad = (id: string | null, kind: string) => id !== null && splitId(id)?.prefix !== kind;
    if (isBad(memberId, 'member') || isBad(userId, 'user'))
      throw faultAt(number, 'memberId, userId: must be IDs of a member and of a user');
    if (role !== null && (memberId === null || userId === null || name === null || joinedAt === null))
      throw faultAt(number, 'a member must have memberId, userId, name and joinedAt');
    define(number, memberId);
    define(number, userId);
    return { number, kind: 'person', person: parsed.data };
  };

  const record = (number: number, kind: RecordName, value: object): ArchiveLine => {
    const parsed = schemaOf(kind).safeParse(value);
    if (!parsed.success) throw faultAt(number, firstOf(issuesByField(parsed.error.issues, value)));
    const fields = parsed.data;
    const { columns, list, unique: together } = recordKind(kind);
    if (DEFINING.has(kind)) define(number, fields.id);
    for (const [column, { refersTo }] of Object.entries(columns)) {
      const field = fieldOfColumn(column);
      if (refersTo !== undefined) requireDefined(number, field, refersTo, fields[field]);
    }
    // The schema has made it a list.
    const ids = list === undefined ? [] : (fields[list.field] as unknown[]);
    for (const id of ids) if (list !== undefined) requireDefined(number, list.field, list.of, id);
    if (new Set(ids).size !== ids.length) throw faultAt(number, `${list?.field}: names the same twice`);
    if (together !== undefined) {
      const key = JSON.stringify([kind, ...together.map((column) => fields[fieldOfColumn(column)])]);
      if (unique.has(key))
        throw faultAt(number, `${together.map(fieldOfColumn).join(', ')}: stands in an earlier line already`);
      unique.add(key);
    }
    if (kind === 'status' && fields.isDefault === true) defaults += 1;
    if (kind === 'settings') settings += 1;
    return { number, kind, fields };
  };

  const check = (number: number, value: object & { kind: unknown }): ArchiveLine => {
    if (value.kind === 'person') return person(number, value);
    if (isRecordName(value.kind)) return record(number, value.kind, value);
    throw faultAt(number, 'kind: is not known. The archive may come from a newer Parley.');
  };
  const end = (line: number) => {
    if (defaults !== 1) throw faultAt(line, `The archive has ${defaults} default statuses instead of one.`);
    if (settings > 1) throw faultAt(line, 'The archive has more than one line of settings.');
  };
  return Object.assign(check, { end });
}

/** Others refer to these; the ids of the rest are guarded by the database. */
const DEFINING: ReadonlySet<RecordName> = new Set(['status', 'board', 'tag', 'post', 'roadmap', 'changelog']);

function firstOf(byField: Record<string, string[]>): string {
  const [field = 'line', rules = []] = Object.entries(byField)[0] ?? [];
  return `${field}: ${rules[0] ?? 'is not in order'}`;
}
