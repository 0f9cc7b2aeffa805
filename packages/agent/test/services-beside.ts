/** The services as one more process on the same database has them, with settings of its own. */
import { createEvents } from '@parley/events';
import { createTaskEngine } from '@parley/tasks';
import type { TaskEngine } from '@parley/tasks';
import type { AgentServices } from '../src/services/index.ts';
import type { AgentOptions } from '../src/services/options.ts';
import { createAgentServices } from '../src/services/index.ts';
import type { AgentHost } from '../src/toolset.ts';

export function servicesBeside(
  host: AgentHost,
  settings: AgentHost['settings'],
  options: AgentOptions = {},
): { readonly services: AgentServices; readonly tasks: TaskEngine } {
  const { store, egress, onFault } = host;
  const { now = Date.now } = options;
  const tasks = createTaskEngine({ store, now, onFault });
  const events = createEvents({ store, tasks, egress, onFault, now });
  return { services: createAgentServices({ ...host, tasks, events, settings }, options), tasks };
}
