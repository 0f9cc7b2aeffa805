/** A time as tools take it; short in a schema, where a pattern for it would be longer than all else. */
import * as z from 'zod';

const Iso = z.iso.datetime({ offset: true });

export const IsoTime = z
  .string()
  .max(40)
  .refine(
    (text) => Iso.safeParse(text).success,
    'must be an ISO time with Z or an offset, such as 2026-11-16T09:00:00Z',
  );
