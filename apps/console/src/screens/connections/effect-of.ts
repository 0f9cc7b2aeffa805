/** Owns what the hints of a server's tool come to: the effect that the server goes by, the worst where nothing is said. */
import type { Effect } from '../../api/types.ts';

/** The effect of a tool with these hints, as the gateway counts it. */
export function effectOf(annotations: Readonly<Record<string, unknown>> | undefined): Effect {
  if (annotations?.['readOnlyHint'] === true) return 'read';
  if (annotations?.['destructiveHint'] === false)
    return annotations['idempotentHint'] === true ? 'update' : 'create';
  return 'run';
}

const BYTES_PER_TOKEN = 4;
const encoder = new TextEncoder();

/** What a definition costs a model, as the server counts it. */
export function tokensOf(definition: unknown): number {
  return Math.ceil(encoder.encode(JSON.stringify(definition)).length / BYTES_PER_TOKEN);
}
