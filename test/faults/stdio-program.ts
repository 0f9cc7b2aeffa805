/** A program that is killed: has a program of a connection at work, tells the ids of its processes, and stays. */
import type { UpstreamTarget } from '@parley/connections';
import { createStdioLinks } from '../../packages/gateway/src/upstream/stdio/stdio-links.ts';

const { target, folder } = JSON.parse(process.argv[2] ?? '{}') as { target: UpstreamTarget; folder: string };
const links = createStdioLinks({
  programs: { environment: { PATH: '/usr/bin:/bin' }, folder, roots: [folder] },
  info: { name: 'parley', version: '0.0.0' },
  onFault: (error) => console.error(error),
});
const result = await links.of(target).request({
  method: 'tools/call',
  params: { name: 'facts', arguments: {} },
  capabilities: {},
  signal: new AbortController().signal,
  limitMs: 60_000,
});
console.log(JSON.stringify(result));
