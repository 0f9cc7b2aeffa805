/** Owns cron in words; the words are loaded by the first who needs them. */
import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';

/** Gives a cron expression in words; undefined while it is none, or the words are not loaded. */
export function useCronText(): (cron: string) => string | undefined {
  const { data } = useQuery({
    queryKey: ['words', 'cron'],
    queryFn: async () => (await import('cronstrue')).toString,
    staleTime: Infinity,
  });
  return useCallback(
    (cron: string) => {
      if (data === undefined || cron.trim().split(/\s+/).length !== CRON_FIELDS) return undefined;
      try {
        return data(cron, { use24HourTimeFormat: true });
      } catch {
        return undefined; // the server says what is wrong with it
      }
    },
    [data],
  );
}

const CRON_FIELDS = 5;
