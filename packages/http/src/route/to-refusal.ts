/** From a fault of the work to a refusal: every one becomes one code, one status and one sentence. */
import { ToolError } from '@parley/kit';
import { isUnkeepableText, StoreUnavailableError } from '@parley/store';
import { RuleBroken, Stale } from '../faults.ts';
import type { ErrorCode } from '../refusal.ts';
import { HttpRefusal } from '../refusal.ts';

const RETRY_SECONDS = '5';

const OF_TOOL_CODE: Readonly<Record<string, ErrorCode>> = {
  not_found: 'NOT_FOUND',
  conflict: 'CONFLICT',
  declined: 'CONFLICT',
  forbidden: 'FORBIDDEN',
  invalid: 'BAD_REQUEST',
  rate_limited: 'RATE_LIMITED',
  unavailable: 'UNAVAILABLE',
};

/** What a fault is refused with; undefined for a fault of ours, which nobody outside hears about. */
export function toRefusal(error: unknown): HttpRefusal | undefined {
  if (error instanceof HttpRefusal) return error;
  if (error instanceof RuleBroken) return new HttpRefusal('VALIDATION_ERROR', error.message);
  if (error instanceof Stale) return new HttpRefusal('PRECONDITION_FAILED', error.message);
  if (error instanceof ToolError) {
    const code = Object.hasOwn(OF_TOOL_CODE, error.code) ? OF_TOOL_CODE[error.code] : undefined;
    return new HttpRefusal(code ?? 'BAD_REQUEST', error.message, { headers: waitOf(error) });
  }
  if (error instanceof StoreUnavailableError)
    return new HttpRefusal('UNAVAILABLE', error.message, { headers: { 'retry-after': RETRY_SECONDS } });
  // The last line: whoever lets such a text in has not looked for it.
  if (isUnkeepableText(error)) return new HttpRefusal('BAD_REQUEST', UNKEEPABLE);
  return undefined;
}

const UNKEEPABLE =
  'A text holds the character U+0000 or half of a surrogate pair, which cannot be stored. Take it out.';

/** When to come back, where the error knows. */
function waitOf({ data }: ToolError): Record<string, string> {
  const waitMs =
    typeof data === 'object' && data !== null && 'retryAfterMs' in data ? Number(data.retryAfterMs) : NaN;
  return waitMs > 0 ? { 'retry-after': String(Math.max(1, Math.ceil(waitMs / 1000))) } : {};
}

/** The body of a refusal over REST. */
export function errorBody({ code, message, details }: HttpRefusal): string {
  const fields = fieldsIn(details?.['errors']);
  const about = { code, message, ...(fields && { fields }), ...(details !== undefined && { details }) };
  // Some clients look for the text at the top.
  return JSON.stringify({ error: about, message });
}

/** What is wrong with each field in one sentence, for forms; the rules one by one are in the details. */
function fieldsIn(errors: unknown): Record<string, string> | undefined {
  if (typeof errors !== 'object' || errors === null) return undefined;
  const entries = Object.entries(errors).map(([name, rules]) => [name, [rules].flat().join('; ')]);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
