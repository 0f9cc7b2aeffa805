/** What a list shows of the arguments of a program. */
import { expect, test } from 'vitest';
import { shownArguments } from './shown-arguments.ts';

test.each<[readonly string[], string]>([
  [
    ['-y', '@modelcontextprotocol/server-filesystem', '/home/you/Documents'],
    '-y @modelcontextprotocol/server-filesystem /home/you/Documents',
  ],
  [['server.mjs', '--port', '9000', '--verbose'], 'server.mjs --port 9000 --verbose'],
  [['--api-key', 'canary'], '--api-key ***'],
  [['--token=canary'], '--token=***'],
  [['--header', 'X-Team: canary'], '--header ***'],
  [['-p', 'canary'], '-p ***'],
  [['-e', 'console.log("canary")'], '-e ***'],
  [['canaryABCDEFGHIJ0123'], '***'],
  [['postgres://me:canary@db/one'], '***'],
  [['https://one.example/mcp?key=canary'], '***'],
])('%j is shown as %s', (args, expected) => {
  expect(shownArguments(args).join(' ')).toBe(expected);
});
