/** Users: people as the whole installation knows them, whatever organizations they belong to. */
import { ToolError, typeId } from '@parley/kit';
import type { StoreTransaction } from '@parley/store';
import { isUniqueViolation } from '@parley/store';
import type { IdentityTables, UserRow } from '../schema.ts';

/** Creates a person; the same e-mail twice is a conflict. */
export async function createUser(
  tx: StoreTransaction,
  input: { name: string; email: string | null },
  now: number,
): Promise<string> {
  const row = newUser(input, now);
  await tx
    .db<IdentityTables>()
    .insertInto('users')
    .values(row)
    .execute()
    .catch(orConflict(`A user with the e-mail ${input.email} exists already.`));
  return row.id;
}

/** The person with this e-mail, made when there is none; an existing person keeps their name. */
export async function ensureUser(
  tx: StoreTransaction,
  input: { email: string; name: string },
  now: number,
): Promise<string> {
  const db = tx.db<IdentityTables>();
  const row = newUser(input, now);
  if (row.email === '') throw new ToolError('invalid', 'email: must not be empty');
  await db
    .insertInto('users')
    .values(row)
    .onConflict((conflict) => conflict.column('email').doNothing())
    .execute();
  const { id } = await db
    .selectFrom('users')
    .select('id')
    .where('email', '=', row.email)
    .executeTakeFirstOrThrow();
  return id;
}

/** Gives a person whom nobody has acted as yet the name that they say. */
export async function renameUser(tx: StoreTransaction, userId: string, name: string): Promise<void> {
  await tx.db<IdentityTables>().updateTable('users').set({ name }).where('id', '=', userId).execute();
}

function newUser({ name, email }: { name: string; email: string | null }, now: number): UserRow {
  const address = email === null ? null : email.trim().toLowerCase();
  return { id: typeId('user', now), name, email: address, image: null, email_verified: 0, created_at: now };
}

/** Turns the refusal of a second row into a conflict with this text. */
export function orConflict(message: string): (error: unknown) => never {
  return (error) => {
    throw isUniqueViolation(error) ? new ToolError('conflict', message) : error;
  };
}
