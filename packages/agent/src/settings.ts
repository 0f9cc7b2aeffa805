/** The options that the agent toolset reads; known before its code is loaded. */
import type { Settings } from '@parley/kit';

export const agentSettings = {} as const satisfies Settings;
