/** A walk over call records, newest first, that ends by number or by time and lets others have their turn. */
import type { DetailedCallRecord, RecordFilter, RecordLog } from '@parley/store';

const PAGE = 500;
const MOST_RECORDS = 100_000;
const LONGEST_MS = 5_000;
const SLICE_MS = 3;

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Shows every record with its detail to `visit`; true when not all were seen. */
export function scanRecords(
  records: Pick<RecordLog, 'listDetailed'>,
  filter: RecordFilter,
  visit: (record: DetailedCallRecord) => void,
): Promise<boolean> {
  return walkRecords((page) => records.listDetailed({ ...filter, ...page }), visit);
}

/** The same over whatever `read` gives page by page. */
export async function walkRecords<Item extends { readonly id: number }>(
  read: (page: { limit: number; before?: number }) => Promise<Item[]>,
  visit: (record: Item) => void,
): Promise<boolean> {
  const endMs = performance.now() + LONGEST_MS;
  let before: number | undefined;
  for (let seen = 0; seen < MOST_RECORDS;) {
    const page = await read({ limit: PAGE, ...(before !== undefined && { before }) });
    let sliceEndMs = performance.now() + SLICE_MS;
    for (const record of page) {
      visit(record);
      if (performance.now() < sliceEndMs) continue;
      if (performance.now() > endMs) return true;
      await nextTurn();
      sliceEndMs = performance.now() + SLICE_MS;
    }
    if (page.length < PAGE) return false;
    seen += page.length;
    before = page.at(-1)?.id;
    if (performance.now() > endMs) return true;
  }
  return true;
}
