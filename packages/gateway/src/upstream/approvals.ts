/** Approvals of single calls: each is of one caller, tool, definition, set of arguments and policy, and is used once. */
import { valueDigest } from '@parley/connections';
import type { Caller, CatalogTool } from '@parley/kit';

/** What somebody approves; whatever is another in it is another call. */
export interface ApprovableCall {
  readonly organizationId: string;
  readonly callerId: string;
  readonly toolset: string;
  readonly tool: string;
  readonly definitionHash: string;
  readonly argumentsDigest: string;
  readonly policyVersion: string;
}

/** An approval that was found, and is gone with that. */
export interface TakenApproval {
  /** In ms since the epoch. */
  readonly expiresAt: number;
}

/** The call as somebody would approve it. */
export function approvableCall(
  caller: Caller,
  tool: CatalogTool,
  args: unknown,
  policyVersion: string,
): ApprovableCall {
  return {
    organizationId: caller.organizationId,
    callerId: caller.id,
    toolset: tool.toolset,
    tool: tool.granted ?? tool.name,
    definitionHash: tool.revision ?? valueDigest(tool.json),
    argumentsDigest: valueDigest(args),
    policyVersion,
  };
}

const MOST = 10_000;
const LONGEST_MS = 24 * 60 * 60_000;

/** Approvals of this process; several replicas need a place that all of them look at. */
export class Approvals {
  readonly #given = new Map<string, TakenApproval>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Approves one call, for at most a day. Of too many, the one that was given first ends. */
  give(call: ApprovableCall, expiresAt: number): void {
    const key = keyOf(call);
    this.#given.delete(key);
    this.#given.set(key, { expiresAt: Math.min(expiresAt, this.#now() + LONGEST_MS) });
    const [oldest] = this.#given.size > MOST ? this.#given.keys() : [];
    if (oldest !== undefined) this.#given.delete(oldest);
  }

  /** Whoever takes it first has it; undefined: there is none, or it is over. */
  take(call: ApprovableCall): TakenApproval | undefined {
    const key = keyOf(call);
    const found = this.#given.get(key);
    this.#given.delete(key);
    return found !== undefined && this.#now() < found.expiresAt ? found : undefined;
  }
}

function keyOf(call: ApprovableCall): string {
  const { organizationId, callerId, toolset, tool, definitionHash, argumentsDigest, policyVersion } = call;
  return JSON.stringify([
    organizationId,
    callerId,
    toolset,
    tool,
    definitionHash,
    argumentsDigest,
    policyVersion,
  ]);
}
