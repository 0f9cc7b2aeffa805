/** Answers to questions, wherever they come from: the first one counts, on any number of processes. */
import type { Caller } from '@parley/kit';
import { requireLasting, ToolError } from '@parley/kit';
import type { StoreTransaction } from '@parley/store';
import { fromJson } from '@parley/store';
import { CODE_LENGTH } from '../../adapters/channels/words.ts';
import { questionAnswered } from '../../events.ts';
import type { OwnerParts } from './parts.ts';
import type { OwnerTables, QuestionRow } from './schema.ts';

export const MOST_ANSWER = 8000;

const DECLINE = 'decline';

/** What an answer says; exactly one of them. */
export interface GivenAnswer {
  readonly answer?: string | undefined;
  /** Counted from 1. */
  readonly optionIndex?: number | undefined;
  readonly decline?: boolean | undefined;
}

type Change = Pick<QuestionRow, 'status' | 'answer' | 'option_index' | 'answered_by'>;

/** The topic that tells of a question's end. */
export function endOf(questionId: string): string {
  return `owner.question.${questionId}`;
}

/** An answer over the console; throws when it cannot be one, or comes too late. */
export async function giveAnswer(
  parts: OwnerParts,
  by: Caller,
  idOrCode: string,
  given: GivenAnswer,
): Promise<QuestionRow> {
  requireLasting(by, 'answers to agents');
  const question = await find(parts, by.organizationId, idOrCode);
  const person = by.userId === null ? undefined : await parts.identity.memberOf(by.organizationId, by.userId);
  const change = changeOf(question, given, person?.name ?? by.name);
  const audit = (tx: StoreTransaction) =>
    parts.identity.audit.write(tx, {
      caller: by,
      action: `question.${change.status}`,
      target: question.id,
      changed: { option_index: change.option_index },
    });
  const closed = await close(parts, question.id, change, audit);
  if (closed === undefined) throw tooLate();
  return closed;
}

/** What somebody wrote on a channel; nothing happens when the question is closed already. */
export async function takeReply(
  parts: OwnerParts,
  questionId: string,
  { text, by }: { readonly text: string; readonly by: string },
): Promise<void> {
  const question = await questionById(parts, questionId);
  const said = wordsOf(question, text);
  if (said === '') return;
  const options = optionsOf(question);
  const isOption = /^\d{1,2}$/.test(said) && options[Number(said) - 1] !== undefined;
  const given = isOption
    ? { optionIndex: Number(said) }
    : said.toLowerCase() === DECLINE
      ? { decline: true }
      : { answer: said };
  await close(parts, questionId, changeOf(question, given, by));
}

/** Ends a question that nobody answered; the row as it is then, answered or not. */
export async function endWithout(
  parts: OwnerParts,
  questionId: string,
  status: 'timed_out' | 'withdrawn',
): Promise<QuestionRow> {
  await parts.store
    .db<OwnerTables>()
    .updateTable('owner_questions')
    .set({ status, updated_at: parts.now() })
    .where('id', '=', questionId)
    .where('status', '=', 'open')
    .execute();
  return questionById(parts, questionId);
}

export async function questionById({ store }: Pick<OwnerParts, 'store'>, id: string): Promise<QuestionRow> {
  const row = await store
    .db<OwnerTables>()
    .selectFrom('owner_questions')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) throw notFound();
  return row;
}

/** The one update that decides who was first. */
function close(
  { store, events, now }: OwnerParts,
  id: string,
  change: Change,
  audit?: (tx: StoreTransaction) => Promise<void>,
): Promise<QuestionRow | undefined> {
  return store.transaction(async (tx) => {
    const at = now();
    const row = await tx
      .db<OwnerTables>()
      .updateTable('owner_questions')
      .set({ ...change, answered_at: at, updated_at: at })
      .where('id', '=', id)
      .where('status', '=', 'open')
      .where('deadline_at', '>', at)
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) return undefined;
    await audit?.(tx);
    await tx.signal(endOf(id));
    const data = {
      id,
      agentId: row.agent_id,
      declined: row.status === 'declined',
      answer: row.answer,
      optionIndex: row.option_index,
      answeredBy: row.answered_by ?? '',
    };
    const organizationId = row.organization_id;
    await events.publish(tx, questionAnswered.of({ organizationId, subject: id, time: at, data }));
    return row;
  });
}

function changeOf(question: QuestionRow, given: GivenAnswer, by: string): Change {
  const { answer, optionIndex, decline = false } = given;
  const said = [answer !== undefined, optionIndex !== undefined, decline].filter(Boolean);
  if (said.length !== 1)
    throw new ToolError('invalid', 'Give exactly one of answer, option_index and decline: true.');
  if (decline) return { status: 'declined', answer: null, option_index: null, answered_by: by };
  const options = optionsOf(question);
  const index = optionIndex ?? options.findIndex((option) => same(option, answer ?? '')) + 1;
  const text = options[index - 1] ?? answer;
  if (text === undefined) {
    const range = options.length === 0 ? 'this question has no options' : `must be 1 to ${options.length}`;
    throw new ToolError('invalid', `option_index: ${range}`);
  }
  return { status: 'answered', answer: text, option_index: index === 0 ? null : index, answered_by: by };
}

function same(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase();
}

export function optionsOf({ options }: Pick<QuestionRow, 'options'>): readonly string[] {
  return options === null ? [] : fromJson<string[]>(options);
}

/** What a reply says, without the code that may stand before it. */
function wordsOf({ id }: QuestionRow, text: string): string {
  const plain = text.slice(0, MOST_ANSWER).toWellFormed().replaceAll('\0', '').trim();
  const hasCode = plain.slice(0, CODE_LENGTH).toLowerCase() === id.slice(0, CODE_LENGTH);
  return hasCode
    ? plain
        .slice(CODE_LENGTH)
        .replace(/^[\s:,.-]/, '')
        .trim()
    : plain;
}

/** A question of the organization by its id or, while it is open, by the beginning of it. */
async function find(
  { store, now }: OwnerParts,
  organizationId: string,
  idOrCode: string,
): Promise<QuestionRow> {
  if (!/^[0-9a-f]{8,32}$/.test(idOrCode)) throw notFound();
  const isCode = idOrCode.length === CODE_LENGTH;
  const rows = await store
    .db<OwnerTables>()
    .selectFrom('owner_questions')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', isCode ? 'like' : '=', isCode ? `${idOrCode}%` : idOrCode)
    .limit(50)
    .execute();
  const open = rows.filter(({ status, deadline_at }) => status === 'open' && deadline_at > now());
  if (open.length > 1)
    throw new ToolError('conflict', 'Several open questions begin like this. Give the whole id.');
  const [found] = open.length === 1 ? open : rows;
  if (found === undefined) throw notFound();
  if (open.length === 0) throw tooLate();
  return found;
}

function notFound(): ToolError {
  return new ToolError('not_found', 'Question not found');
}

function tooLate(): ToolError {
  return new ToolError('conflict', 'This question is closed: it was answered, or its time is over.');
}
