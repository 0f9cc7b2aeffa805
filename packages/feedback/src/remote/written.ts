/** What was asked for beside what the server shows: only what is there as asked is reported as done. */
import { ToolError } from '@parley/kit';
import type * as z from 'zod';
import type { Envelope } from './client.ts';
import { fieldOf, listed, sentence } from './faults.ts';
import { told } from './names.ts';
import { thingIn } from './reading.ts';

type Asked = Readonly<Record<string, unknown>>;

/** One change and how to look at it again. */
export interface Written {
  /** Under the names that tools use; what is undefined was not asked. */
  readonly asked: Asked;
  readonly answer: Envelope;
  /** Of what was changed; absent: something new was made. */
  readonly id?: string;
  /** Reads it again, for what the answer does not show. */
  reread(id: string): Promise<Envelope>;
  /** Of the tool call; when it fires, that is the reason and no failure to read. */
  readonly signal: AbortSignal;
}

/** The thing as the server has it now; an error when it is not as asked. */
export async function settled<Shape extends z.ZodObject>(
  shape: Shape,
  { asked, answer, id, reread, signal }: Written,
): Promise<z.infer<Shape>> {
  const shownId = fieldOf(answer.data, 'id');
  if (id === undefined && typeof shownId !== 'string')
    throw answer.unreadable(answer.data === undefined ? 'it is empty' : 'it has no id');
  const madeId = id === undefined ? String(shownId) : undefined;
  const known = id ?? String(shownId);
  const names = Object.keys(asked).filter((name) => asked[name] !== undefined);
  const isShown = shownId === known && names.every((name) => told(answer.data, name) !== undefined);
  const readLast = async () => {
    const again = await reread(known);
    // What cannot be read was not read again.
    thingIn(shape, again);
    return again;
  };
  const last = isShown ? answer : await readAgain(readLast, madeId, signal);
  const lost = names.filter((name) => !isSame(name, asked[name], told(last.data, name)));
  if (lost.length > 0 || fieldOf(last.data, 'id') !== known)
    throw notAsAsked({ lost, kept: names.filter((name) => !lost.includes(name)), madeId });
  return thingIn(shape, last);
}

async function readAgain(
  read: () => Promise<Envelope>,
  madeId: string | undefined,
  signal: AbortSignal,
): Promise<Envelope> {
  try {
    return await read();
  } catch (error) {
    if (signal.aborted || !(error instanceof Error)) throw error;
    const what = madeId === undefined ? 'The change was accepted' : `The item was made (${madeId})`;
    throw new ToolError(
      'unavailable',
      `${what}, but it could not be read again: ${sentence(error.message)} Look at it before you try again.`,
    );
  }
}

function notAsAsked(outcome: {
  readonly lost: readonly string[];
  readonly kept: readonly string[];
  readonly madeId: string | undefined;
}): ToolError<'unavailable'> {
  const { lost, kept, madeId } = outcome;
  const failure = `did not set ${lost.length === 0 ? 'what was asked' : listed(lost)} as asked.`;
  const done = kept.length === 0 ? '' : ` It did set ${listed(kept)}.`;
  return new ToolError(
    'unavailable',
    madeId === undefined
      ? `The feedback server ${failure}${done} It may not offer that: leave it out, or look at the item.`
      : `The item was made (${madeId}), but the feedback server ${failure} Do not make it again: look at it.`,
  );
}

const TEXTS = new Set(['content', 'officialResponse']);

/** Whether a field has the value that was asked for; an absent one is empty. */
function isSame(name: string, asked: unknown, shown: unknown): boolean {
  if (Array.isArray(asked)) return isSameSet(asked, Array.isArray(shown) ? shown : []);
  const [wanted, there] = [asked, shown].map((value) => (typeof value === 'string' ? value.trim() : value));
  if (isEmpty(wanted) || isEmpty(there)) return isEmpty(wanted) && isEmpty(there);
  if (typeof wanted !== 'string' || typeof there !== 'string' || wanted === there) return wanted === there;
  if (name === 'publishedAt') return Date.parse(wanted) === Date.parse(there);
  return TEXTS.has(name) && lettersOf(wanted) !== '' && lettersOf(wanted) === lettersOf(there);
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || value === false;
}

function isSameSet(one: readonly unknown[], other: readonly unknown[]): boolean {
  const [left, right] = [new Set(one), new Set(other)];
  return left.size === right.size && [...left].every((item) => right.has(item));
}

/** A text without its marks: servers write Markdown in their own way, number lists anew and move pictures. */
function lettersOf(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/https?:\/\/[^\s)>\]]{1,2000}/g, '')
    .replaceAll(/&#?[a-z0-9]{2,8};/gi, '')
    .replaceAll(/^[ \t]{0,20}\d{1,9}[.)]/gm, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '');
}
