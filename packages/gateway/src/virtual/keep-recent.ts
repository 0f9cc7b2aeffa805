/** Keeps what was used last, and no more than so many; what is gone makes room before its time. */

const MOST = 1000;
/** How many of the oldest are looked at with each new one: more go than come, and nobody looks at all of them at once. */
const LOOKED_AT = 4;

/** Puts a value into a map, which has its entries in the order in which they came; the oldest makes room. */
export function keepRecent<Value>(
  map: Map<string, Value>,
  key: string,
  value: Value,
  isGone?: (key: string, value: Value) => boolean,
): void {
  const isNew = !map.delete(key);
  if (isNew && isGone !== undefined) dropGone(map, isGone);
  map.set(key, value);
  const [oldest] = map.size > MOST ? map.keys() : [];
  if (oldest !== undefined) map.delete(oldest);
}

function dropGone<Value>(map: Map<string, Value>, isGone: (key: string, value: Value) => boolean): void {
  const oldest: [string, Value][] = [];
  for (const entry of map) if (oldest.push(entry) === LOOKED_AT) break;
  for (const [key, value] of oldest) {
    map.delete(key);
    // Behind the others, so that those are looked at next.
    if (!isGone(key, value)) map.set(key, value);
  }
}
