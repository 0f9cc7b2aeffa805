/** Owns importing: sending a file in pieces, running it, and following how far it is. */
import { useQuery } from '@tanstack/react-query';
import { queryClient } from '../../../api/query.ts';
import { request } from '../../../api/request.ts';
import type { BodyOf } from '../../../api/request.ts';
import type { V1Import } from '../../../api/schema.ts';
import { base64Of } from '../shared/base64.ts';
import { TOPIC } from '../shared/queries.ts';

/** What a run is asked. */
export type RunOptions = BodyOf<'POST /api/v1/imports/{id}/run'>;

const LIST = [TOPIC, 'imports'] as const;
const LOOK_MS = 700;

/** The newest imports; looked at again and again while one is at work. */
export function useImports() {
  return useQuery({
    queryKey: LIST,
    queryFn: ({ signal }) => request('GET /api/v1/imports', { signal }),
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
export async function upload(file: File, onPart: (sent: number) => void): Promise<V1Import> {
  let made = await request('POST /api/v1/imports', { body: { fileName: file.name, sizeBytes: file.size } });
  for (let number = 0; number * PART_BYTES < file.size; number += 1) {
    const part = file.slice(number * PART_BYTES, (number + 1) * PART_BYTES);
    made = await request('PUT /api/v1/imports/{id}/parts/{number}', {
      path: { id: made.id, number: String(number) },
      body: { data: await base64Of(part) },
    });
    onPart(made.receivedBytes);
  }
  await refreshImports();
  return made;
}

/** Checks what is in the file, or writes it. */
export async function runImport(id: string, options: RunOptions): Promise<void> {
  await request('POST /api/v1/imports/{id}/run', { path: { id }, body: options });
  await refreshImports();
}

/** Stops an import and forgets its file. */
export async function removeImport(id: string): Promise<void> {
  await request('DELETE /api/v1/imports/{id}', { path: { id } });
  await refreshImports();
}
