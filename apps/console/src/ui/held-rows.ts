/** Owns that nothing jumps: rows that come while somebody reads wait until they are asked for. */
import { useEffect, useMemo, useRef, useState } from 'react';
import type { RefObject } from 'react';

/** What to show now, and how many wait above it. */
export interface HeldRows<T> {
  readonly rows: readonly T[];
  readonly waiting: number;
  readonly show: () => void;
}

const AT_TOP_PX = 8;

/** Lets new rows in at once while the list is at its top, and holds them back while it is not. */
export function useHeldRows<T>(
  rows: readonly T[],
  keyOf: (row: T) => string,
  scroll: RefObject<HTMLElement | null>,
): HeldRows<T> {
  const [heldKeys, setHeldKeys] = useState<ReadonlySet<string>>();
  const latest = useRef({ rows, keyOf });
  latest.current = { rows, keyOf };
  useEffect(() => {
    const box = scroll.current;
    if (!box) return undefined;
    let wasAtTop = true;
    const onScroll = () => {
      const isAtTop = box.scrollTop <= AT_TOP_PX;
      if (isAtTop === wasAtTop) return;
      wasAtTop = isAtTop;
      const { rows: now, keyOf: key } = latest.current;
      setHeldKeys(isAtTop ? undefined : new Set(now.map(key)));
    };
    box.addEventListener('scroll', onScroll, { passive: true });
    return () => box.removeEventListener('scroll', onScroll);
  }, [scroll]);
  return useMemo(() => {
    const show = () => {
      setHeldKeys(undefined);
      scroll.current?.scrollTo({ top: 0 });
    };
    if (!heldKeys) return { rows, waiting: 0, show };
    // Only what comes before a row that is there already pushes it down.
    const firstKnown = rows.findIndex((row) => heldKeys.has(keyOf(row)));
    if (firstKnown <= 0) return { rows, waiting: 0, show };
    return { rows: rows.slice(firstKnown), waiting: firstKnown, show };
  }, [rows, heldKeys, keyOf, scroll]);
}
