/** What a tool does to the world, and the four MCP hints that follow from it. */

/** The five effects; every tool declares exactly one. */
export type Effect = 'read' | 'create' | 'update' | 'delete' | 'run';

/** The MCP tool annotations that clients show and act on. */
export interface Hints {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

const HINTS: Record<Effect, Omit<Hints, 'openWorldHint'>> = {
  read: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  create: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  update: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  delete: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  run: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
};

/** Derives the hints of a tool; `overrides` may correct a single one. */
export function hintsOf(effect: Effect, external: boolean, overrides: Partial<Hints> = {}): Hints {
  return { ...HINTS[effect], openWorldHint: external, ...overrides };
}

/** Refuses hints written by hand: readers of the tool would believe them, and the server would not. */
export function refuseOwnAnnotations(spec: { readonly name: string }): void {
  if ('annotations' in spec) {
    throw new TypeError(
      `The tool "${spec.name}" has a field "annotations". Say what it does with "effect" and "external", and correct a single hint with "hints".`,
    );
  }
}
