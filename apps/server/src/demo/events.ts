/** Events of the demo: what a team publishes, who hears of it, and one that never arrived. */
import { meshToolset } from '@parley/mesh';
import { RELEASES, WEATHER } from './connections.ts';
import type { Part } from './scene.ts';

const PUBLISHED = [
  { type: 'release.published', subject: 'harbor-web 4.12.0', data: { version: '4.12.0', by: 'Bruno' } },
  { type: 'release.published', subject: 'harbor-web 4.12.1', data: { version: '4.12.1', by: 'Bruno' } },
  { type: 'deploy.finished', subject: 'production', data: { seconds: 212, commit: '9f3c1e7' } },
  { type: 'import.finished', subject: 'contacts', data: { rows: 480, skipped: 3 } },
  { type: 'storm.warned', subject: 'Rotterdam', data: { wind: 9, until: '22:00' } },
];

const SCHEDULED = [
  { type: 'report.daily', subject: 'harbor-insights', cron: '0 7 * * *', timezone: 'Europe/Berlin' },
  { type: 'backup.due', subject: 'production', cron: '30 1 * * *', timezone: 'UTC' },
];

export const events: Part = {
  name: 'events',
  isThere: async ({ host, owner }) =>
    (await host.servicesOf(meshToolset).eventBus.subscriptions(owner)).length > 0,
  async play({ host, owner }) {
    const { eventBus } = host.servicesOf(meshToolset);
    for (const eventType of ['release.published', 'deploy.finished', 'import.finished'])
      await eventBus.subscribe(owner, { eventType }, RELEASES);
    // This server has no tool that hears of events, so what is sent to it is a dead letter.
    await eventBus.subscribe(owner, { eventType: 'storm.warned' }, WEATHER);
    for (const publication of [...PUBLISHED, ...SCHEDULED]) await eventBus.publish(owner, publication);
  },
};
