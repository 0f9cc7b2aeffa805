/** The two pools of places: one for the tasks of callers, one for the work of the system itself. */
import type { TaskLimits } from '../limits.ts';
import type { KnownKind } from './claim.ts';
import type { Kind } from './kinds.ts';

/** The kinds that share places, and how many of them may run at once. */
export interface Pool {
  readonly kinds: readonly KnownKind[];
  /** Whether a running task counts here; also one of a kind that only another process knows. */
  readonly counts: { readonly among: readonly string[]; readonly isInside: boolean };
  readonly perOwner: number;
  readonly perOrganization: number;
  readonly perProcess: number;
}

/** Both pools, the system's first. */
export function poolsOf(kinds: Iterable<Kind>, limits: TaskLimits): readonly Pool[] {
  const all = [...kinds];
  const system = all.filter(({ isSystem }) => isSystem === true);
  const among = system.map(({ kind }) => kind);
  const perOrganization = limits.systemPerOrganization;
  return [
    {
      kinds: system,
      counts: { among, isInside: true },
      // An organization owns its system work under one name.
      perOwner: perOrganization,
      perOrganization,
      perProcess: limits.systemPerProcess,
    },
    {
      kinds: all.filter(({ isSystem }) => isSystem !== true),
      counts: { among, isInside: false },
      perOwner: limits.runningPerOwner,
      perOrganization: limits.runningPerOrganization,
      perProcess: limits.runningPerProcess,
    },
  ];
}

/** The pool that a kind belongs to. */
export function poolOf(pools: readonly Pool[], kind: string): Pool | undefined {
  return pools.find((pool) => pool.kinds.some((known) => known.kind === kind));
}
