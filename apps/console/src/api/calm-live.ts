/** Owns following busy topics: however many changes come, what they lead to happens at most so often. */
import type { InfiniteData, QueryKey } from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';
import { detach } from '../detach.ts';
import { useLive } from './live.ts';
import { queryClient } from './query.ts';
import type { Topic } from './types.ts';

const TOPICS = new Map<Topic, readonly Topic[]>();

/** Does the work when the topic changed, at once and then at most every so many milliseconds. */
export function useCalmLive(topic: Topic, everyMs: number, work: () => Promise<unknown>): void {
  const latest = useRef(work);
  latest.current = work;
  const calm = useRef<Calm>(undefined);
  useEffect(() => {
    const mine = new Calm(everyMs, () => latest.current());
    calm.current = mine;
    return () => mine.stop();
  }, [everyMs]);
  const onMessage = useCallback(() => calm.current?.wake(), []);
  useLive(topicsOf(topic), onMessage);
}

/** Does work at once, then at most every so many milliseconds while it is asked for. */
class Calm {
  readonly #everyMs: number;
  readonly #work: () => Promise<unknown>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isDue = false;

  constructor(everyMs: number, work: () => Promise<unknown>) {
    this.#everyMs = everyMs;
    this.#work = work;
  }

  wake(): void {
    if (this.#timer === undefined) this.#run();
    else this.#isDue = true;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #run(): void {
    this.#isDue = false;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#isDue) this.#run();
    }, this.#everyMs);
    // A reading that fails is tried with the next change; the list itself tells when the server is gone.
    detach(this.#work(), () => undefined);
  }
}

// The same list for every render.
function topicsOf(topic: Topic): readonly Topic[] {
  const known = TOPICS.get(topic) ?? [topic];
  TOPICS.set(topic, known);
  return known;
}

/** How a list that is read page by page, the newest first, takes in what is new at its head. */
export interface Head<Page, Row> {
  readonly queryKey: QueryKey;
  /** Reads the first page. */
  readonly read: () => Promise<Page>;
  readonly rowsOf: (page: Page) => readonly Row[];
  readonly withRows: (page: Page, rows: readonly Row[]) => Page;
  readonly keyOf: (row: Row) => string;
}

/** Puts what is new before what was read already; where both do not touch, the list begins anew. */
export async function readHead<Page, Row>({
  queryKey,
  read,
  rowsOf,
  withRows,
  keyOf,
}: Head<Page, Row>): Promise<void> {
  // A reading under way began without what is new, and would put itself over it.
  await readingsOf(queryKey);
  if (queryClient.getQueryData(queryKey) === undefined) return;
  const fresh = await read();
  await readingsOf(queryKey);
  queryClient.setQueryData<InfiniteData<Page>>(queryKey, (old) => {
    const [first, ...rest] = old?.pages ?? [];
    if (!old || first === undefined) return old;
    const known = rowsOf(first);
    const rows = rowsOf(fresh);
    const freshKeys = new Set(rows.map(keyOf));
    const kept = known.filter((row) => !freshKeys.has(keyOf(row)));
    const isTouching = kept.length < known.length || known.length === 0;
    if (!isTouching) return { pages: [fresh], pageParams: old.pageParams.slice(0, 1) };
    return { ...old, pages: [withRows(first, [...rows, ...kept]), ...rest] };
  });
}

/** Until nothing of the list is being read. */
async function readingsOf(queryKey: QueryKey): Promise<void> {
  const query = queryClient.getQueryCache().find({ queryKey, exact: true });
  while (query?.state.fetchStatus === 'fetching') {
    await query.promise?.catch(() => undefined); // The list itself tells what went wrong
    await new Promise((resolve) => setTimeout(resolve));
  }
}
