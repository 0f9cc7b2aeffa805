/** Owns importing: sending a file in pieces, running it, and following how far it is. */
import { useQuery } from '@tanstack/react-query';
import { del, get, post, put } from '../../../api/client.ts';
import { queryClient } from '../../../api/query.ts';
import { base64Of } from '../shared/base64.ts';
import { API, TOPIC } from '../shared/queries.ts';

/** What came of a run. */
export interface Report {
  readonly kind: 'posts' | 'archive';
  readonly isDryRun: boolean;
  readonly rows: number;
  readonly imported: number;
  readonly skipped: number;
  readonly failed: number;
  readonly faults: readonly { readonly row: number; readonly message: string }[];
  readonly ignoredColumns: readonly string[];
  readonly newBoards: readonly string[];
  readonly newTags: readonly string[];
}

/** What a run is asked. */
export interface RunOptions {
  readonly isDryRun: boolean;
  readonly board?: string;
  readonly createBoards?: boolean;
}

/** An import and how it stands. */
export interface Import {
  readonly id: string;
  readonly fileName: string;
  readonly sizeBytes: number;
  readonly receivedBytes: number;
  readonly state: 'uploading' | 'ready' | 'running' | 'checked' | 'done' | 'failed' | 'stopped';
  readonly rowsDone: number;
  readonly rowsTotal: number;
  readonly options: Partial<RunOptions>;
  readonly report: Report | null;
  readonly fault: string | null;
  readonly authorName: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

const LIST = [TOPIC, 'imports'] as const;
const LOOK_MS = 700;

/** The newest imports; looked at again and again while one is at work. */
export function useImports() {
  return useQuery({
    queryKey: LIST,
    queryFn: ({ signal }) => get<readonly Import[]>(`${API}/imports`, { signal }),
    refetchInterval: ({ state }) => (state.data?.some((one) => one.state === 'running') ? LOOK_MS : false),
  });
}

/** Reads the list again. */
export function refreshImports(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: LIST });
}

const PART_BYTES = 512 * 1024;
/** The largest file that the server takes over the web. */
export const MOST_BYTES = 32 * 1024 * 1024;

/** Sends a file in pieces; `onPart` is told how much has come. */
export async function upload(file: File, onPart: (sent: number) => void): Promise<Import> {
  let made = await post<Import>(`${API}/imports`, { fileName: file.name, sizeBytes: file.size });
  for (let number = 0; number * PART_BYTES < file.size; number += 1) {
    const part = file.slice(number * PART_BYTES, (number + 1) * PART_BYTES);
    made = await put<Import>(`${API}/imports/${made.id}/parts/${number}`, { data: await base64Of(part) });
    onPart(made.receivedBytes);
  }
  await refreshImports();
  return made;
}

/** Checks what is in the file, or writes it. */
export async function runImport(id: string, options: RunOptions): Promise<void> {
  await post(`${API}/imports/${id}/run`, options);
  await refreshImports();
}

/** Stops an import and forgets its file. */
export async function removeImport(id: string): Promise<void> {
  await del(`${API}/imports/${id}`);
  await refreshImports();
}
