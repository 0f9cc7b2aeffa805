/** JSONPath of RFC 9535 over the JSON of call records, without what could take long. */
import { JSONPathEnvironment } from 'json-p3';
import { LONGEST_PATH } from './dashboard.ts';

/** A path that was compiled. */
export interface JsonPath {
  /** The values that it selects, at most a thousand. */
  valuesIn(value: unknown): unknown[];
}

const MOST_VALUES = 1_000;
const MOST_FILTERS = 3;

const environment = new JSONPathEnvironment({ maxRecursionDepth: 100 });
// Their patterns are regular expressions of whoever writes the path, which can be made to take for ever.
for (const name of ['match', 'search']) environment.functionRegister.delete(name);

/** Compiles a path; throws an Error with a sentence when it is no path, or one that could take long. */
export function compilePath(text: string): JsonPath {
  if (text.length > LONGEST_PATH) throw new Error(`A path has at most ${LONGEST_PATH} characters.`);
  // Each looks at everything below; one inside another would look at that once for every part of it.
  if (text.split('..').length > 2) throw new Error('A path has ".." at most once.');
  if (text.split('?').length > MOST_FILTERS + 1)
    throw new Error(`A path has at most ${MOST_FILTERS} filters.`);
  const query = environment.compile(text);
  return {
    valuesIn(value) {
      const found: unknown[] = [];
      // What was JSON is a value of JSON.
      for (const node of query.lazyQuery(value as Parameters<typeof query.lazyQuery>[0])) {
        found.push(node.value);
        if (found.length >= MOST_VALUES) break;
      }
      return found;
    },
  };
}

/** Why a text is no path that can be used; undefined when it is one. */
export function faultOfPath(text: string): string | undefined {
  try {
    compilePath(text);
    return undefined;
  } catch (error) {
    return `must be a JSONPath such as $.total: ${error instanceof Error ? error.message : 'it cannot be read'}`;
  }
}
