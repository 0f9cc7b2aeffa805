/** What `parley start` says to people. */
import { expect, test } from 'vitest';
import { loadConfig } from '../config.ts';
import { greeting } from './start.ts';

const KEYS = 'npm run -s parley -- keys create "My client"';

test.each([
  { name: 'the usual folder', args: [], env: {}, flag: '' },
  { name: 'the usual folder by its name', args: ['--data', '.parley'], env: {}, flag: '' },
  { name: 'another folder', args: ['--data', '/srv/parley'], env: {}, flag: ' --data /srv/parley' },
  { name: 'one with blanks', args: ['--data', '/srv/my data'], env: {}, flag: " --data '/srv/my data'" },
  { name: 'one of a variable', args: [], env: { PARLEY_DATA: '/srv/parley' }, flag: ' --data /srv/parley' },
  {
    name: 'a database elsewhere, whose address is secret',
    args: ['--data', '/srv/parley', '--database-url', 'postgres://ann:canary@db/p'],
    env: {},
    flag: '',
  },
])('commands are shown as they work: $name', ({ args, env, flag }) => {
  const { config } = loadConfig(args, { env });
  const url = 'http://127.0.0.1:4680';
  const ready = { url, mcp: `${url}/mcp`, data: config.dataDir, ownerKeyFile: 'owner.key' };
  const text = greeting(ready, [], config);
  expect(text).toContain(`  ${KEYS}${flag}\n`);
  expect(text.includes('All commands here need')).toBe(flag !== '');
  expect(text).not.toContain('canary');
});
