/** What becomes of a definition that nobody agreed to, by the mode of its connection. */
import type { HeldReason, ToolPinRow } from '../schema.ts';
import type { ServedTool } from '../served.ts';
import type { GatewaySettings } from '../shapes/gateway-settings.ts';
import { GATEWAY_DEFAULTS } from '../shapes/gateway-settings.ts';

/** How strictly definitions are held to what was agreed to. */
export type PinningMode = NonNullable<GatewaySettings['pinning']>;

export function pinningOf({ pinning = GATEWAY_DEFAULTS.pinning }: GatewaySettings): PinningMode {
  return pinning;
}

type Pin = Pick<ToolPinRow, 'state' | 'reason'>;

interface State {
  readonly state: ServedTool['state'];
  readonly reason: HeldReason | null;
}

/** How a tool with this pin is served; one that is gone is not asked about. */
export function servedState({ state, reason }: Pin, mode: PinningMode): State {
  if (state === 'approved') return { state: 'approved', reason: null };
  // What nobody can see is held in every mode, also for those who look at nothing else.
  if (reason === 'hidden_text' || mode === 'strict') return { state: 'held', reason: reason ?? 'changed' };
  if (mode === 'off') return { state: 'approved', reason: null };
  return state === 'new' ? { state: 'new', reason } : { state: 'changed', reason };
}
