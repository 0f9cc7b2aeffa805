/** The ceiling: nobody gives a tool that they do not have. */
import type { Caller } from '@parley/kit';
import { hiddenByPower } from '@parley/kit';
import { AGENT } from '../name.ts';
import type { AgentTool } from '../tools/sets.ts';

/** Whether somebody has a tool to give; people have what their grants say without acting as an agent. */
export function mayGive(by: Caller, { name, privileged }: Pick<AgentTool, 'name' | 'privileged'>): boolean {
  return hiddenByPower({ name, privileged, toolset: AGENT }, by) === undefined;
}
