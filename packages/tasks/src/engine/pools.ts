/** The two pools of places: one for the tasks of callers, one for the work of the system itself. */
import type { TaskLimits } from '../limits.ts';
import type { PoolName } from '../schema.ts';
import type { Kind } from './kinds.ts';

/** The kinds that a process runs in a pool, and how many tasks of it may run at once. */
export interface Pool {
  readonly name: PoolName;
  /** As `knownAs` writes them. */
  readonly kinds: readonly string[];
  readonly perOwner: number;
  readonly perOrganization: number;
  readonly perProcess: number;
}

/** A kind of one version in one word; queries compare it with `kind || '@' || kind_version`. */
export function knownAs({ kind, version }: Pick<Kind, 'kind' | 'version'>): string {
  return `${kind}@${version}`;
}

/** The pool whose places the tasks of a kind take. */
export function poolNameOf({ isSystem }: Pick<Kind, 'isSystem'>): PoolName {
  return isSystem === true ? 'system' : 'caller';
}

/** Both pools, the system's first. */
export function poolsOf(kinds: Iterable<Kind>, limits: TaskLimits): readonly Pool[] {
  const all = [...kinds];
  const of = (name: PoolName) => all.filter((kind) => poolNameOf(kind) === name).map(knownAs);
  return [
    {
      name: 'system',
      kinds: of('system'),
      // An organization owns its system work under one name.
      perOwner: limits.systemPerOrganization,
      perOrganization: limits.systemPerOrganization,
      perProcess: limits.systemPerProcess,
    },
    {
      name: 'caller',
      kinds: of('caller'),
      perOwner: limits.runningPerOwner,
      perOrganization: limits.runningPerOrganization,
      perProcess: limits.runningPerProcess,
    },
  ];
}
