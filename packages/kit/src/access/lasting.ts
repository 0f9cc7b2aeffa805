/** Who makes nothing that stays: callers whose credential ends by itself after minutes. */
import { ToolError } from '../call/errors.ts';
import type { Caller } from './caller.ts';

/** Throws for a caller who makes nothing that would outlive it: a connection that calls back for five minutes. */
export function requireLasting({ endsAt }: Pick<Caller, 'endsAt'>, what: string): void {
  if (endsAt === undefined) return;
  throw new ToolError(
    'forbidden',
    `A token to call back with ends after minutes and cannot make or change ${what}. Use a key of the organization.`,
  );
}
