/** The options that the agent toolset reads; known before its code is loaded. */
import type { Settings } from '@parley/kit';

export const agentSettings = {
  projectRoots: {
    flag: 'project-root',
    kind: 'list',
    value: 'DIR',
    help: 'Folder below which projects may have their code (repeat, or commas); without one, none has',
    section: 'reach',
  },
  workTasks: {
    flag: 'work-tasks',
    kind: 'text',
    value: 'on|off',
    fallback: 'on',
    help: 'Whether agents may start work tasks on the code of projects',
    section: 'reach',
  },
  codeIndex: {
    flag: 'code-index',
    kind: 'text',
    value: 'on|off',
    fallback: 'on',
    help: 'Whether agents may look for symbols and references in the code of projects',
    section: 'reach',
  },
} as const satisfies Settings;
