/** The built-in tools, in the order of their definition. */
import { listAgents } from './agents.ts';
import { codeSymbols, findReferences } from './code.ts';
import { listProjects } from './projects.ts';
import { createWorkTask } from './work.ts';

export const agentTools = [listAgents, listProjects, createWorkTask, codeSymbols, findReferences] as const;
