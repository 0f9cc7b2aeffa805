/** Waits for what another part of the program will bring about, however slow the machine is. */
import { vi } from 'vitest';

/** Tries until `check` no longer throws, and answers what it answered. */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: 20_000, interval: 10 });
}
