/** Filters of subscriptions: JSONPath (RFC 9535) over the whole event, compiled once and held to a time. */
import { ToolError } from '@parley/kit';
import type { JSONPathQuery } from 'json-p3';
import { jsonpath } from 'json-p3';
import type { CloudEvent } from './cloud-event.ts';

export const FILTER_LENGTH = 1000;
/** Longest time for one filter and one event. */
export const FILTER_MS = 10;
const KEPT_FILTERS = 500;

/** Thrown inside an evaluation that takes too long. */
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

/** Refuses a filter that does not compile, with the position of the fault. */
export function checkFilter(filter: string): void {
  if (filter.length > FILTER_LENGTH)
    throw new ToolError('invalid', `filter: must have at most ${FILTER_LENGTH} characters.`);
  if (filter.includes('\0')) throw new ToolError('invalid', 'filter: has a NUL character in it.');
  try {
    compile(filter);
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
  const [oldest] = compiled.keys();
  if (compiled.size > KEPT_FILTERS && oldest !== undefined) compiled.delete(oldest);
  return query;
}

/** Whether the filter selects something in the event; undefined when it failed or took too long. */
export function selects(filter: string, event: CloudEvent, budgetMs = FILTER_MS): boolean | undefined {
  const deadline = performance.now() + budgetMs;
  if (budgetMs <= 0) return undefined;
  try {
    const values = timed(event, deadline) as Parameters<JSONPathQuery['lazyQuery']>[0]; // an event is JSON
    const { done } = compile(filter).lazyQuery(values).next();
    return done !== true;
  } catch {
    return undefined;
  }
}

/**
 * The value, refusing to be looked at after the deadline. The library has no budget of its own, but whatever it does
 * for long it does by reading the event.
 */
function timed(value: unknown, deadline: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const look = () => {
    if (performance.now() > deadline) throw new OverBudget();
  };
  return new Proxy(value, {
    get(from, key, self) {
      look();
      return timed(Reflect.get(from, key, self), deadline);
    },
    has(from, key) {
      look();
      return Reflect.has(from, key);
    },
    ownKeys(from) {
      look();
      return Reflect.ownKeys(from);
    },
    getOwnPropertyDescriptor(from, key) {
      look();
      return Reflect.getOwnPropertyDescriptor(from, key);
    },
  });
}
