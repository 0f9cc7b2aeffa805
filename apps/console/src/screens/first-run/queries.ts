/** Owns what the first run reads and changes. */
import { useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import { callTool } from '../../api/call-tool.ts';
import { request } from '../../api/request.ts';
import type { Client, FirstRun } from '../../api/schema.ts';

/** Reads how far it is; every call makes it old. */
export function useFirstRun(): UseQueryResult<FirstRun> {
  return useQuery({ queryKey: ['calls', 'first-run'], queryFn: () => request('GET /api/first-run') });
}

/** Reads the configurations. */
export function useClients(): UseQueryResult<readonly Client[]> {
  return useQuery({
    queryKey: ['clients'],
    queryFn: () => request('GET /api/clients'),
    staleTime: Infinity,
  });
}

/** Makes a key for a client, which is shown once: that of an administrator may do what they may. */
export async function makeKey(name: string, isAdministrator: boolean): Promise<string> {
  const power = isAdministrator ? { permissions: { '*': ['*'] } } : {};
  const made = await callTool<{ key: string }>('self', 'API_KEY_CREATE', { name, ...power });
  return made.key;
}
