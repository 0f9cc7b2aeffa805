/** Keys that act as an agent: what is written down with them, and who tells what the agent may do. */
import type { Caller, CallSource } from '@parley/kit';
import { fromJson } from '@parley/store';
import type { ApiKeyRow } from '../schema.ts';

/** What a key of an agent says of the sessions that it opens. */
export interface AgentBinding {
  readonly agentId: string;
  /** How many agents called one another up to this one; absent: 1. */
  readonly depth?: number;
  /** Where the sessions come from; absent: from whoever holds the key. */
  readonly source?: Extract<CallSource, 'agent' | 'schedule' | 'webhook' | 'remote'>;
  readonly unattended?: boolean;
  readonly sessionId?: string;
  readonly projectId?: string;
}

/** Tells what agents may do; the agent toolset knows. */
export interface AgentLookup {
  /** The caller of a key as the agent that it is bound to; undefined when there is no such agent. */
  bound(caller: Caller, binding: AgentBinding): Promise<Caller | undefined>;
  /** An agent that acts without a key, such as by a schedule, as it stands now. */
  current(caller: Caller): Promise<Caller | undefined>;
  /** An agent by id or name, as a key of it would act now. */
  named(organizationId: string, idOrName: string): Promise<Caller | undefined>;
  /** The session that a call of an agent belongs to. */
  sessionOf(caller: Caller): Promise<string | undefined>;
  /** What gives an agent a tool, or leaves it out, in a sentence; undefined for what is no tool of agents. */
  why(caller: Caller, tool: string): Promise<string | undefined>;
  /** What to do before a call of a tool that an agent has is not refused; undefined when there is nothing. */
  lack(caller: Caller, tool: string): Promise<string | undefined>;
}

/** Where the toolset that knows agents leaves its look-up; without one, no key of an agent is worth anything. */
export class AgentCallers {
  #lookup: AgentLookup | undefined;

  use(lookup: AgentLookup): void {
    this.#lookup = lookup;
  }

  /** The caller behind a key, as an agent where the key is one's. */
  async of(row: Pick<ApiKeyRow, 'agent'>, caller: Caller | undefined): Promise<Caller | undefined> {
    if (caller === undefined || row.agent === null) return caller;
    return this.#lookup?.bound(caller, fromJson<AgentBinding>(row.agent));
  }

  async current(caller: Caller): Promise<Caller | undefined> {
    return this.#lookup?.current(caller);
  }

  async named(organizationId: string, idOrName: string): Promise<Caller | undefined> {
    return this.#lookup?.named(organizationId, idOrName);
  }

  async sessionOf(caller: Caller): Promise<string | undefined> {
    return caller.agent === undefined ? undefined : this.#lookup?.sessionOf(caller);
  }

  async why(caller: Caller, tool: string): Promise<string | undefined> {
    return caller.agent === undefined ? undefined : this.#lookup?.why(caller, tool);
  }

  async lack(caller: Caller, tool: string): Promise<string | undefined> {
    return caller.agent === undefined ? undefined : this.#lookup?.lack(caller, tool);
  }
}
