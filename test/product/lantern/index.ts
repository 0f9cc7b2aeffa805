/** A toolset as a stranger would write it: all that the server has to know of it is in this folder. */
import type { SettingsOf, Settings } from '@parley/kit';
import { defineToolset, toolsIn } from '@parley/kit';
import type { AppHost } from '../../../apps/server/src/index.ts';
import { migrations } from './migrations.ts';
import { createLanternRoutes } from './routes.ts';
import type { Lanterns } from './services.ts';
import { createLanterns } from './services.ts';
import * as lanterns from './tools/lanterns.ts';

const settings = {
  oil: {
    flag: 'lantern-oil',
    kind: 'number',
    low: 1,
    high: 9,
    value: 'CUPS',
    fallback: '2',
    help: 'Oil for each lantern',
    section: 'reach',
  },
} as const satisfies Settings;

export const lanternToolset = defineToolset({
  name: 'lantern',
  title: 'Lanterns',
  tools: toolsIn(lanterns),
  roles: { member: ['light_lantern'], user: ['count_lanterns'] },
  settings,
  migrations,
  services: (host: AppHost<SettingsOf<typeof settings>>): Lanterns =>
    createLanterns(host.store, host.settings.oil),
  routes: (services, { identity }) => createLanternRoutes(services, identity),
  open: ['/lanterns/about'],
  onStarted: async (_services, _host, url) => ({
    json: { lanterns: `${url}/lanterns` },
    line: { label: 'Lanterns', text: `${url}/lanterns` },
  }),
});
