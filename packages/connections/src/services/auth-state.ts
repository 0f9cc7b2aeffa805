/** How somebody stands with the server behind a connection, before a call fails. */
import type { DownstreamTokenRow } from '../schema.ts';

/** What a call needs besides what is stored with the connection itself. */
export type AuthKind = 'none' | 'personal_token' | 'oauth';

export interface AuthState {
  readonly kind: AuthKind;
  /** `never`: nothing was given yet. `expiring`: it works, and cannot be renewed at the moment. */
  readonly state: 'ok' | 'expiring' | 'needs_reauth' | 'never';
  /** True when one authorization serves everybody. */
  readonly isShared: boolean;
  readonly expiresAt: number | null;
  readonly scope: string | null;
}

/** Before it ends, a token is renewed this early. */
export const RENEW_BEFORE_MS = 5 * 60_000;

/** The state of a token; `canRenew`: there is something to renew it with. */
export function tokenState(
  row: Pick<DownstreamTokenRow, 'expires_at' | 'needs_reauth' | 'failures'> | undefined,
  { canRenew, now }: { canRenew: boolean; now: number },
): AuthState['state'] {
  if (row === undefined) return 'never';
  if (row.needs_reauth === 1) return 'needs_reauth';
  const leftMs = (row.expires_at ?? Infinity) - now;
  if (leftMs <= 0 && !canRenew) return 'needs_reauth';
  if (leftMs < RENEW_BEFORE_MS && (!canRenew || row.failures > 0)) return 'expiring';
  return 'ok';
}

/** True while a token may be sent: its server has not refused it, and its time is not over. */
export function isUsable(
  { expires_at, needs_reauth }: Pick<DownstreamTokenRow, 'expires_at' | 'needs_reauth'>,
  now: number,
): boolean {
  // Without a known end, needing a new one means that this one was refused.
  return expires_at === null ? needs_reauth === 0 : expires_at > now;
}
