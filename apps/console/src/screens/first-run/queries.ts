/** Owns what the first run reads and changes. */
import { useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import { callTool } from '../../api/call-tool.ts';
import { get } from '../../api/client.ts';

/** How far the first run is. */
export interface FirstRun {
  readonly steps: {
    readonly signIn: boolean;
    readonly client: boolean;
    readonly call: {
      readonly at: string | number;
      readonly tool: string;
      readonly client?: string | null;
      readonly id: string;
    } | null;
  };
  readonly isDone: boolean;
  readonly isSkipped: boolean;
}

/** The configuration of one client. */
export interface Client {
  readonly id: string;
  readonly title: string;
  readonly language: 'shell' | 'json' | 'toml';
  readonly text: string;
  readonly where: string;
}

/** Reads how far it is; every call makes it old. */
export function useFirstRun(): UseQueryResult<FirstRun> {
  return useQuery({ queryKey: ['calls', 'first-run'], queryFn: () => get<FirstRun>('/api/first-run') });
}

/** Reads the configurations. */
export function useClients(): UseQueryResult<Client[]> {
  return useQuery({
    queryKey: ['clients'],
    queryFn: () => get<Client[]>('/api/clients'),
    staleTime: Infinity,
  });
}

/** Makes a key for a client, which is shown once: that of an administrator may do what they may. */
export async function makeKey(name: string, isAdministrator: boolean): Promise<string> {
  const power = isAdministrator ? { permissions: { '*': ['*'] } } : {};
  const made = await callTool<{ key: string }>('self', 'API_KEY_CREATE', { name, ...power });
  return made.key;
}
