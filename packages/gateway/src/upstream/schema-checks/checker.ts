/** Values held against schemas of others: cheap ones here and now, all others in threads with limits on time and memory. */
import { createHash } from 'node:crypto';
import type { JsonSchema } from '@parley/kit';
import { schemaCost } from '@parley/kit';
import { Turns } from '@parley/store';
import type { CheckTimes } from './checking-thread.ts';
import { CheckingThread } from './checking-thread.ts';
import { Unchecked } from './unchecked.ts';

/**
 * What is wrong with a value, in words; undefined: nothing. Throws `Unchecked` where nobody can tell. A check that takes
 * too long is held against whoever the value came from.
 */
export type FaultOf = (value: unknown, callerId?: string) => Promise<string | undefined>;

/** The checks of a process. */
export interface SchemaChecks {
  /** The check against a schema that an organization uses; nothing is done before the first value. */
  against(schema: JsonSchema, organizationId: string): FaultOf;
  /** How many threads run. */
  readonly threads: number;
  close(): Promise<void>;
}

export interface SchemaChecksOptions {
  readonly times?: Partial<CheckTimes>;
  readonly now?: () => number;
}

// Making a validator of a large schema takes much longer than using it, and happens once.
const TIMES: CheckTimes = { startMs: 10_000, compileMs: 5_000, checkMs: 500 };
const PLACES = { places: 2, waiting: 64, waitMs: 10_000 };
const MOST_WAITING = 256;
const MOST_CHARACTERS = 1024 * 1024;
/** Steps that the event loop can take without anybody noticing. */
const MOST_STEPS = 20_000_000;
const REFUSED_MS = 30_000;
const MOST_REFUSED = 1_000;

interface Refused {
  readonly untilMs: number;
  /** The smallest that took too long: each class is twice as large as the one before. */
  readonly sizeClass: number;
}

/** Times are measured, not dated: a clock that is set back must not keep a schema refused. */
const measured = () => performance.now();

export function createSchemaChecks({ times = {}, now = measured }: SchemaChecksOptions = {}): SchemaChecks {
  const all = Array.from({ length: PLACES.places }, () => new CheckingThread({ ...TIMES, ...times }));
  const free = [...all];
  const turns = new Turns(PLACES, () => new Unchecked('busy'));
  const never = new AbortController().signal;
  /** What of a caller is not tried again against a schema of an organization. */
  const refused = new Map<string, Refused>();
  let waiting = 0;

  function refuse(key: string, sizeClass: number): void {
    const before = refused.get(key);
    const least =
      before !== undefined && before.untilMs > now() ? Math.min(before.sizeClass, sizeClass) : sizeClass;
    refused.delete(key);
    refused.set(key, { untilMs: now() + REFUSED_MS, sizeClass: least });
    const [oldest] = refused.size > MOST_REFUSED ? refused.keys() : [];
    if (oldest !== undefined) refused.delete(oldest);
  }

  /** What is as large as that which took too long would take as long. */
  function refuseKnown(key: string, sizeClass: number): void {
    const known = refused.get(key);
    if (known !== undefined && known.untilMs > now() && sizeClass >= known.sizeClass)
      throw new Unchecked('late');
  }

  async function inThread(
    { schema, digest, organizationId }: { schema: JsonSchema; digest: string; organizationId: string },
    value: unknown,
    callerId = '',
  ): Promise<string | undefined> {
    const key = `${organizationId} ${digest} ${callerId}`;
    // As the wire has it; what JSON leaves out is nothing that a schema could speak of.
    const json = JSON.stringify(value) ?? 'null';
    if (json.length > MOST_CHARACTERS) throw new Unchecked('large');
    const sizeClass = Math.floor(Math.log2(json.length));
    refuseKnown(key, sizeClass);
    if (waiting >= MOST_WAITING) throw new Unchecked('busy');
    waiting += 1;
    try {
      return await turns.take({ organizationId, signal: never }, async () => {
        // Those that waited while it took too long would take as long.
        refuseKnown(key, sizeClass);
        const thread = free.pop();
        if (thread === undefined) throw new Unchecked('busy');
        try {
          const found = await thread.ask({ digest, schema, json });
          if ('fault' in found) return found.fault;
          if ('unusable' in found) throw new Unchecked('unusable', found.unusable);
          if (found.tooMuch === undefined) throw new Unchecked('busy');
          refuse(key, sizeClass);
          throw new Unchecked('late');
        } finally {
          free.push(thread);
        }
      });
    } finally {
      waiting -= 1;
    }
  }

  return {
    against(schema, organizationId) {
      let made: Promise<FaultOf> | undefined;
      const make = async (): Promise<FaultOf> => {
        const cost = schemaCost(schema);
        const digested = once(() => createHash('sha256').update(JSON.stringify(schema)).digest('base64'));
        const there: FaultOf = (value, callerId) =>
          inThread({ schema, digest: digested(), organizationId }, value, callerId);
        return cost === undefined ? there : here(schema, { most: MOST_STEPS / cost.perPart, there });
      };
      return async (value, callerId) => (await (made ??= make()))(value, callerId);
    },
    get threads() {
      return all.filter(({ isRunning }) => isRunning).length;
    },
    async close() {
      turns.close();
      await Promise.all(all.map((thread) => thread.close()));
    },
  };
}

/** The check of a cheap schema; only a value that is large for it goes to a thread. */
async function here(
  schema: JsonSchema,
  { most, there }: { readonly most: number; readonly there: FaultOf },
): Promise<FaultOf> {
  const { compiled, partsOf } = await import('./engine.ts');
  const validate = usable(() => compiled(schema));
  return async (value, callerId) => (partsOf(value, most) > most ? there(value, callerId) : validate(value));
}

function usable<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw new Unchecked('unusable', error instanceof Error ? error.message.slice(0, 300) : undefined);
  }
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
