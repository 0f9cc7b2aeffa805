/** Owns from which end a list that the server sorts is read, as the head of its table says it in the address. */
import type { Search } from './use-screen.ts';

/** `asc` when the column stands in the address without a minus; absent: the newest first. */
export function orderOf({ sort }: Search, column: string): 'asc' | undefined {
  return sort === column ? 'asc' : undefined;
}
