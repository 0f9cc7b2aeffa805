/** The options that the agent toolset reads; known before its code is loaded. */
import type { Settings } from '@parley/kit';

export const agentSettings = {
  runner: {
    flag: 'runner',
    kind: 'text',
    value: 'KIND',
    fallback: 'inbox',
    help: 'Who runs agents that get a message: inbox (whoever watches it) or command',
    section: 'reach',
  },
  runnerCommand: {
    flag: 'runner-command',
    kind: 'text',
    value: 'JSON',
    help: 'With --runner command: the program and its arguments as a JSON list; it gets the prompt on its input',
    section: 'reach',
  },
} as const satisfies Settings;
