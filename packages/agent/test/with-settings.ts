/** A client of the toolset as a server with other settings has it, on the database of a bed. */
import type { Caller } from '@parley/kit';
import { connect } from '@parley/kit/testing';
import type { AgentOptions } from '../src/services/options.ts';
import type { AgentHost } from '../src/toolset.ts';
import { agentToolset } from '../src/toolset.ts';
import type { AgentBed, AgentClient } from './agent-bed.ts';
import { servicesBeside } from './services-beside.ts';

export function clientWith(
  { host, clock }: Pick<AgentBed, 'host' | 'clock'>,
  as: Caller,
  settings: AgentHost['settings'],
  options: AgentOptions = {},
): Promise<AgentClient> {
  const { services } = servicesBeside(host, settings, { now: () => clock.nowMs, ...options });
  return connect(agentToolset, { services, as });
}
