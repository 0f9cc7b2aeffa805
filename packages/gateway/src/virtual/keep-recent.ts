/** Keeps what was used last, and no more than so many. */

const MOST = 1000;

/** Puts a value into a map, which has its entries in the order in which they came; the oldest makes room. */
export function keepRecent<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.size > MOST ? map.keys() : [];
  if (oldest !== undefined) map.delete(oldest);
}
