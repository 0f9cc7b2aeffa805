/** Connections as the gateway serves them: what is known of each upstream, and what may be shown of it. */
import type { Skill } from '@parley/kit';
import type { ConnectionType, HeldReason } from './schema.ts';
import type { FoundEra } from './services/known-era.ts';
import type { GatewaySettings } from './shapes/gateway-settings.ts';
import type { Definition, Dropped, UpstreamStatus, UpstreamTool } from './upstream.ts';

/** How a connection does: `degraded` when what is known may be old, `error` when nothing was ever known. */
export type ServedStatus = 'active' | 'degraded' | 'error' | 'inactive' | 'needs_reauth';

/** A tool with what somebody has agreed to. */
export interface ServedTool {
  readonly definition: UpstreamTool;
  /** Of the definition as it is now. */
  readonly hash: string;
  /** `new` and `changed` are served where definitions are only flagged; `held` ones wait for approval, in no list. */
  readonly state: 'approved' | 'new' | 'changed' | 'held';
  /** Why it is not `approved`. */
  readonly reason?: HeldReason | null;
}

/** A skill with what somebody has agreed to: its words, and the digest of each of its documents. */
export interface ServedSkill {
  readonly definition: Skill;
  readonly hash: string;
  readonly state: ServedTool['state'];
  readonly reason?: HeldReason | null;
}

/** Why what is known may not be what there is. */
export interface Degraded {
  readonly reason: string;
  /** ISO-8601. */
  readonly since: string;
}

/** A connection of an organization with its last complete catalog. */
export interface ServedConnection {
  readonly id: string;
  readonly organizationId: string;
  readonly title: string;
  readonly type: ConnectionType;
  /** Another one whenever the upstream has to be looked at again. */
  readonly revision: number;
  readonly status: ServedStatus;
  readonly settings: GatewaySettings;
  readonly era: 'modern' | 'legacy' | null;
  /** When its era was found out. */
  readonly eraFound?: FoundEra | undefined;
  readonly instructions: string | null;
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly tools: readonly ServedTool[];
  readonly resources: readonly Definition[];
  readonly templates: readonly Definition[];
  readonly prompts: readonly Definition[];
  readonly skills: readonly ServedSkill[];
  /** False: nothing was ever read of it. */
  readonly isKnown: boolean;
  readonly degraded: Degraded | null;
  /** How the last attempt to read it failed; null or absent: it did not. */
  readonly failedWith?: UpstreamStatus | null;
  /** What its server lists and cannot be served. */
  readonly dropped?: readonly Dropped[];
  /** Equal ones mean that everything above is equal. */
  readonly version: string;
}
