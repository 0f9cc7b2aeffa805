/** Owns saying that what was read is old, after an act whose change the live stream may not tell. */
import { detach } from '../detach.ts';
import { queryClient } from './query.ts';

/** Reads again whatever has a key that begins with one of these topics. */
export function makeOld(...topics: readonly string[]): void {
  for (const topic of topics) detach(queryClient.invalidateQueries({ queryKey: [topic] }), reportError);
}
