/** The real command line with a toolset whose routes throw and whose stop fails. */
import type { ServerResponse } from 'node:http';
import type { RouteSet } from '@parley/http';
import { defineToolset } from '@parley/kit';
import type { AppHost } from '../../apps/server/src/index.ts';
import { main } from '../../apps/server/src/index.ts';

/** What the routes do, by the end of their path. */
const FAULTS: Readonly<Record<string, (res: ServerResponse) => Promise<void>>> = {
  'at-once'() {
    throw new Error('thrown before there is a promise');
  },
  later: () => Promise.reject(new Error('rejected')),
  async midway(res) {
    res.writeHead(200, { 'content-length': '100' }).write('half of it');
    throw new Error('thrown after half of the answer');
  },
};

const failingToolset = defineToolset({
  name: 'failing',
  title: 'Failing',
  tools: [],
  services(host: AppHost) {
    host.onStop(() => Promise.reject(new Error('a stop that rejects')));
    host.onStop(() => {
      throw new Error('a stop that throws');
    });
  },
  routes: (): RouteSet => ({
    name: 'Failing',
    prefix: '/failing',
    isGuarded: true,
    handle: (req, res) => FAULTS[(req.url ?? '').split('/').at(-1) ?? '']!(res),
    close: () => Promise.reject(new Error('routes that do not close')),
  }),
});

await main(process.argv.slice(2), [failingToolset]);
