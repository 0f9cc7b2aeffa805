/** Values held against schemas of others: cheap ones here and now, all others in threads with limits on time and memory. */
import { createHash } from 'node:crypto';
import type { JsonSchema } from '@parley/kit';
import { schemaCost } from '@parley/kit';
import { Turns } from '@parley/store';
import type { CheckTimes } from './checking-thread.ts';
import { CheckingThread } from './checking-thread.ts';
import { Unchecked } from './unchecked.ts';

/** What is wrong with a value, in words; undefined: nothing. Throws `Unchecked` where nobody can tell. */
export type FaultOf = (value: unknown) => Promise<string | undefined>;

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

/** Times are measured, not dated: a clock that is set back must not keep a schema refused. */
const measured = () => performance.now();

export function createSchemaChecks({ times = {}, now = measured }: SchemaChecksOptions = {}): SchemaChecks {
  const all = Array.from({ length: PLACES.places }, () => new CheckingThread({ ...TIMES, ...times }));
  const free = [...all];
  const turns = new Turns(PLACES, () => new Unchecked('busy'));
  const never = new AbortController().signal;
  /** Until when a schema of an organization is not tried again. */
  const refused = new Map<string, number>();
  let waiting = 0;

  function refuse(key: string): void {
    refused.delete(key);
    refused.set(key, now() + REFUSED_MS);
    const [oldest] = refused.size > MOST_REFUSED ? refused.keys() : [];
    if (oldest !== undefined) refused.delete(oldest);
  }

  function refuseKnown(key: string): void {
    if ((refused.get(key) ?? 0) > now()) throw new Unchecked('late');
  }

  async function inThread(
    { schema, digest, organizationId }: { schema: JsonSchema; digest: string; organizationId: string },
    value: unknown,
  ): Promise<string | undefined> {
    const key = `${organizationId} ${digest}`;
    refuseKnown(key);
    // As the wire has it; what JSON leaves out is nothing that a schema could speak of.
    const json = JSON.stringify(value) ?? 'null';
    if (json.length > MOST_CHARACTERS) throw new Unchecked('large');
    if (waiting >= MOST_WAITING) throw new Unchecked('busy');
    waiting += 1;
    try {
      return await turns.take({ organizationId, signal: never }, async () => {
        // Those that waited while it took too long would take as long.
        refuseKnown(key);
        const thread = free.pop();
        if (thread === undefined) throw new Unchecked('busy');
        try {
          const found = await thread.ask({ digest, schema, json });
          if ('fault' in found) return found.fault;
          if ('unusable' in found) throw new Unchecked('unusable', found.unusable);
          if (found.tooMuch === undefined) throw new Unchecked('busy');
          refuse(key);
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
        const there: FaultOf = (value) => inThread({ schema, digest: digested(), organizationId }, value);
        return cost === undefined ? there : here(schema, { most: MOST_STEPS / cost.perPart, there });
      };
      return async (value) => (await (made ??= make()))(value);
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
  return async (value) => (partsOf(value, most) > most ? there(value) : validate(value));
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
