/** Filters of subscriptions: JSONPath (RFC 9535) over the whole event, compiled once and held to a budget. */
import { ToolError } from '@parley/kit';
import type { JSONPathQuery } from 'json-p3';
import { jsonpath } from 'json-p3';
import type { UnnumberedEvent } from './cloud-event.ts';

export const FILTER_LENGTH = 1000;
/**
 * How often one filter may read one event. About 10 ms of work; counted rather than timed, so that a busy machine
 * delivers what an idle one does.
 */
export const FILTER_READS = 8_000;
/** Characters of all filters that stay compiled; each takes some 150 bytes then. */
const KEPT_CHARACTERS = 500_000;

/** Thrown inside an evaluation that reads too much. */
class OverBudget extends Error {
  override readonly name = 'OverBudget';
}

class FilterEnvironment extends jsonpath.JSONPathEnvironment {
  protected override setupFilterFunctions(): void {
    super.setupFilterFunctions();
    // Both run backtracking regular expressions, which a short pattern can keep busy for years.
    for (const name of ['match', 'search']) this.functionRegister.delete(name);
  }
}

const environment = new FilterEnvironment();
const compiled = new Map<string, JSONPathQuery>();
let keptCharacters = 0;

/** Refuses a filter that does not compile, with the position of the fault. */
export function checkFilter(filter: string): void {
  if (filter.length > FILTER_LENGTH)
    throw new ToolError('invalid', `filter: must have at most ${FILTER_LENGTH} characters.`);
  if (filter.includes('\0')) throw new ToolError('invalid', 'filter: has a NUL character in it.');
  try {
    // Not kept: who only tries filters pushes out none that events need.
    environment.compile(filter);
  } catch (error) {
    throw new ToolError('invalid', `filter: ${explain(error)}`);
  }
}

function explain(error: unknown): string {
  const { message = 'this is no JSONPath', token } = error as { message?: string; token?: { index: number } }; // what the library throws
  if (/^no such function '(match|search)'/.test(message))
    return 'match() and search() are not available here. Compare with == or < instead.';
  // The library repeats the text around the fault; the position says enough.
  const reason = message.split(' (', 1)[0];
  return `${reason}${token === undefined ? '' : ` at position ${token.index}`}. Write JSONPath such as $.data[?@.total > 100].`;
}

function compile(filter: string): JSONPathQuery {
  const known = compiled.get(filter);
  if (known !== undefined) {
    // Put at the end, so that the first one is the one that nobody asked for.
    compiled.delete(filter);
    compiled.set(filter, known);
    return known;
  }
  const query = environment.compile(filter);
  compiled.set(filter, query);
  keptCharacters += filter.length;
  for (const oldest of compiled.keys()) {
    if (keptCharacters <= KEPT_CHARACTERS) break;
    compiled.delete(oldest);
    keptCharacters -= oldest.length;
  }
  return query;
}

/** Whether asking needs no compiling, which takes up to 4 ms for the longest. */
export function isCompiled(filter: string): boolean {
  return compiled.has(filter);
}

/** What asking a filter came to. */
export interface FilterAnswer {
  /** Undefined when it failed or read too much. */
  readonly isSelected: boolean | undefined;
  /** Whether it wanted to read more than it may. */
  readonly isOver: boolean;
  readonly reads: number;
}

/** Whether the filter selects something in the event. */
export function ask(filter: string, event: UnnumberedEvent, mostReads = FILTER_READS): FilterAnswer {
  const meter: Meter = { left: mostReads, isOver: false };
  const answer = (isSelected: boolean | undefined): FilterAnswer => ({
    isSelected,
    isOver: meter.isOver,
    reads: mostReads - meter.left,
  });
  try {
    const values = metered(event, meter) as Parameters<JSONPathQuery['lazyQuery']>[0]; // an event is JSON
    const { done } = compile(filter).lazyQuery(values).next();
    return answer(done !== true);
  } catch {
    return answer(undefined);
  }
}

interface Meter {
  left: number;
  isOver: boolean;
}

/** How many keys an object has. Kept while the event lives: every filter asks, and a wide object takes milliseconds. */
const keyCounts = new WeakMap<object, number>();

function countKeys(of: object): number {
  const count = keyCounts.get(of) ?? Reflect.ownKeys(of).length;
  keyCounts.set(of, count);
  return count;
}

/**
 * The value, refusing to be read too often. The library has no budget of its own, but whatever it does for long it
 * does by reading the event.
 */
function metered(value: unknown, meter: Meter): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const stop = () => {
    meter.isOver = true;
    throw new OverBudget();
  };
  const count = () => {
    if (meter.left === 0) stop();
    meter.left -= 1;
  };
  return new Proxy(value, {
    get(from, key, self) {
      count();
      return metered(Reflect.get(from, key, self), meter);
    },
    has(from, key) {
      count();
      return Reflect.has(from, key);
    },
    ownKeys(from) {
      count();
      // Whoever lists keys reads each of them next; listing them for nothing would be work that no count sees.
      if (countKeys(from) > meter.left) stop();
      return Reflect.ownKeys(from);
    },
    getOwnPropertyDescriptor(from, key) {
      count();
      return Reflect.getOwnPropertyDescriptor(from, key);
    },
  });
}
