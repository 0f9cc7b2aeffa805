/** Waits for what another part of the program will bring about, however slow the machine is. */
import { vi } from 'vitest';

/** So long that only a condition that never comes meets it, also when the machine is busy with other things. */
export const DEADLINE_MS = 60_000;

/** Tries until `check` no longer throws, and returns what it returned; its last error is the one that is shown. */
export function eventually<T>(check: () => T | Promise<T>, everyMs = 10): Promise<T> {
  return vi.waitFor(check, { timeout: DEADLINE_MS, interval: everyMs });
}
