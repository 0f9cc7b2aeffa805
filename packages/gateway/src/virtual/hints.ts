/** From the hints that a definition carries to the effect that the server goes by. */
import type { Effect } from '@parley/kit';

/** The effect of a tool with these annotations; what is absent counts as the worst. */
export function effectOf(annotations: Readonly<Record<string, unknown>> | null | undefined): Effect {
  if (annotations?.readOnlyHint === true) return 'read';
  const isIdempotent = annotations?.idempotentHint === true;
  if (annotations?.destructiveHint === false) return isIdempotent ? 'update' : 'create';
  return 'run';
}

/** Whether it reaches other systems; unless it says no, it does. */
export function isExternal(annotations: Readonly<Record<string, unknown>> | null | undefined): boolean {
  return annotations?.openWorldHint !== false;
}
